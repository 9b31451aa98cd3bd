package names

import (
	"iter"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// View shows a kind of a platform in built-in names. A nil View is that of a kind with built-in names, and changes
// nothing.
type View struct {
	// Group and Kind are the built-in names of the kind.
	Group, Kind string

	schema *schema.Schema            // of the kind
	fields map[*schema.Schema]string // built-in names of fields, by their schemas
	words  map[string]string         // names that a text may mention, built-in to the platform's
}

// View returns the view of the kind of a definition that has been rewritten; s is the schema of the kind.
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

// Of returns the view of the same kind with another schema, such as that of a CRD of the platform: a field has the
// built-in name that the field of its name has at the same place of the kind that v is of.
func (v *View) Of(s *schema.Schema) *View {
	of := &View{Group: v.Group, Kind: v.Kind, schema: s, fields: map[*schema.Schema]string{}, words: v.words}
	if len(v.fields) > 0 {
		of.match(v, s, v.schema)
	}
	return of
}

// match gives the fields of a schema the built-in names that those of another have.
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

// Root returns the root of an object of the kind with built-in names for its fields. The object itself is not
// changed, and the paths of both are alike. Of no node it is none.
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

// find finds the fields of a value that have other built-in names.
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

// Fields returns a path of built-in names of fields, in which items of lists are passed through, in the platform's
// names.
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

// Text returns a text for people with the platform's names in place of the built-in ones that it mentions.
func (v *View) Text(text string) string {
	if v == nil {
		return text
	}
	return replaceWords(text, v.words)
}

// replaceWords replaces the names that stand in a text as words of their own.
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

// OwnKeys yields the spans of the keys of an object in built-in names that the platform calls otherwise, and what it
// calls them.
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

// OwnFields are the fields of a kind that a platform calls otherwise: what it calls them, by their schemas in
// built-in names.
type OwnFields map[*schema.Schema]ownField

type ownField struct{ builtIn, own string }

// OwnFields returns the fields of the kind, whose schema in built-in names is builtIn, that the platform calls
// otherwise.
func (v *View) OwnFields(builtIn *schema.Schema) OwnFields {
	own := OwnFields{}
	if len(v.fields) > 0 {
		own.find(v, builtIn, v.schema)
	}
	return own
}

// find finds the fields of a schema in built-in names, of which s is the counterpart.
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

// AreMentioned reports whether a text may speak of one of the fields.
func (own OwnFields) AreMentioned(text string) bool {
	for _, field := range own {
		if strings.Contains(text, field.builtIn) {
			return true
		}
	}
	return false
}

// Name returns what the platform calls a field of the objects that a schema describes; false if it is called the same.
func (own OwnFields) Name(holder *schema.Schema, field string) (string, bool) {
	if p, ok := holder.Property(field); ok {
		if f, ok := own[p]; ok {
			return f.own, true
		}
	}
	return "", false
}
