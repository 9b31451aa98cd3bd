package check

import (
	"maps"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
)

// UsedKinds are kinds from CRDs that documents are of. What is wrong in their CRDs, and only in those, is part of the
// report, so that it depends on the documents and on nothing else.
type UsedKinds map[usedKind]struct{}

type usedKind struct {
	entry   *catalog.Entry
	version string // one of those of the entry
}

// add notes a document of a kind.
func (u UsedKinds) add(e *catalog.Entry, version string) {
	if e.Origin != catalog.CRD {
		return
	}
	if i := slices.Index(e.Versions, version); i >= 0 {
		u[usedKind{e, e.Versions[i]}] = struct{}{}
	}
}

// With returns the kinds of both, in u if that is not nil.
func (u UsedKinds) With(others UsedKinds) UsedKinds {
	if u == nil {
		return others
	}
	maps.Copy(u, others)
	return u
}

// KindsFromCRDs returns all kinds of a catalog that come from CRDs, as if there were documents of each.
func KindsFromCRDs(c *catalog.Catalog) UsedKinds {
	all := UsedKinds{}
	for _, entry := range c.Entries() {
		for _, version := range entry.Versions {
			all.add(entry, version)
		}
	}
	return all
}

// Violations returns what is wrong in the CRDs of the kinds, in no order.
func (u UsedKinds) Violations() (violations []diag.Violation) {
	for k := range u {
		violations = append(violations, k.entry.Violations()...)
		if kind, ok := k.entry.Kind(k.version); ok {
			violations = append(violations, kind.Rules.Broken()...)
		}
	}
	return violations
}
