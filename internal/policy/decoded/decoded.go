// Package decoded completes objects as an API server has decoded them when it asks policies: with the defaults of their Go
// types, with the fields that these types always write, without those that they leave out, and with values in the form in
// which they are written.
//
// The check of an object fills in only the defaults that decide about its validity. A policy sees all of them. Two tables say
// what the Go types do: always.tsv is generated, and defaults.tsv stands for the functions of upstream that fill in defaults.
// Those that depend on several fields are in code.
package decoded

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

var (
	//go:embed always.tsv
	alwaysText string
	//go:embed defaults.tsv
	defaultsText string
)

// goType is what is known about a Go type.
type goType struct {
	defaults []fieldDefault
	// always are the fields that are always written, and keeps those whose zero value is written if it is set.
	always []fieldDefault
	keeps  map[string]bool
	// complete fills in the defaults that depend on several fields; nil for none.
	complete func(n manifest.Node)
}

// fieldDefault is the value of a field that is not set. If when is set, that field must have the value is.
type fieldDefault struct {
	name  string
	value manifest.Node
	when  string
	is    manifest.Node
}

// goTypes are the types by the names that they have in package catalog.
var goTypes = sync.OnceValue(func() map[string]*goType {
	types := map[string]*goType{}
	at := func(name string) *goType {
		if types[name] == nil {
			types[name] = &goType{keeps: map[string]bool{}, complete: completions[name]}
		}
		return types[name]
	}
	for name := range completions {
		at(name)
	}
	for f := range rows(defaultsText) {
		d := fieldDefault{name: f[1], value: readJSON(f[2])}
		if len(f) > 3 {
			d.when, d.is = f[3], readJSON(f[4])
		}
		at(f[0]).defaults = append(at(f[0]).defaults, d)
	}
	for f := range rows(alwaysText) {
		t := at(f[0])
		t.keeps[f[1]] = true
		if f[2] != "kept" {
			t.always = append(t.always, fieldDefault{name: f[1], value: readJSON(f[2])})
		}
	}
	return types
})

// rows returns the fields of the lines of a table.
func rows(text string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(text) {
			if line[0] != '#' && !yield(strings.Split(strings.TrimSuffix(line, "\n"), "\t")) {
				return
			}
		}
	}
}

func readJSON(text string) manifest.Node {
	src := &source.Source{Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	return tree.Root()
}

// Complete edits an object of a kind of Kubernetes that has been prepared ([catalog.Kind.Prepare]).
func Complete(n manifest.Node, s *schema.Schema) {
	completion{goTypes()}.value(n, s)
}

// completion completes an object.
type completion struct{ types map[string]*goType }

func (c completion) value(n manifest.Node, s *schema.Schema) {
	s.Ready()
	switch s.Decoding() {
	case schema.AsObject:
		if n.Type() == manifest.Map {
			c.object(n, s)
		}
	case schema.AsMap:
		if n.Type() == manifest.Map && s.Additional != nil {
			s.Additional.Ready()
			for f := n.First(); f.Valid(); f = f.Next() {
				if s.Additional.Decoding() == schema.AsQuantity {
					c.quantity(f, true)
					continue
				}
				c.value(f, s.Additional)
			}
		}
	case schema.AsList:
		if n.Type() == manifest.List && s.Items != nil {
			for item := n.First(); item.Valid(); item = item.Next() {
				c.value(item, s.Items)
			}
		}
	case schema.AsQuantity:
		c.quantity(n, false)
	}
}

// quantity gives a quantity the form in which a server writes it. It rounds one in a list of resources up to thousandths
// (SetDefaults_ResourceList).
func (c completion) quantity(n manifest.Node, isResource bool) {
	written := n.Text()
	if n.Type() != manifest.String {
		written = string(n.AppendJSON(nil))
	}
	if text, ok := cel.CanonicalQuantity(formats.TrimQuantity(written), isResource); ok && (n.Type() != manifest.String || written != text) {
		n.ReplaceByDefault(textNode(text))
	}
}

// nameOf returns the name of the Go type of a schema.
func nameOf(s *schema.Schema) string {
	if ref, ok := s.Node.Field("$ref"); ok {
		return ref.Text()
	}
	return s.Node.Key()
}

func textNode(text string) manifest.Node {
	n := readJSON(`""`)
	n.SetText(text)
	return n
}

// object completes an object. The fields that it leaves out go first: an empty string is one that is not set.
func (c completion) object(n manifest.Node, s *schema.Schema) {
	t := c.types[nameOf(s)]
	var kept manifest.Node
	for f := n.First(); f.Valid(); f = f.Next() {
		if isZero(f) && (t == nil || !t.keeps[f.Key()]) && !isObject(s, f) {
			f.Drop(kept)
			continue
		}
		kept = f
	}
	if t != nil {
		if t.complete != nil {
			t.complete(n)
		}
		for i := range t.defaults {
			t.defaults[i].add(n)
		}
		for i := range t.always {
			t.always[i].add(n)
		}
	}
	for f := n.First(); f.Valid(); f = f.Next() {
		if i := s.IndexOf(f); i >= 0 {
			c.value(f, s.Properties[i].Schema)
		}
	}
}

func (d *fieldDefault) add(n manifest.Node) {
	if _, ok := n.Field(d.name); ok {
		return
	}
	if d.when != "" {
		if f, ok := n.Field(d.when); !ok || !manifest.Equal(f, d.is) {
			return
		}
	}
	n.AddDefault(d.name, d.value)
}

// isZero reports whether a value is the zero value of a Go type that is not a struct or a pointer.
func isZero(n manifest.Node) bool {
	switch n.Type() {
	case manifest.Null:
		return true
	case manifest.Boolean:
		return !n.Boolean()
	case manifest.Integer:
		return n.Integer() == 0
	case manifest.Float:
		return n.Float() == 0
	case manifest.String:
		return n.Text() == ""
	case manifest.List, manifest.Map:
		return n.Len() == 0
	}
	return false
}

// isObject reports whether a field holds a struct, a pointer to one, or a quantity or the like. Their zero values are written.
func isObject(s *schema.Schema, f manifest.Node) bool {
	i := s.IndexOf(f)
	if i < 0 {
		return true
	}
	p := s.Properties[i].Schema
	p.Ready()
	switch p.Decoding() {
	case schema.AsMap, schema.AsList, schema.AsString, schema.AsBoolean, schema.AsInteger, schema.AsInteger32, schema.AsNumber,
		schema.AsBytes:
		return false
	}
	return true
}
