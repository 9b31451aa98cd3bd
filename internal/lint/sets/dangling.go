package sets

import (
	"bytes"
)

// references finds the references of a run that have no target.
//
// A manifest without a namespace may be applied in any. So an object without a namespace is the target of references
// from every namespace, and a reference without a namespace may lead to every namespace.
type references struct {
	files []*filed
	// defined holds the salts of the definitions that have targets. A reference to any other cannot be a mistake, unless
	// all targets must be among the files.
	defined map[uint64]struct{}
	// exact holds the hashes of targets: definition, bare key, and namespace or anyNamespace.
	exact map[uint64]struct{}
	// provided holds the hashes of kinds and names that objects provide.
	provided map[uint64]struct{}
	// open holds the directories near which there are providers of AnyKind.
	open map[string]struct{}
	// labeled holds the targets that have a label, by the hash of definition, key and value.
	labeled map[uint64][]located
	// conflicts holds the targets that references must not have, by the hash of definition, key and directory.
	conflicts map[uint64]located
	// selected holds the selectors that were already evaluated, by hash.
	selected map[uint64]selection
	// steps is how many comparisons are left. When it is 0, the remaining references are skipped.
	steps int
}

// anyNamespace takes the place of the hash of a namespace in a hash that is the same for all namespaces.
const anyNamespace = 1

// mostSteps is the maximum number of comparisons of a run for references without a target. They take about a second.
// Raise it if a repository that people check reaches half of it.
const mostSteps = 5_000_000

// each calls visit for all links with a role.
func (r *references) each(role role, visit func(located)) {
	for _, file := range r.files {
		for i := range file.list {
			if x := &file.list[i]; x.role == role {
				visit(located{file, x})
			}
		}
	}
}

func (r *references) addTarget(x located) {
	to := x.link.rule.to
	r.defined[to.salt] = struct{}{}
	if to.isLabeled {
		for labels := x.selector(); len(labels) > 0; {
			var key, value []byte
			key, value, labels = nextLabel(labels)
			hash := labelHash(to, key, value)
			r.labeled[hash] = append(r.labeled[hash], x)
		}
		return
	}
	p := x.key()
	if to.isConflict {
		r.conflicts[conflictHash(to, &p, x.directory)] = x
		return
	}
	object := mix(to.salt, p.bare)
	r.exact[mix(object, hashOf(p.namespace))] = struct{}{}
	r.exact[mix(object, anyNamespace)] = struct{}{}
}

func (r *references) addProvider(x located) {
	key := x.bytes(x.link.key)
	r.provided[hashOf(key)] = struct{}{}
	if string(partOf(key, 0)) == AnyKind {
		r.open[x.directory], r.open[x.parent] = struct{}{}, struct{}{}
	}
}

// isOpen reports whether the target of a reference may be one of unknown objects that a provider near it creates.
func (r *references) isOpen(d *dangling) bool {
	return d.link.rule.isOfObject() && (has(r.open, d.directory) || has(r.open, d.parent))
}

func labelHash(to *definition, key, value []byte) uint64 {
	return mix(mix(to.salt, hashOf(key)), hashOf(value))
}

// dangling is a reference without a target. selected holds some of the objects that its selector selects, and similar
// the targets near it that have a similar name or label.
type dangling struct {
	located
	parsed            parsedKey
	selected, similar []located
}

// isLost reports whether a reference has no target.
func (r *references) isLost(d *dangling) bool {
	e := d.link.rule
	if e.to.isLabeled {
		return r.selectsNothing(d)
	}
	object := mix(e.to.salt, d.parsed.bare)
	other := hashOf(nil)
	if len(d.parsed.namespace) == 0 {
		other = anyNamespace
	}
	return !has(r.exact, mix(object, hashOf(d.parsed.namespace))) && !has(r.exact, mix(object, other)) && !r.isProvided(d)
}

func has[K comparable](set map[K]struct{}, key K) bool {
	_, ok := set[key]
	return ok
}

// isProvided reports whether an object provides the name of a reference.
func (r *references) isProvided(d *dangling) bool {
	p := &d.link.rule.provided
	if len(r.provided) == 0 || p.name < 0 {
		return false
	}
	name := partOf(d.bytes(d.link.key), p.name)
	for _, kind := range p.kinds {
		if has(r.provided, hashOf(providedKey(nil, kind, name))) {
			return true
		}
	}
	return false
}

// selection is the result of a selector: whether the reference has no target, and some of the objects that are
// selected.
type selection struct {
	isLost   bool
	selected []located
}

// mostSelected limits how many selected objects are kept for a suggestion. A selector may select all objects of a
// repository, and a suggestion needs a few.
const mostSelected = 100

// selectsNothing reports whether the selector of a reference selects no target. If the reference is about a value of
// the selected objects, such as a port, there must be an object that lacks it.
func (r *references) selectsNothing(d *dangling) bool {
	to := d.link.rule.to
	hash := mix(mix(to.salt, hashOf(d.bytes(d.link.key))), hashOf(d.selector()))
	known, ok := r.selected[hash]
	if !ok {
		known = r.find(d)
		r.selected[hash] = known
	}
	d.selected = known.selected
	return known.isLost
}

func (r *references) find(d *dangling) (s selection) {
	to, selector := d.link.rule.to, d.selector()
	objects := r.rarest(to, selector)
	for _, x := range objects {
		if r.steps--; r.steps <= 0 {
			return selection{}
		}
		p := x.key()
		if !agree(p.namespace, d.parsed.namespace) || !selects(selector, x.selector()) {
			continue
		}
		if p.bare == d.parsed.bare {
			return selection{}
		}
		if len(s.selected) < mostSelected {
			s.selected = append(s.selected, x)
		}
	}
	s.isLost = !to.hasValues || len(s.selected) > 0
	return s
}

// rarest returns the targets that have the rarest label of a selector.
func (r *references) rarest(to *definition, selector []byte) (objects []located) {
	isFirst := true
	for len(selector) > 0 {
		var key, value []byte
		key, value, selector = nextLabel(selector)
		if with := r.labeled[labelHash(to, key, value)]; isFirst || len(with) < len(objects) {
			objects, isFirst = with, false
		}
	}
	return objects
}

// agree reports whether objects with these namespaces may be in the same one.
func agree(a, b []byte) bool { return len(a) == 0 || len(b) == 0 || bytes.Equal(a, b) }
