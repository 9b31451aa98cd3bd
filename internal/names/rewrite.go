package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/validations"
)

// Names returns the platform's names of the kind of a definition: a copy of the definition without its tree.
func (m *Renaming) Names(d *Definition) Definition {
	to := Definition{Group: m.group(d.Group), Kind: m.kind(d.Kind), ListKind: d.ListKind, Plural: d.Plural}
	if to.Kind != d.Kind {
		to.ListKind, to.Plural = to.Kind+"List", pluralOf(to.Kind, d.Kind, d.Plural)
	}
	return to
}

// ChangesSchemas reports whether the names change more of a definition than the name and description of its kind.
func (m *Renaming) ChangesSchemas(d *Definition) bool {
	for field := range m.fields {
		if field.Tree() == d.Tree {
			return true
		}
	}
	return slices.ContainsFunc(m.closed, func(c closing) bool { return c.schema.Tree() == d.Tree })
}

// Rewrite writes the platform's names into the tree of a definition. It must be called only once.
func (m *Renaming) Rewrite(d *Definition) {
	for s := range d.schemas() {
		compiled, violations := schema.Compile(s, true)
		if len(violations) > 0 {
			panic("the embedded kinds compile: " + violations[0].Message)
		}
		w := rewriter{Renaming: m}
		w.schema(compiled, compiled, true)
		for _, edit := range w.edits {
			edit()
		}
	}
	for _, c := range m.closed {
		if c.schema.Tree() == d.Tree {
			c.apply()
		}
	}
	rewriteHead(d.Tree.Root(), m.Names(d))
}

// pluralOf forms the plural of a kind's new name. If both names have the same ending, it follows the old plural.
// Otherwise it adds an s.
func pluralOf(name, oldName, oldPlural string) string {
	name, oldName = strings.ToLower(name), strings.ToLower(oldName)
	end := 0
	for end < len(name) && end < len(oldName) && name[len(name)-1-end] == oldName[len(oldName)-1-end] {
		end++
	}
	if rest, ok := strings.CutPrefix(oldPlural, oldName[:len(oldName)-end]); ok && end > 0 {
		return name[:len(name)-end] + rest
	}
	return name + "s"
}

// rewriteHead writes the names of a kind into its definition.
func rewriteHead(root manifest.Node, d Definition) {
	for _, x := range []struct {
		path []string
		text string
	}{
		{[]string{"metadata", "name"}, d.Plural + "." + d.Group},
		{[]string{"spec", "group"}, d.Group},
		{[]string{"spec", "names", "kind"}, d.Kind},
		{[]string{"spec", "names", "listKind"}, d.ListKind},
		{[]string{"spec", "names", "plural"}, d.Plural},
		{[]string{"spec", "names", "singular"}, strings.ToLower(d.Kind)},
	} {
		if n := root.At(x.path...); n.Valid() {
			n.SetText(x.text)
		}
	}
}

// apply closes a set: a string may have only the words as values, and an object only the words as further fields.
func (c closing) apply() {
	tree := &manifest.Tree{}
	src := &source.Source{Name: "words", Text: c.text()}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	if c.schema.TextAt("type") == "string" {
		c.schema.AddDefault("enum", tree.Root())
		return
	}
	c.schema.DropField(c.schema.At(preserveUnknown))
	properties := c.schema.At("properties")
	if !properties.Valid() {
		c.schema.AddDefault("properties", tree.Root())
		return
	}
	for p := range tree.Root().Children() {
		if _, ok := properties.Field(p.Key()); !ok {
			properties.AddDefault(p.Key(), p)
		}
	}
}

// text returns what is added to the schema, as YAML.
func (c closing) text() string {
	var b strings.Builder
	for _, w := range c.words {
		if c.schema.TextAt("type") == "string" {
			fmt.Fprintf(&b, "- %q\n", w.Text)
		} else {
			fmt.Fprintf(&b, "%q: {description: A field of your platform., %s: true}\n", w.Text, preserveUnknown)
		}
	}
	return b.String()
}

// rewriter collects the edits of one schema and applies them at the end. Until then, fields are found by their old
// names.
type rewriter struct {
	*Renaming
	edits []func()
}

func (w *rewriter) set(n manifest.Node, text string) {
	w.edits = append(w.edits, func() { n.SetText(text) })
}

// newName returns the new name of a field of the objects that a schema describes, if the field has one.
func (w *rewriter) newName(holder *schema.Schema, name string) (string, bool) {
	if p, ok := holder.Property(name); ok {
		to, ok := w.fields[p.Node]
		return to, ok
	}
	return "", false
}

// schema rewrites a schema and everything below it. of is the structural schema of the same values. It is s itself,
// except for alternatives under anyOf and similar keywords.
func (w *rewriter) schema(s, of *schema.Schema, root bool) {
	w.texts(s)
	w.names(s.Node.At("required"), of)
	if of.Items != nil {
		w.names(s.Node.At("x-kubernetes-list-map-keys"), of.Items)
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		below, ok := of.Property(p.Name)
		if !ok {
			below = p.Schema
		}
		w.schema(p.Schema, below, false)
		if to, ok := w.newName(of, p.Name); ok {
			w.edits = append(w.edits, func() { p.Schema.Node.Rename(to) })
		}
	}
	if s.Items != nil && of.Items != nil {
		w.schema(s.Items, of.Items, false)
	}
	if s.Additional != nil && of.Additional != nil {
		w.schema(s.Additional, of.Additional, false)
	}
	for _, branch := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		w.schema(branch, of, root)
	}
	if s.Not != nil {
		w.schema(s.Not, of, root)
	}
	w.rules(s, of, root)
}

// names rewrites a list of field names.
func (w *rewriter) names(list manifest.Node, of *schema.Schema) {
	if !list.Valid() {
		return
	}
	for n := range list.Children() {
		if to, ok := w.newName(of, n.Text()); ok {
			w.set(n, to)
		}
	}
}

// texts rewrites the texts for people in a schema.
func (w *rewriter) texts(s *schema.Schema) {
	w.setField(s.Node, "title", replaceWords(s.Title, w.words))
	w.setField(s.Node, "description", replaceWords(s.Description, w.words))
}

func (w *rewriter) rules(s, of *schema.Schema, root bool) {
	for i := range s.Rules {
		r := &s.Rules[i]
		w.setField(r.Node, "message", replaceWords(r.Message, w.words))
		if !w.mayMention(r) {
			continue
		}
		rule, message, path, err := validations.Rename(r, of, root, w.newName)
		if err != nil {
			panic("the embedded rules compile: " + err.Error())
		}
		w.setField(r.Node, "rule", rule)
		w.setField(r.Node, "messageExpression", message)
		w.setField(r.Node, "fieldPath", path)
	}
}

func (w *rewriter) setField(n manifest.Node, name, text string) {
	if f := n.At(name); f.Valid() {
		w.set(f, text)
	}
}

// mayMention reports whether a rule may refer to a field that has a new name. If not, the rule need not be compiled.
func (w *rewriter) mayMention(r *schema.Rule) bool {
	for _, name := range w.builtIn { // the definitions of other kinds may be only partly rewritten
		for _, text := range []string{r.Rule, r.MessageExpression, r.FieldPath} {
			if strings.Contains(text, name) {
				return true
			}
		}
	}
	return false
}
