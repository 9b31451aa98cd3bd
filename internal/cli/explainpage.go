package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/catalog"
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
	fmt.Fprintf(w, "kind      %s\nversion   %s\n", f.name, f.apiVersion)
	if f.path != "" {
		fmt.Fprintf(w, "field     %s\n", f.path)
	}
	fmt.Fprintf(w, "type      %s\n", typeText(f.schema))
	for i, e := range f.others {
		if i == 0 {
			fmt.Fprint(w, "\nOther kinds of this name (choose with --version)\n")
		}
		fmt.Fprintf(w, "  %s\n", (&catalog.Kind{Group: e.Group, Version: e.Versions[len(e.Versions)-1]}).APIVersion())
	}
	if description := describe(f.schema); description != "" {
		section(w, "Description", wrapParagraphs(description, pageWidth-2))
	}
	optionalSection(w, "Constraints", constraints(f.schema, f.required))
	optionalSection(w, "Rules", f.rules())
	optionalSection(w, strings.TrimSuffix(noteMark, ": "), notes(f.schema))
	explainItems(w, f.schema)
	return explainFields(w, f.schema)
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

// describe returns the description of a schema in the specification.
func describe(s *schema.Schema) string {
	text, _, _ := strings.Cut(s.Description, noteMark)
	return strings.TrimSpace(text)
}

func orNotSpecified(text string) string {
	if text == "" {
		return notSpecified
	}
	return strings.TrimSpace(text)
}

// typeText returns the name of a type, such as []string or map[string]integer.
func typeText(s *schema.Schema) string {
	switch {
	case s.Title != "":
		return s.Title
	case hasOwnType(s):
		return notSpecified + ": any value"
	}
	return plainType(s)
}

// hasOwnType reports whether the type of a schema comes from kindvet and not from the specification.
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
			list = append(list, "not in the specification: "+ruleText(&s.Rules[i]))
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

// combinations describes allOf, anyOf, oneOf and not in words.
func combinations(s *schema.Schema) []string {
	if s.IntOrString {
		return nil // its anyOf lists the types
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

// explainFields writes the fields of an object, or of the objects in a list, and all fields below them. Each has one
// line.
func explainFields(w io.Writer, s *schema.Schema) error {
	s = object(s)
	if len(s.Properties) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nFields\n")
	left := mostFields
	writeFields(w, s, "  ", &left)
	if left <= 0 {
		fmt.Fprintln(w, "  ... and further fields; explain one of those above")
	}
	return nil
}

// mostFields limits how many fields a page lists.
const mostFields = 1000

// object returns the schema of the objects inside nested lists and maps.
func object(s *schema.Schema) *schema.Schema {
	for {
		switch {
		case s.Items != nil:
			s = s.Items
		case s.Additional != nil && len(s.Properties) == 0:
			s = s.Additional
		default:
			return s
		}
	}
}

func writeFields(w io.Writer, s *schema.Schema, indent string, left *int) {
	for _, p := range s.Properties {
		if *left--; *left < 0 {
			return
		}
		line := indent + p.Name + "  <" + typeText(p.Schema) + ">"
		if slices.Contains(s.Required, p.Name) && !slices.Contains(s.Own, "required") {
			line += " -required-"
		}
		fmt.Fprintln(w, withDescription(line, describe(p.Schema)))
		writeFields(w, object(p.Schema), indent+"  ", left)
	}
	if s.PreserveUnknown && len(s.Properties) > 0 {
		fmt.Fprintf(w, "%s(others)  <%s: any value>\n", indent, notSpecified)
	}
}

// withDescription adds the first sentence of a description to a line if there is room.
func withDescription(line, description string) string {
	sentence, _, _ := strings.Cut(strings.Join(strings.Fields(description), " "), ". ")
	room := pageWidth - utf8.RuneCountInString(line) - 2
	if sentence == "" || room < 20 {
		return line
	}
	sentence = strings.TrimSuffix(sentence, ".")
	if cut := wrap(sentence, room-4); len(cut) > 1 {
		sentence = cut[0] + " ..."
	}
	return line + "  " + sentence
}
