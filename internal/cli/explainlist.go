package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/schema"
)

// typeText returns the name of a type, such as []string or map[string]integer.
func typeText(s *schema.Schema) string {
	switch {
	case s.Native:
		return nativeType(s)
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

// explainFields writes the fields of an object, or of the objects in a list, and all fields below them. Each has one
// line.
func explainFields(w io.Writer, s *schema.Schema) {
	s = object(s)
	if len(s.Properties) == 0 {
		return
	}
	fmt.Fprint(w, "\nFields\n")
	left := mostFields
	writeFields(w, s, "  ", &left)
	if left <= 0 {
		fmt.Fprintln(w, "  ... and further fields; explain one of those above")
	}
}

// mostFields limits how many fields a page lists. A CRD of 29 public repositories has up to 10,365 schemas,
// which nobody reads as a page.
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
			if p.Schema.Default.Valid() { // it may be left out
				line += " -default " + string(p.Schema.Default.AppendJSON(nil)) + "-"
			} else {
				line += " -required-"
			}
		}
		fmt.Fprintln(w, withDescription(line, describe(p.Schema.Description)))
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
