package schema

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// choice is anyOf or oneOf, and how many of the alternatives must match.
type choice struct {
	keyword, howMany string
	alternatives     []*Schema
}

// requiredNames returns the field that each alternative requires, if the alternatives state nothing else.
func requiredNames(alternatives []*Schema) ([]string, bool) {
	var names []string
	for _, s := range alternatives {
		name, ok := s.requiredName()
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// requiredName returns the only field that a schema requires, if the schema states nothing else.
func (s *Schema) requiredName() (string, bool) {
	if s.Node.Len() != 1 || len(s.Required) != 1 {
		return "", false
	}
	return s.Required[0], true
}

// noneSet describes an object that has none of the fields of which the alternatives require one each.
func (c *Checker) noneSet(v *diag.Violation, n manifest.Node, of choice, names []string) {
	list := strings.Join(quoted(names), ", ")
	v.Help = "set " + of.howMany + " of " + list
	if text := "none of " + list + " is set"; len(names) > 1 && diag.FitsMessage(text) {
		v.Message = text
	}
	for _, name := range names {
		if null, ok := n.DroppedNull(name); ok {
			v.Related = append(v.Related, diag.Related{Place: null.Place(), Message: "the API server drops this null"})
		}
	}
}

// severalSet describes an object that has several fields of which only one is allowed.
func severalSet(v *diag.Violation, names []string) {
	list := strings.Join(quoted(names), ", ")
	v.Help = "keep one of " + list
	if text := "only one of " + list + " is allowed"; diag.FitsMessage(text) {
		v.Message = text
	}
}

// forbiddenWords describes a value that matches the schema s although it must not.
func (s *Schema) forbiddenWords() string {
	text := ""
	name, isName := s.requiredName()
	names, areNames := requiredNames(s.AnyOf)
	switch {
	case isName:
		text = quote(name) + " must not be set"
	case s.Node.Len() == 1 && len(s.AnyOf) > 0 && areNames:
		text = "none of " + strings.Join(quoted(names), ", ") + " may be set"
	case s.Node.Len() == 1 && len(s.Enum) == 1:
		text = "must not be " + enumWords(s.Enum)
	case s.Node.Len() == 1 && len(s.Enum) > 1:
		text = "must not be one of " + enumWords(s.Enum)
	}
	if text == "" || !diag.FitsMessage(text) {
		return "matches the forbidden schema (not)"
	}
	return text
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = quote(name)
	}
	return list
}
