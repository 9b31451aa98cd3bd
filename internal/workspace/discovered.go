package workspace

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/report"
	"github.com/kindvet/kindvet/internal/source"
)

// discovered is what a run learns from its files before it checks them.
type discovered struct {
	crds       *catalog.Discovered
	namespaces lint.Namespaces
	notes      []diag.Violation // about CRDs that are not used
}

// result returns the kinds of the CRDs, with a warning if the limit was exceeded, and the Namespaces that enforce a
// level of the Pod Security Standards.
func (d *discovery) result() discovered {
	if d.options.NoDiscovery {
		return discovered{}
	}
	var namespaces [][]lint.Namespace
	for _, i := range slices.Sorted(maps.Keys(d.namespaces)) {
		namespaces = append(namespaces, d.namespaces[i])
	}
	var notes []diag.Violation
	if d.end < len(d.units) {
		notes = append(notes, notUsed(d.units[d.end].in().Name))
	}
	for _, u := range d.units {
		if f, ok := u.(*fileUnit); ok && f.Config.UsesDiscovery() && !d.options.isReadTwice(f.File, d.tree) {
			notes = append(notes, notSearched(f.Name))
		}
	}
	return discovered{d.kinds(), lint.NewNamespaces(namespaces...), notes}
}

// kinds returns the kinds of the CRDs.
func (d *discovery) kinds() *catalog.Discovered {
	var sources []catalog.Source
	for _, i := range d.inOrder() {
		sources = append(sources, d.found[i].kinds)
	}
	return catalog.NewDiscovered(append(sources, d.built...)...)
}

// inOrder returns the numbers of the units whose CRDs count.
func (d *discovery) inOrder() []int {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(d.found)),
		func(i int) bool { return d.replaced[d.units[i].in().Abs] })
}

// addBuilt adds the CRDs that kustomizations build, in place of those in the files that they are built from: patches may
// change them.
func (d *discovery) addBuilt(b *builds) {
	size := 0
	for _, one := range b.inOrder() {
		if one.output == nil || !one.Config.UsesDiscovery() || !one.output.Has(catalog.Declares) {
			continue
		}
		src, _ := one.output.Source(func(string) bool { return false })
		kinds, bytes := catalog.DiscoverCRDs(src)
		if size += bytes; int64(size) > disk.Schemas.Limit() {
			return
		}
		d.built = append(d.built, kinds)
		if d.kept != nil {
			d.builtHashes = append(d.builtHashes, d.kept.facts.of(src.Name, src.Text))
		}
		counts, _ := one.output.From()
		for _, name := range one.kustomization.Resources() {
			path := filepath.Join(one.Top(), filepath.FromSlash(name))
			if b.covered[path] && counts[name] > 0 {
				d.replaced[path] = true
			}
		}
	}
}

// notSearched reports that a stream is not searched for CRDs.
func notSearched(file string) diag.Violation {
	src := source.Source{Name: file}
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Info,
		Message: fmt.Sprintf("not searched for CRDs: the stream is a FIFO, or has more than %d MiB", maxSearched>>20),
		Help:    "write it to a file, or pass its CRDs with --schemas", Place: src.Place(source.Span{}),
	}
}

// relevant drops the notes about streams that were not searched if each document has a schema: no CRD is missing then.
func relevant(notes []diag.Violation, results [][]*check.Result) []diag.Violation {
	for _, parts := range results {
		if slices.ContainsFunc(parts, func(o *check.Result) bool { return o.Summary.Skipped > 0 }) {
			return notes
		}
	}
	return slices.DeleteFunc(notes, func(v diag.Violation) bool { return v.Severity == diag.Info })
}

// notUsed returns the finding that the CRDs of a file and all later files are not used.
func notUsed(file string) diag.Violation {
	src := source.Source{Name: file}
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Warning,
		Message: fmt.Sprintf("the CRDs of this file and later files are not used: together they have more than %d MiB",
			disk.Schemas.Limit()>>20),
		Help: "name the CRDs to use with --schemas", Place: src.Place(source.Span{}),
	}
}

// stale returns the copies of CRDs that differ from the CRDs among the files, over all engines.
func stale(engines map[*find.Config]*check.Engine) (found []diag.Violation) {
	for _, e := range engines { // order does not matter, the findings are sorted
		for _, v := range e.Discovered().Stale() {
			isSame := func(other diag.Violation) bool { return other.Place == v.Place }
			if !slices.ContainsFunc(found, isSame) {
				found = append(found, v)
			}
		}
	}
	return found
}

// policyMistakes returns what is wrong with the admission policies, over all engines. Of a change, only the check of the policies
// themselves says something.
func (p *plan) policyMistakes(engines map[*find.Config]*check.Engine) (found []diag.Violation) {
	if p.options.Files.Staged || p.options.Files.Since != "" {
		return nil
	}
	checked := map[string]bool{} // the check of these files says what is wrong
	for _, u := range p.units {
		checked[u.in().Name] = true
	}
	type mistake struct {
		at      source.Place
		message string
	}
	seen := map[mistake]bool{}
	for _, e := range engines { // order does not matter, the findings are sorted
		mistakes := e.PolicyMistakes()
		for _, i := range e.UnusablePolicies() {
			if !checked[i.Node.Tree().Source.Name] {
				mistakes = append(mistakes, unusable(i))
			}
		}
		for _, v := range mistakes {
			v.Place = v.Place.Moved()
			if key := (mistake{v.Place, v.Message}); !seen[key] {
				seen[key] = true
				v.Place.Detach()
				found = append(found, v)
			}
		}
	}
	return found
}

// discoveredKinds returns the kinds of discovered CRDs and the built-in kinds that they replace, over all engines.
func discoveredKinds(engines map[*find.Config]*check.Engine) (found report.Kinds) {
	for _, e := range engines { // order does not matter, the results are sorted
		found.Discovered = append(found.Discovered, e.Discovered().Kinds()...)
		found.Replaced = append(found.Replaced, e.Discovered().Replaced()...)
	}
	slices.SortFunc(found.Discovered, func(a, b diag.Discovered) int {
		return cmp.Or(
			strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind))
	})
	found.Discovered = slices.Compact(found.Discovered)
	return found
}
