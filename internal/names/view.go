package names

import (
	"iter"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// View shows a platform's kind in built-in names. A nil View stands for a kind that has built-in names, and changes
// nothing.
type View struct {
	// Group and Kind are the built-in names of the kind.
	Group, Kind string

	schema *schema.Schema            // the schema of the kind
	fields map[*schema.Schema]string // the built-in names of fields, by schema
	words  map[string]string         // names that a text may mention, from built-in to platform
}

// View returns the view of the kind of a rewritten definition. s is the schema of the kind.
func (m *Renaming) View(d *Definition, s *schema.Schema) *View {
	v := &View{Group: d.Group, Kind: d.Kind, schema: s, fields: map[*schema.Schema]string{}, words: m.words}
	eachProperty(s, func(p *schema.Property) {
		if name, ok := m.builtIn[p.Schema.Node]; ok {
			v.fields[p.Schema] = name
		}
	})
	return v
}

func eachProperty(s *schema.Schema, visit func(*schema.Property)) {
	if s == nil {
		return
	}
	for i := range s.Properties {
		visit(&s.Properties[i])
		eachProperty(s.Properties[i].Schema, visit)
	}
	eachProperty(s.Items, visit)
	eachProperty(s.Additional, visit)
}

// Of returns the view of the same kind with another schema, such as that of a CRD of the platform. Each field gets the
// built-in name of the field with the same name and place in the kind of v.
func (v *View) Of(s *schema.Schema) *View {
	of := &View{Group: v.Group, Kind: v.Kind, schema: s, fields: map[*schema.Schema]string{}, words: v.words}
	if len(v.fields) > 0 {
		of.match(v, s, v.schema)
	}
	return of
}

// match gives the fields of s the built-in names of the corresponding fields of another schema.
func (v *View) match(from *View, s, other *schema.Schema) {
	if s == nil || other == nil {
		return
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		same, ok := other.Property(p.Name)
		if !ok {
			continue
		}
		if name, ok := from.fields[same]; ok {
			v.fields[p.Schema] = name
		}
		v.match(from, p.Schema, same)
	}
	v.match(from, s.Items, other.Items)
	v.match(from, s.Additional, other.Additional)
}

// Root returns the root of an object of the kind, with built-in names for its fields. It does not change the object,
// and paths are the same in both. If n is not valid, neither is the result.
func (v *View) Root(n manifest.Node) manifest.Node {
	if v == nil || len(v.fields) == 0 || !n.Valid() {
		return n
	}
	keys := map[int]string{}
	v.find(n, v.schema, keys)
	if len(keys) == 0 {
		return n
	}
	return n.In(n.Tree().WithKeys(keys))
}

// find finds the fields of a value whose built-in names differ.
func (v *View) find(n manifest.Node, s *schema.Schema, keys map[int]string) {
	if s == nil {
		return
	}
	for c := n.First(); c.Valid(); c = c.Next() {
		below := s.Items
		if n.Type() == manifest.Map {
			below = s.Field(c)
			if name, ok := v.fields[below]; ok {
				keys[c.Index()] = name
			}
		}
		if c.Type() >= manifest.Map {
			v.find(c, below, keys)
		}
	}
}

// Fields converts a path of built-in field names to the platform's names. The path omits list items.
func (v *View) Fields(path []string) []string {
	if v == nil {
		return path
	}
	own := make([]string, len(path))
	s := v.schema
	for i, name := range path {
		for s != nil && s.Items != nil {
			s = s.Items
		}
		own[i], s = v.field(s, name)
	}
	return own
}

// field returns the platform's name of a field, and its schema.
func (v *View) field(s *schema.Schema, builtIn string) (string, *schema.Schema) {
	if s == nil {
		return builtIn, nil
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		name, renamed := v.fields[p.Schema]
		if renamed && name == builtIn || !renamed && p.Name == builtIn {
			return p.Name, p.Schema
		}
	}
	return builtIn, s.Additional
}

// Text returns a text for people in which the platform's names replace the built-in ones.
func (v *View) Text(text string) string {
	if v == nil {
		return text
	}
	return replaceWords(text, v.words)
}

// replaceWords replaces the names that occur in a text as whole words.
func replaceWords(text string, words map[string]string) string {
	var out strings.Builder
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !isNamePart(r) })
		if end < 0 {
			end = len(text)
		}
		name := strings.TrimRight(text[:end], ".-")
		if to, ok := words[name]; ok && name != "" {
			out.WriteString(to)
		} else {
			out.WriteString(name)
		}
		rest := text[len(name):]
		next := strings.IndexFunc(rest, isLetterOrDigit)
		if next < 0 {
			next = len(rest)
		}
		out.WriteString(rest[:next])
		text = rest[next:]
	}
	return out.String()
}

func isNamePart(r rune) bool { return isLetterOrDigit(r) || r == '.' || r == '-' || r == '_' }

func isLetterOrDigit(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80
}

// OwnKeys yields the spans of keys, in an object in built-in names, that have a different platform name, and that
// name.
func (v *View) OwnKeys(n manifest.Node) iter.Seq2[source.Span, string] {
	return func(yield func(source.Span, string) bool) { v.ownKeys(n, v.schema, yield) }
}

func (v *View) ownKeys(n manifest.Node, s *schema.Schema, yield func(source.Span, string) bool) bool {
	for c := n.First(); c.Valid(); c = c.Next() {
		var below *schema.Schema
		switch {
		case n.Type() == manifest.Map:
			var name string
			if name, below = v.field(s, c.Key()); name != c.Key() && !yield(c.KeySpan(), name) {
				return false
			}
		case s != nil:
			below = s.Items
		}
		if c.Type() >= manifest.Map && !v.ownKeys(c, below, yield) {
			return false
		}
	}
	return true
}

// OwnFields holds the fields of a kind that have different platform names, with those names, by their schemas in
// built-in names.
type OwnFields map[*schema.Schema]ownField

type ownField struct{ builtIn, own string }

// OwnFields returns the fields of the kind that have different platform names. builtIn is the schema of the kind in
// built-in names.
func (v *View) OwnFields(builtIn *schema.Schema) OwnFields {
	own := OwnFields{}
	if len(v.fields) > 0 {
		own.find(v, builtIn, v.schema)
	}
	return own
}

// find finds the fields of builtIn, a schema in built-in names. s is the corresponding schema in platform names.
func (own OwnFields) find(v *View, builtIn, s *schema.Schema) {
	if builtIn == nil || s == nil {
		return
	}
	for i := range builtIn.Properties {
		p := &builtIn.Properties[i]
		name, below := v.field(s, p.Name)
		if name != p.Name {
			own[p.Schema] = ownField{p.Name, name}
		}
		own.find(v, p.Schema, below)
	}
	own.find(v, builtIn.Items, s.Items)
	own.find(v, builtIn.Additional, s.Additional)
}

// AreMentioned reports whether a text may mention one of the fields.
func (own OwnFields) AreMentioned(text string) bool {
	for _, field := range own {
		if strings.Contains(text, field.builtIn) {
			return true
		}
	}
	return false
}

// Name returns the platform's name of a field of the objects that a schema describes. It returns false if the name is
// the same.
func (own OwnFields) Name(holder *schema.Schema, field string) (string, bool) {
	if p, ok := holder.Property(field); ok {
		if f, ok := own[p]; ok {
			return f.own, true
		}
	}
	return "", false
}
