package run

import (
	"maps"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
)

// usedKinds are kinds from CRDs that documents are of. What is wrong in their CRDs, and only in those, is part of the
// report, so that it depends on the documents and on nothing else.
type usedKinds map[usedKind]struct{}

type usedKind struct {
	entry   *catalog.Entry
	version string // one of those of the entry
}

// add takes note of a document of a kind; of nil, nobody asks.
func (u usedKinds) add(e *catalog.Entry, version string) {
	if u == nil || e.Origin != catalog.CRD {
		return
	}
	if i := slices.Index(e.Versions, version); i >= 0 {
		u[usedKind{e, e.Versions[i]}] = struct{}{}
	}
}

// with returns the kinds of both.
func (u usedKinds) with(others usedKinds) usedKinds {
	if u == nil {
		return others
	}
	maps.Copy(u, others)
	return u
}
