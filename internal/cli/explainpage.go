package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/schema"
)

const (
	// notSpecified is shown where the specification says nothing.
	notSpecified = "not specified"
	// noteMark starts the part of a description that kindvet has added to the specification.
	noteMark = "Note (kindvet): "
)

// explainField writes the page of a field: the content of the specification, and separately what kindvet adds.
func explainField(w io.Writer, f field) error {
	fmt.Fprintf(w, "kind      %s\nversion   %s\n", f.name, f.kind.APIVersion())
	if f.path != "" {
		fmt.Fprintf(w, "field     %s\n", f.path)
	}
	fmt.Fprintf(w, "type      %s\n", typeText(f.schema))
	explainAvailability(w, f)
	optionalSection(w, "Other kinds of this name (choose with --version)", f.others)
	optionalSection(w, "Other versions of this kind (choose with --version)", f.versions)
	if description := describe(f.description()); description != "" {
		section(w, "Description", wrapParagraphs(description, pageWidth-2))
	}
	if f.path == "" && f.kind.Deprecated && f.schema.Native {
		section(w, "Deprecated", wrapParagraphs(deprecationText(f.kind), pageWidth-2))
	}
	optionalSection(w, "Constraints", constraints(f.schema, f.required))
	optionalSection(w, "Rules", f.rules())
	added := notes(f.schema)
	if f.required && f.schema.Default.Valid() {
		added = append(added, "it may be left out, because it has a default")
	}
	optionalSection(w, strings.TrimSuffix(noteMark, ": "), added)
	explainItems(w, f.schema)
	if object(f.schema).Native {
		explainNativeFields(w, f)
	} else {
		explainFields(w, f.schema)
	}
	return nil
}

// explainItems writes the constraints for each item of a list or each value of a map.
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
		var lines []string
		if description := describe(below.Description); description != "" || !below.Native {
			lines = append(lines, orNotSpecified(description))
		}
		lines = append(lines, constraints(below, false)...)
		for i := range below.Rules {
			if !slices.Contains(below.Own, "x-kubernetes-validations") {
				lines = append(lines, ruleText(&below.Rules[i], below.Native, below.Rules[i].FieldPath))
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
	var wrapped []string
	for _, line := range lines {
		wrapped = append(wrapped, wrapItem(line)...)
	}
	if len(wrapped) > 0 {
		section(w, title, strings.Join(wrapped, "\n"))
	}
}

// wrapItem wraps one item of a section. All lines but the first are indented.
func wrapItem(text string) []string {
	lines := wrap(text, pageWidth-6)
	for i := range lines {
		if i > 0 {
			lines[i] = "    " + lines[i]
		}
	}
	return lines
}

// description returns the description of the field: that of its property if it has one.
func (f field) description() string {
	switch {
	case f.path == "" && f.name == f.kind.Name:
		return f.kind.Description()
	case f.property.Schema == nil:
		return f.schema.Description
	case f.schema.Native && !strings.Contains(f.path, "."):
		return rootText(f.property)
	}
	return f.property.Text()
}

// describe returns the part of a description that is in the specification.
func describe(description string) string {
	text, _, _ := strings.Cut(description, noteMark)
	return strings.TrimSpace(text)
}

func orNotSpecified(text string) string {
	if text == "" {
		return notSpecified
	}
	return text
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

// notes returns what kindvet adds to the specification: notes and additional constraints.
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
			list = append(list, "not in the specification: "+ruleText(&s.Rules[i], false, ""))
		}
	}
	return list
}

// rules returns the rules for a field: its own, those of enclosing objects that report at it, and descriptions of
// schema combinations.
func (f field) rules() []string {
	var list []string
	if !slices.Contains(f.schema.Own, "x-kubernetes-validations") {
		for i := range f.schema.Rules {
			list = append(list, ruleText(&f.schema.Rules[i], f.schema.Native, f.schema.Rules[i].FieldPath))
		}
	}
	for _, p := range f.pending {
		if p.rest == "" {
			list = append(list, ruleText(p.rule, f.schema.Native, ""))
		}
	}
	return append(list, combinations(f.schema)...)
}

// ruleText returns a rule and its message. The rules of built-in kinds stand for code of the API server, so only their
// messages are of interest, with the path of the field that they are about.
func ruleText(r *schema.Rule, native bool, path string) string {
	switch path = strings.TrimPrefix(path, "."); {
	case native && path != "":
		return path + ": " + r.Message
	case native:
		return r.Message
	}
	text := strings.Join(strings.Fields(r.Rule), " ")
	if r.Message != "" {
		text = r.Message + ": " + text
	}
	return text
}

// combinations describes allOf, anyOf, oneOf and not in words.
func combinations(s *schema.Schema) []string {
	if s.IntOrString {
		return nil // its anyOf lists the types
	}
	var list []string
	for _, c := range []struct {
		keyword, words string
		schemas        []*schema.Schema
	}{
		{"allOf", "all of these", s.AllOf}, {"anyOf", "at least one of these", s.AnyOf},
		{"oneOf", "exactly one of these", s.OneOf},
	} {
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

// alternativeText describes a schema inside a combination in one line.
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
