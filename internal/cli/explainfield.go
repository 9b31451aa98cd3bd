package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/kindvet/kindvet/internal/kinds"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/schema"
)

// notSpecified is what is said where the specification is silent.
const notSpecified = "not specified"

// field is a member of a kind, as explain shows it.
type field struct {
	kind     *kinds.Kind
	path     []string
	schema   *schema.Schema
	required bool
}

// findField finds what a name as Kind or Kind.spec.path stands for. It returns false when no kind is called so.
func findField(registry *kinds.Registry, name, version string) (field, bool, error) {
	parts := strings.Split(strings.ReplaceAll(name, "[]", ""), ".")
	entries := registry.Entries()
	i := slices.IndexFunc(entries, func(e *kinds.Entry) bool { return strings.EqualFold(e.Name, parts[0]) })
	if i < 0 {
		return field{}, false, nil
	}
	e := entries[i]
	if version == "" {
		version = e.Versions[len(e.Versions)-1]
	}
	k, ok := e.Kind(version)
	if !ok {
		return field{}, true, fmt.Errorf("%s has no version %q; it has %s", e.Name, version, strings.Join(e.Versions, ", "))
	}
	f := field{kind: k, schema: k.Schema}
	for _, part := range parts[1:] {
		next, err := f.child(part)
		if err != nil {
			return field{}, true, err
		}
		f = next
	}
	return f, true, nil
}

// child returns the member of a field; of a list, that of its items.
func (f field) child(name string) (field, error) {
	s := f.schema
	for s.Items != nil {
		s = s.Items
	}
	next := field{kind: f.kind, path: append(slices.Clone(f.path), name), required: slices.Contains(s.Required, name)}
	if property, ok := s.Property(name); ok {
		next.schema = property
		return next, nil
	}
	if s.Additional != nil {
		next.schema = s.Additional
		return next, nil
	}
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	where := strings.Join(append([]string{f.kind.Name}, f.path...), ".")
	switch near, ok := nearest.Name(name, names); {
	case ok:
		return field{}, fmt.Errorf("%s has no member %q; the nearest is %q", where, name, near)
	case len(names) == 0:
		return field{}, fmt.Errorf("%s has no member %q: its members are %s", where, name, notSpecified)
	}
	return field{}, fmt.Errorf("%s has no member %q; it has %s", where, name, strings.Join(names, ", "))
}

func explainField(w io.Writer, f field) error {
	fmt.Fprintf(w, "kind      %s\nversion   %s\n", f.kind.Name, f.kind.APIVersion())
	if len(f.path) > 0 {
		fmt.Fprintf(w, "field     %s\n", strings.Join(f.path, "."))
	}
	fmt.Fprintf(w, "type      %s\n", typeText(f.schema))
	section(w, "Description", orNotSpecified(f.schema.Description))
	section(w, "Constraints", orNotSpecified(strings.Join(f.constraints(), "\n")))
	if rules := rulesOf(f.schema); len(rules) > 0 {
		section(w, "Rules", strings.Join(rules, "\n"))
	}
	return f.members(w)
}

func orNotSpecified(text string) string {
	if text == "" {
		return notSpecified
	}
	return text
}

// typeText names a type, as []string or map[string]integer.
func typeText(s *schema.Schema) string {
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

func (f field) constraints() []string {
	s := f.schema
	var list []string
	add := func(ok bool, text string) {
		if ok {
			list = append(list, text)
		}
	}
	bound := func(name string, n *int64) { add(n != nil, name+" "+strconv.FormatInt(deref(n), 10)) }
	add(f.required, "required")
	add(s.Nullable, "may be null")
	if s.Default.Valid() {
		list = append(list, "default "+string(s.Default.AppendJSON(nil)))
	}
	add(len(s.Enum) > 0, "one of "+values(s.Enum))
	add(s.Pattern != "", "matches "+s.Pattern)
	bound("at least this many characters:", s.MinLength)
	bound("at most this many characters:", s.MaxLength)
	bound("at least this many items:", s.MinItems)
	bound("at most this many items:", s.MaxItems)
	bound("at least this many members:", s.MinProperties)
	bound("at most this many members:", s.MaxProperties)
	if s.Minimum != nil {
		list = append(list, "at least "+strconv.FormatFloat(*s.Minimum, 'f', -1, 64))
	}
	if s.Maximum != nil {
		list = append(list, "at most "+strconv.FormatFloat(*s.Maximum, 'f', -1, 64))
	}
	add(s.ListType == "set", "each item once")
	add(s.ListType == "map", "each "+strings.Join(s.ListMapKeys, ", ")+" once")
	add(s.PreserveUnknown && s.Type == "object", "members beside those below may be anything")
	return list
}

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func values(list []manifest.Node) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, string(n.AppendJSON(nil)))
	}
	return strings.Join(texts, ", ")
}

// rulesOf returns what the CEL rules of a schema, and of the items of its lists, say.
func rulesOf(s *schema.Schema) []string {
	var list []string
	for ; s != nil; s = s.Items {
		for i := range s.Rules {
			r := &s.Rules[i]
			text := strings.Join(strings.Fields(r.Rule), " ")
			if r.Message != "" {
				text = r.Message + ": " + text
			}
			list = append(list, text)
		}
	}
	return list
}

func (f field) members(w io.Writer) error {
	s := f.schema
	for s.Items != nil {
		s = s.Items
	}
	if len(s.Properties) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nMembers\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range s.Properties {
		text := typeText(p.Schema)
		if slices.Contains(s.Required, p.Name) {
			text += ", required"
		}
		fmt.Fprintf(table, "  %s\t%s\n", p.Name, text)
	}
	return table.Flush()
}
