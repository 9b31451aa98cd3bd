package check

import (
	"maps"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
)

// UsedKinds is the set of kinds from CRDs that documents use. The report includes violations in their CRDs only, so
// it depends on the documents and not on unused CRDs.
type UsedKinds map[usedKind]struct{}

type usedKind struct {
	entry   *catalog.Entry
	version string // a version of the entry
}

// add adds the kind of a document.
func (u UsedKinds) add(e *catalog.Entry, version string) {
	if e.Origin != catalog.CRD {
		return
	}
	if i := slices.Index(e.Versions, version); i >= 0 {
		u[usedKind{e, e.Versions[i]}] = struct{}{}
	}
}

// With returns the union of both sets. It changes and returns u, unless u is nil.
func (u UsedKinds) With(others UsedKinds) UsedKinds {
	if u == nil {
		return others
	}
	maps.Copy(u, others)
	return u
}

// KindsFromCRDs returns all kinds of a catalog that come from CRDs, as if documents used all of them.
func KindsFromCRDs(c *catalog.Catalog) UsedKinds {
	all := UsedKinds{}
	for _, entry := range c.Entries() {
		for _, version := range entry.Versions {
			all.add(entry, version)
		}
	}
	return all
}

// Violations returns the violations in the CRDs of the kinds, in no particular order.
func (u UsedKinds) Violations() (violations []diag.Violation) {
	for k := range u {
		violations = append(violations, k.entry.Violations()...)
		if kind, ok := k.entry.Kind(k.version); ok {
			violations = append(violations, kind.Rules.Broken()...)
		}
	}
	return violations
}
