package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
)

// recentKinds holds kinds of the catalog that the last documents had, because most documents have the kind of one that
// came shortly before. Kinds of discovered CRDs are not among them: which CRD applies depends on the file.
type recentKinds struct {
	engine *Engine // whose catalog it is
	kinds  [16]recentKind
	next   int // the one to replace
}

// recentKind is a kind under the apiVersion and kind of documents.
type recentKind struct {
	apiVersion, name string
	entry            *catalog.Entry
	kind             *catalog.Kind
	isList           bool
	isUsed           bool // a document of the kind was checked
}

// find returns the kind of a document, or nil if the catalog of the engine does not have it.
func (r *recentKinds) find(e *Engine, d *document) *recentKind {
	if r.engine != e {
		*r = recentKinds{engine: e}
	}
	for i := range r.kinds {
		if k := &r.kinds[i]; k.name == d.Kind && k.apiVersion == d.APIVersion && k.kind != nil {
			return k
		}
	}
	group, version := catalog.SplitAPIVersion(d.APIVersion)
	kind, isList, ok := e.options.Catalog.Lookup(group, version, d.Kind)
	if !ok || e.discovered.HasKind(group, d.Kind) {
		return nil
	}
	entry, _ := e.options.Catalog.Entry(group, d.Kind)
	k := &r.kinds[r.next]
	r.next = (r.next + 1) % len(r.kinds)
	*k = recentKind{ // the text of a document is overwritten
		apiVersion: strings.Clone(d.APIVersion), name: strings.Clone(d.Kind), entry: entry, kind: kind, isList: isList,
	}
	return k
}

// use records that a document of the kind was checked.
func (k *recentKind) use(used UsedKinds) {
	if !k.isUsed {
		used.add(k.entry, k.kind.Version)
		k.isUsed = true
	}
}
