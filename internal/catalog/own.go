package catalog

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Own returns the entry with the platform's names for a built-in kind. If there are no such names, it returns the
// entry of the kind itself.
func (c *Catalog) Own(group, kind string) (*Entry, bool) {
	if e, ok := c.own[groupKind{group, kind}]; ok {
		return e, true
	}
	return c.Entry(group, kind)
}

// HasOwnNames reports whether the platform's names apply to a built-in kind.
func (c *Catalog) HasOwnNames(group, kind string) bool {
	_, ok := c.own[groupKind{group, kind}]
	return ok
}

// OwnPatterns converts patterns of kinds, as used in lint rules, to the platform's names. The forms are Kind.group,
// *.group and *, optionally with ! in front.
func (c *Catalog) OwnPatterns(patterns []string) []string {
	var own []string
	for _, pattern := range patterns {
		for _, p := range c.ownPattern(pattern) {
			if !slices.Contains(own, p) {
				own = append(own, p)
			}
		}
	}
	return own
}

func (c *Catalog) ownPattern(pattern string) []string {
	name, group, _ := strings.Cut(strings.TrimPrefix(pattern, "!"), ".")
	sign := pattern[:len(pattern)-len(strings.TrimPrefix(pattern, "!"))]
	if name != "*" {
		if e, ok := c.own[groupKind{group, name}]; ok {
			return []string{sign + e.Name + "." + e.Group}
		}
		return []string{pattern}
	}
	var own []string
	for _, e := range c.Entries() {
		if e.builtIn != nil && e.builtIn.Group == group {
			own = append(own, sign+"*."+e.Group)
		}
	}
	if len(own) == 0 {
		return []string{pattern}
	}
	return own
}

// ViewOf returns the view of the first kind among some patterns that has platform names, or nil if none has.
func (c *Catalog) ViewOf(patterns []string) *names.View {
	for _, pattern := range patterns {
		name, group, _ := strings.Cut(strings.TrimPrefix(pattern, "!"), ".")
		for _, e := range c.Entries() {
			if e.builtIn == nil || e.builtIn.Group != group || name != "*" && e.builtIn.Name != name {
				continue
			}
			if k, ok := e.nearest(""); ok {
				return k.Names
			}
		}
	}
	return nil
}

// InOwnNames converts manifests in built-in names, such as the example of a rule, to the platform's names. It
// preserves comments and layout. A text that cannot be read is returned unchanged.
func (c *Catalog) InOwnNames(text string) string {
	src := &source.Source{Text: text}
	var edits []edit
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if len(tree.Read(src, part)) > 0 {
			return text
		}
		edits = append(edits, c.ownNames(tree.Root())...)
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.span.Start - a.span.Start })
	for _, e := range edits {
		text = text[:e.span.Start] + e.text + text[e.span.End:]
	}
	return text
}

// edit replaces a span of a text.
type edit struct {
	span source.Span
	text string
}

// ownNames returns the edits that convert a document, and the items of a list, to the platform's names.
func (c *Catalog) ownNames(n manifest.Node) []edit {
	var edits []edit
	if n.Valid() && n.TextAt("apiVersion") == "v1" && n.TextAt("kind") == "List" {
		for item := range n.At("items").Children() {
			edits = append(edits, c.ownNames(item)...)
		}
		return edits
	}
	if !n.Valid() || n.Type() != manifest.Map {
		return nil
	}
	group, version := SplitAPIVersion(n.TextAt("apiVersion"))
	e, ok := c.own[groupKind{group, n.TextAt("kind")}]
	if !ok {
		return nil
	}
	edits = append(edits, edit{n.At("apiVersion").Span(), e.Group + "/" + version}, edit{n.At("kind").Span(), e.Name})
	if k, ok := e.nearest(version); ok {
		for key, name := range k.Names.OwnKeys(n) {
			edits = append(edits, edit{key, name})
		}
	}
	return edits
}

// OwnExpression converts a CEL expression over object and oldObject of a built-in kind, as used in admission policies,
// to the platform's names.
func (c *Catalog) OwnExpression(expression, group, kind string) (string, error) {
	e, ok := c.own[groupKind{group, kind}]
	if !ok {
		return expression, nil
	}
	own, ok := e.nearest("")
	builtIn, isBuiltIn := e.builtIn.nearest("")
	if !ok || !isBuiltIn {
		return expression, nil
	}
	fields := own.Names.OwnFields(builtIn.Schema)
	if !fields.AreMentioned(expression) {
		return expression, nil
	}
	variables := map[string]*schema.Schema{"object": builtIn.Schema, "oldObject": builtIn.Schema}
	return cel.RenameUntypedFields(expression, variables, fields.Name)
}
