package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kindvet/kindvet/internal/schema"
)

const (
	// notSpecified is what a page shows where the specification is silent.
	notSpecified = "not specified"
	// noteMark starts the part of a description that is advice of kindvet, not of the specification.
	noteMark = "Note (kindvet): "
)

// explainField writes the page of a field: what its specification states, and apart from that what kindvet adds.
func explainField(w io.Writer, f field) error {
	fmt.Fprintf(w, "kind      %s\nversion   %s\n", f.name, f.apiVersion)
	if f.path != "" {
		fmt.Fprintf(w, "field     %s\n", f.path)
	}
	fmt.Fprintf(w, "type      %s\n", typeText(f.schema))
	description, _, _ := strings.Cut(f.schema.Description, noteMark)
	section(w, "Description", orNotSpecified(description))
	section(w, "Constraints", orNotSpecified(strings.Join(constraints(f.schema, f.required), "\n")))
	optionalSection(w, "Rules", f.rules())
	optionalSection(w, strings.TrimSuffix(noteMark, ": "), notes(f.schema))
	explainItems(w, f.schema)
	return explainFields(w, f.schema)
}

// explainItems writes what holds for each item of a list, or each value of a map.
func explainItems(w io.Writer, s *schema.Schema) {
	for title, below := "Each item", s; ; {
		switch {
		case below.Items != nil:
			below = below.Items
		case below.Additional != nil:
			title, below = strings.Replace(title, "item", "value", 1), below.Additional
		default:
			return
		}
		description, _, _ := strings.Cut(below.Description, noteMark)
		lines := append([]string{orNotSpecified(description)}, constraints(below, false)...)
		for i := range below.Rules {
			if !slices.Contains(below.Own, "x-kubernetes-validations") {
				lines = append(lines, ruleText(&below.Rules[i]))
			}
		}
		for _, note := range notes(below) {
			lines = append(lines, noteMark+note)
		}
		optionalSection(w, title, lines)
		title += " of each item"
	}
}

func optionalSection(w io.Writer, title string, lines []string) {
	if len(lines) > 0 {
		section(w, title, strings.Join(lines, "\n"))
	}
}

func orNotSpecified(text string) string {
	if text == "" {
		return notSpecified
	}
	return strings.TrimSpace(text)
}

// typeText names a type, like []string or map[string]integer.
func typeText(s *schema.Schema) string {
	switch {
	case s.Title != "":
		return s.Title
	case hasOwnType(s):
		return notSpecified + ": any value"
	}
	return plainType(s)
}

// hasOwnType reports whether the type of a schema is kindvet's, not its specification's.
func hasOwnType(s *schema.Schema) bool {
	return slices.Contains(s.Own, "type") || slices.Contains(s.Own, "x-kubernetes-int-or-string")
}

func plainType(s *schema.Schema) string {
	switch {
	case s.IntOrString:
		return "integer or string"
	case s.Type == "array" && s.Items != nil:
		return "[]" + typeText(s.Items)
	case s.Type == "object" && s.Additional != nil:
		return "map[string]" + typeText(s.Additional)
	case s.Type == "":
		return notSpecified + ": any value"
	case s.Format != "":
		return s.Type + " (" + s.Format + ")"
	}
	return s.Type
}

// constraints returns the constraints that the specification states.
func constraints(s *schema.Schema, required bool) []string {
	var list []string
	if required {
		list = append(list, "required")
	}
	for _, c := range keywords(s) {
		if !slices.Contains(s.Own, c.keyword) {
			list = append(list, c.text)
		}
	}
	return list
}

// notes returns what kindvet adds to the specification: its advice, and the constraints that are its own.
func notes(s *schema.Schema) []string {
	var list []string
	if _, note, ok := strings.Cut(s.Description, noteMark); ok {
		list = append(list, note)
	}
	if hasOwnType(s) {
		list = append(list, "not in the specification: "+plainType(s))
	}
	if slices.Contains(s.Own, "required") {
		list = append(list, "not in the specification: "+strings.Join(s.Required, " and ")+" required")
	}
	for _, c := range keywords(s) {
		if slices.Contains(s.Own, c.keyword) {
			list = append(list, "not in the specification: "+c.text)
		}
	}
	if slices.Contains(s.Own, "x-kubernetes-validations") {
		for i := range s.Rules {
			list = append(list, "not in the specification: "+ruleText(&s.Rules[i]))
		}
	}
	return list
}

// rules returns the rules that hold for a field: its own, those of the objects around it that report here, and in words what
// combinations of schemas want.
func (f field) rules() []string {
	var list []string
	if !slices.Contains(f.schema.Own, "x-kubernetes-validations") {
		for i := range f.schema.Rules {
			list = append(list, ruleText(&f.schema.Rules[i]))
		}
	}
	for _, p := range f.pending {
		if p.rest == "" {
			list = append(list, ruleText(p.rule))
		}
	}
	return append(list, combinations(f.schema)...)
}

func ruleText(r *schema.Rule) string {
	text := strings.Join(strings.Fields(r.Rule), " ")
	if r.Message != "" {
		text = r.Message + ": " + text
	}
	return text
}

// combinations words allOf, anyOf, oneOf and not.
func combinations(s *schema.Schema) []string {
	if s.IntOrString {
		return nil // its anyOf states the types
	}
	var list []string
	for _, c := range []struct {
		keyword, words string
		schemas        []*schema.Schema
	}{{"allOf", "all of these", s.AllOf}, {"anyOf", "at least one of these", s.AnyOf}, {"oneOf", "exactly one of these", s.OneOf}} {
		if len(c.schemas) == 0 {
			continue
		}
		if m, ok := s.Message(c.keyword); ok {
			list = append(list, m.Text)
			continue
		}
		list = append(list, c.words+":")
		for _, alternative := range c.schemas {
			list = append(list, "- "+alternativeText(alternative))
		}
	}
	if s.Not != nil {
		list = append(list, "not: "+alternativeText(s.Not))
	}
	return list
}

// alternativeText words a schema inside a combination in one line.
func alternativeText(s *schema.Schema) string {
	var parts []string
	for _, name := range s.Required {
		parts = append(parts, name+" required")
	}
	for _, p := range s.Properties {
		if text := alternativeText(p.Schema); text != "" {
			parts = append(parts, p.Name+" "+text)
		}
	}
	for _, c := range keywords(s) {
		parts = append(parts, c.text)
	}
	parts = append(parts, combinations(s)...)
	return strings.Join(parts, ", ")
}

// explainFields writes the table of the fields of an object, or of the objects of a list.
func explainFields(w io.Writer, s *schema.Schema) error {
	for s.Items != nil {
		s = s.Items
	}
	if len(s.Properties) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nFields\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range s.Properties {
		text := typeText(p.Schema)
		if slices.Contains(s.Required, p.Name) && !slices.Contains(s.Own, "required") {
			text += ", required"
		}
		fmt.Fprintf(table, "  %s\t%s\n", p.Name, text)
	}
	if s.PreserveUnknown {
		fmt.Fprintf(table, "  (others)\t%s: any value\n", notSpecified)
	}
	return table.Flush()
}
