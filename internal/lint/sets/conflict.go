package sets

import (
	"bytes"
	"hash/maphash"
)

// conflictHash returns the hash of the targets that conflict with references of the same key in a directory.
func conflictHash(to *definition, p *parsedKey, directory string) uint64 {
	return mix(mix(mix(to.salt, p.bare), hashOf(p.namespace)), maphash.String(hashSeed, directory))
}

// addConflict adds a reference that must not have a target, and that target. Manifests without a namespace may be for
// different ones, so both must be in the same directory.
func (r *references) addConflict(d *dangling, candidates Candidates) {
	if x, ok := r.conflictOf(d); ok {
		candidates[d.id()] = fault{target: x.id()}
		candidates.ask(x.id())
	}
}

func (r *references) conflictOf(d *dangling) (x located, ok bool) {
	to := d.link.rule.to
	if !to.isLabeled {
		x, ok = r.conflicts[conflictHash(to, &d.parsed, d.directory)]
		return x, ok
	}
	for _, x := range r.rarest(to, d.selector()) {
		if r.steps--; r.steps <= 0 {
			break
		}
		p := x.key()
		if x.directory == d.directory && p.bare == d.parsed.bare && bytes.Equal(p.namespace, d.parsed.namespace) &&
			selects(d.selector(), x.selector()) {
			return x, true
		}
	}
	return x, false
}
