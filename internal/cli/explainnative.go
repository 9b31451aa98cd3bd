package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// This file has what differs on the pages of the built-in kinds of Kubernetes. Their descriptions are kindvet's own,
// and they are so large that a page lists one level of fields.

// nativeType returns the name of the type of a field of a built-in kind.
func nativeType(s *schema.Schema) string {
	switch {
	case s.IntOrString:
		return "integer or string"
	case s.Type == "array" && s.Items != nil:
		return "[]" + nativeType(s.Items)
	case s.Type == "object" && s.Additional != nil:
		return "map[string]" + nativeType(s.Additional)
	}
	return cmp.Or(nativeTypes[s.Type+" "+s.Format], s.Type, nativeTypes[s.Format], "any value")
}

// nativeTypes are the names of types by type and format, or by format.
var nativeTypes = map[string]string{
	"integer int32": "32-bit integer",
	"integer int64": "integer",
	"number double": "number",
	"string byte":   "base64 string",
	"quantity":      "quantity",
	"time":          "time",
	"micro-time":    "time with microseconds",
}

// nativeFormats describe values by format.
var nativeFormats = map[string]string{
	"byte":       "encoded as base64",
	"quantity":   `a number or a string such as "500m", "0.5" or "2Gi"`,
	"time":       `a time such as "2026-01-31T12:00:00Z"`,
	"micro-time": `a time such as "2026-01-31T12:00:00.000000Z"`,
}

// nativeKeywords returns what is said differently about a field of a built-in kind. The server does not enforce list
// types there; they say how it applies changes.
func nativeKeywords(s *schema.Schema) []keyword {
	var list []keyword
	if text := nativeFormats[s.Format]; text != "" {
		list = append(list, keyword{"format", text})
	}
	if len(s.Enum) > 0 {
		list = append(list, keyword{"enum", "one of " + nativeValues(s)})
	}
	switch {
	case s.ListType == "map":
		keys := strings.Join(s.ListMapKeys, " and ")
		list = append(list, keyword{"x-kubernetes-list-type", "server-side apply merges items by " + keys})
	case s.ListType == "set":
		list = append(list, keyword{"x-kubernetes-list-type", "server-side apply merges the items"})
	case s.ListType == "atomic" || s.MapType == "atomic":
		list = append(list, keyword{"x-kubernetes-list-type", "server-side apply replaces it as a whole"})
	}
	return list
}

// nativeValues lists the allowed values, with the versions of Kubernetes that have them.
func nativeValues(s *schema.Schema) string {
	var texts []string
	for _, v := range s.Enum {
		if v.Text() == "" {
			continue // the same as no value
		}
		text := string(v.AppendJSON(nil))
		if marks := lifetimeMarks(minorAt(s, "enumSince", v), minorAt(s, "enumUntil", v)); len(marks) > 0 {
			text += " (" + strings.Join(marks, ", ") + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// minorAt returns the minor version that enumSince or enumUntil has for a value, or 0.
func minorAt(s *schema.Schema, keyword string, value manifest.Node) int {
	minor, _ := catalog.ParseKubernetes(s.Node.At(keyword).TextAt(value.Text()))
	return minor
}

// lifetimeMarks describes which versions of Kubernetes have something. 0 is an open end.
func lifetimeMarks(since, until int) (marks []string) {
	if since > 0 {
		marks = append(marks, fmt.Sprintf("since 1.%d", since))
	}
	if until > 0 {
		marks = append(marks, fmt.Sprintf("until 1.%d", until))
	}
	return marks
}

// explainAvailability writes which versions of Kubernetes have a kind or field, and the feature gate of a field.
func explainAvailability(w io.Writer, f field) {
	since, until := f.property.Since, f.property.Until
	if f.path == "" {
		since, until = f.kind.Since, f.kind.Until
	}
	for _, mark := range lifetimeMarks(since, until) {
		word, version, _ := strings.Cut(mark, " ")
		fmt.Fprintf(w, "%-10s%s\n", word, "Kubernetes "+version)
	}
	switch {
	case f.property.IsOff && f.property.OffIn != "" && f.property.OffIn != f.kind.Name:
		fmt.Fprintf(w, "gate      %s, off by default: the server drops the field of a %s\n", f.property.Gate, f.property.OffIn)
	case f.property.IsOff:
		fmt.Fprintf(w, "gate      %s, off by default: the server drops the field\n", f.property.Gate)
	case f.property.Gate != "":
		fmt.Fprintf(w, "gate      %s, on by default\n", f.property.Gate)
	}
}

// deprecationText returns what to use instead of a deprecated kind.
func deprecationText(k *catalog.Kind) string {
	if k.Replacement == "" {
		return k.DeprecationWarning
	}
	return k.DeprecationWarning + "; " + k.Replacement
}

// mostNativeFields limits how many fields a page about a built-in kind lists with all fields below them. More do not
// fit on a screen: a Pod template has 2,000. Decide anew if a page can be folded.
const mostNativeFields = 30

// explainNativeFields writes the fields of an object of a built-in kind, one level of them if there are many.
func explainNativeFields(w io.Writer, f field) {
	s := object(f.schema)
	if len(s.Properties) == 0 {
		return
	}
	fmt.Fprint(w, "\nFields\n")
	if countFields(s, mostNativeFields) <= mostNativeFields {
		writeNativeFields(w, s, "  ", f.path == "", true)
		return
	}
	writeNativeFields(w, s, "  ", f.path == "", false)
	if p, ok := firstWithFields(s); ok {
		fmt.Fprintf(w, "\nTo list the fields below one of these, add its name: kindvet explain %s\n", f.title()+"."+p.Name)
	}
}

// countFields counts the fields below an object, up to a little more than a limit.
func countFields(s *schema.Schema, limit int) int {
	n := 0
	for _, p := range s.Properties {
		if n++; n > limit {
			return n
		}
		n += countFields(object(p.Schema), limit-n)
	}
	return n
}

// firstWithFields returns the first field that has fields, other than metadata if possible.
func firstWithFields(s *schema.Schema) (found schema.Property, ok bool) {
	for _, p := range s.Properties {
		if len(object(p.Schema).Properties) == 0 {
			continue
		}
		if found, ok = p, true; p.Name != "metadata" {
			break
		}
	}
	return found, ok
}

// rootTexts describe the fields that most built-in kinds have.
var rootTexts = map[string]string{
	"apiVersion": "The API group and version of the object.",
	"kind":       "The kind of the object.",
	"metadata":   "The name, labels and other metadata of the object.",
	"status":     "The observed state, which controllers write.",
}

// rootText describes a field of a document.
func rootText(p schema.Property) string { return cmp.Or(p.Text(), rootTexts[p.Name]) }

// writeNativeFields writes a line for each field, and if all is true for the fields below them. A description that
// does not fit has lines of its own.
func writeNativeFields(w io.Writer, s *schema.Schema, indent string, isRoot, all bool) {
	for _, p := range s.Properties {
		line := indent + p.Name + "  <" + typeText(p.Schema) + ">"
		if slices.Contains(s.Required, p.Name) {
			line += " -required-"
		}
		for _, mark := range lifetimeMarks(p.Since, p.Until) {
			line += " -" + mark + "-"
		}
		if p.IsOff {
			line += " -off by default-"
		}
		text := p.Text()
		if isRoot {
			text = rootText(p)
		}
		text = strings.TrimSuffix(describe(text), ".")
		switch {
		case text == "":
		case utf8.RuneCountInString(line+text)+2 <= pageWidth:
			line += "  " + text
		default:
			line += "\n" + indent + "    " + strings.Join(wrap(text, pageWidth-len(indent)-4), "\n"+indent+"    ")
		}
		fmt.Fprintln(w, line)
		if all {
			writeNativeFields(w, object(p.Schema), indent+"  ", false, all)
		}
	}
}
