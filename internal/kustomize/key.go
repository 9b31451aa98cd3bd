package kustomize

import (
	"regexp"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// notStrings is a part of the error of the library about a map with a key that is not a string.
const notStrings = "map[interface {}]interface {}"

// notString matches the plain keys that the library does not read as strings: numbers, booleans, nulls and dates.
var notString = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([-+]?(\.?[0-9][0-9._eExXoOa-fA-F+-]*|\.(inf|Inf|INF))|\.(nan|NaN|NAN)|` +
		`true|True|TRUE|false|False|FALSE|~|null|Null|NULL|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*)$`)
})

// keyFault returns the violation at the key that is not a string, given that at the item that a layer cannot be built
// with. If there is no such key, it is the latter.
func (r *Repository) keyFault(l *layer, item faulty, v diag.Violation) diag.Violation {
	for _, doc := range r.documentsOf(l, item) {
		for _, root := range doc.objects() {
			key := keyThatIsNoString(root)
			if !key.Valid() {
				continue
			}
			at := doc.origin(key.KeySpan())
			raw := doc.src.Text[key.KeySpan().Start:key.KeySpan().End]
			found := invalid("kustomize rejects the key "+raw+": it is not a string", at.Source.Place(at.Span))
			found.Help = "quote it: " + diag.Quote(raw)
			found.Place.Detach()
			if found.Place.File != v.Place.File {
				found.Related = []diag.Related{{Place: v.Place, Message: "included here"}}
			}
			return found
		}
	}
	return v
}

// documentsOf returns the documents that an item of a layer names or contains.
func (r *Repository) documentsOf(l *layer, item faulty) (docs []*document) {
	for _, of := range l.resources {
		if doc, ok := r.sources.read(of.path); ok && of.node == item.node {
			docs = append(docs, doc)
		}
	}
	for _, p := range l.patches {
		if p.node == item.node {
			docs = append(docs, p.doc)
		}
	}
	return docs
}

// keyThatIsNoString returns the first field below a node whose key is not a string for the library; not valid if there
// is none.
func keyThatIsNoString(n manifest.Node) (none manifest.Node) {
	isMap := n.Type() == manifest.Map
	for child := range n.Children() {
		if isMap {
			sp := child.KeySpan()
			if notString().MatchString(n.Tree().Source.Text[sp.Start:sp.End]) {
				return child
			}
		}
		if found := keyThatIsNoString(child); found.Valid() {
			return found
		}
	}
	return none
}
