package sets

import (
	"bytes"
	"slices"

	"github.com/kindvet/kindvet/internal/nearest"
)

// decide decides which references without a target are mistakes.
func (r *references) decide(lost []dangling, candidates Candidates) {
	if len(lost) == 0 {
		return
	}
	s := newSuggestions(lost)
	r.each(aTarget, func(x located) { r.steps -= s.add(x, r.steps) })
	for i := range lost {
		if r.steps <= 0 {
			return
		}
		if fault, ok := s.explain(r, &lost[i]); ok {
			candidates[lost[i].id()] = fault
			if fault.target != 0 {
				candidates.ask(fault.target)
			}
		}
	}
}

// suggestions are the targets that references without a target probably mean. Names are compared only if their shapes
// are similar: with 10,000 references and as many targets, comparing each pair took a third of a run.
type suggestions struct {
	salts map[uint64]bool // of the definitions of the references
	// scopes holds the first target of each scope of a reference; without a link if there is none.
	scopes map[uint64]located
	// shapes holds the last entry for each shape (see nearest.Shapes) of a name, or of the value of a label together with
	// its key, and for each value of a label.
	shapes  map[uint64]int32
	entries []entryOfShape
	buffer  []uint64
}

// misnamed is a name without a target, or a label of a selector without a target, with the references that have it.
type misnamed struct {
	key, value []byte // key is nil for a name
	references []*dangling
}

// entryOfShape is a name or label, and the index of the entry before it with the same shape; -1 if there is none.
type entryOfShape struct {
	*misnamed
	before int32
}

func newSuggestions(lost []dangling) *suggestions {
	s := &suggestions{salts: map[uint64]bool{}, scopes: map[uint64]located{}, shapes: map[uint64]int32{}}
	known := map[uint64]*misnamed{}
	for i := range lost {
		d := &lost[i]
		to, scope := d.link.rule.to, nameScope(d.link.rule.to, &d.parsed)
		s.salts[to.salt] = true
		for _, hash := range append(d.nearby(), d.scope(d.parsed.namespace, levels[d.link.rule.Target.Among])) {
			s.scopes[hash] = located{}
		}
		switch {
		case to.hasValues: // the selected objects are known
		case to.isLabeled:
			for key, value := range labelsOf(d.selector()) {
				s.expect(known, d, scope, misnamed{key: key, value: value})
			}
		default:
			s.expect(known, d, scope, misnamed{value: d.parsed.last})
		}
	}
	return s
}

// expect adds a name or label of a reference, which a target may have in a similar form.
func (s *suggestions) expect(known map[uint64]*misnamed, d *dangling, scope uint64, m misnamed) {
	id := mix(keyHash(scope, m.key), hashOf(m.value))
	if have := known[id]; have != nil {
		have.references = append(have.references, d)
		return
	}
	m.references = []*dangling{d}
	known[id] = &m
	for _, hash := range s.shapesOf(scope, m.key, m.value) {
		before, ok := s.shapes[hash]
		if !ok {
			before = -1
		}
		s.shapes[hash] = int32(len(s.entries))
		s.entries = append(s.entries, entryOfShape{&m, before})
	}
}

// shapesOf returns the hashes under which a name or label is found: those of its shapes with its key, and for a label
// also that of its value.
func (s *suggestions) shapesOf(scope uint64, key, value []byte) []uint64 {
	s.buffer = nearest.Shapes(s.buffer[:0], string(value))
	salt := keyHash(scope, key)
	for i, shape := range s.buffer {
		s.buffer[i] = mix(salt, shape)
	}
	if key != nil {
		s.buffer = append(s.buffer, mix(^scope, hashOf(value)))
	}
	return s.buffer
}

func keyHash(scope uint64, key []byte) uint64 { return mix(scope, hashOf(key)) }

// add adds a target to its scopes, and to the references that may mean it. It returns the number of comparisons, which
// is at most steps.
func (s *suggestions) add(x located, steps int) (taken int) {
	to := x.link.rule.to
	if !s.salts[to.salt] || to.hasValues {
		return 0
	}
	p := x.key()
	for _, hash := range scopesOf(&x, &p) {
		if first, ok := s.scopes[hash]; ok && first.link == nil {
			s.scopes[hash] = x
		}
	}
	if !to.isLabeled {
		return s.offer(x, &p, nil, p.last, steps)
	}
	for key, value := range labelsOf(x.selector()) {
		taken += s.offer(x, &p, key, value, steps-taken)
	}
	return taken
}

// offer adds a target to the references whose name or label is similar to one of the target.
func (s *suggestions) offer(x located, p *parsedKey, key, value []byte, steps int) (taken int) {
	for _, hash := range s.shapesOf(nameScope(x.link.rule.to, p), key, value) {
		at, ok := s.shapes[hash]
		for ; ok && at >= 0; at = s.entries[at].before {
			m := s.entries[at].misnamed
			if taken++; key != nil && !m.mayMean(key, x.selector()) {
				continue
			}
			for _, d := range m.references {
				if taken++; taken > steps {
					return steps
				}
				if d.isNear(&x, p) {
					d.addSimilar(x)
				}
			}
		}
	}
	return taken
}

// mayMean reports whether a label of a selector may mean the label with a key among others. It does not if the others
// contain it: then another label of the selector is wrong.
func (m *misnamed) mayMean(key, labels []byte) bool {
	if bytes.Equal(key, m.key) {
		return !hasLabel(labels, m.key, m.value)
	}
	_, ok := nearest.Object(string(m.key), []string{string(key)})
	return ok && !hasLabel(labels, m.key, m.value)
}

// addSimilar adds a target that the reference may mean, unless it is the one that was added last.
func (d *dangling) addSimilar(x located) {
	if n := len(d.similar); n == 0 || n < mostSelected && d.similar[n-1].link != x.link {
		d.similar = append(d.similar, x)
	}
}

// explain describes a reference without a target, and reports whether it is a finding.
func (s *suggestions) explain(r *references, d *dangling) (f fault, isFinding bool) {
	hasValues := d.link.rule.to.hasValues
	if hasValues {
		d.similar = d.selected
	}
	r.steps -= len(d.similar)
	near := d.byDistance()
	for i, list := range near {
		find := nearest.ObjectOfSet
		if i == otherDirectory {
			find = nearest.Object
		}
		if x, text, ok := d.nearest(list, find); ok {
			return fault{near: text, target: x.id()}, true
		}
	}
	level := levels[d.link.rule.Target.Among]
	among := s.scopes[d.scope(d.parsed.namespace, level)]
	if hasValues {
		among = firstIn(near[:closest[level]])
	}
	f.isUnsure = r.isOpen(d) || !d.isComplete && among.link == nil
	shown := among
	if hasValues {
		shown = firstIn(near)
	}
	for _, hash := range d.nearby() {
		if x := s.scopes[hash]; x.link != nil {
			shown = x
			break
		}
	}
	if !f.isUnsure && shown.link != nil {
		f.target = shown.id()
	}
	return f, !f.isUnsure || d.isAll && d.link.rule.isOfObject()
}

// firstIn returns the first target of the lists; without a link if there is none.
func firstIn(lists [][]located) located {
	for _, list := range lists {
		if len(list) > 0 {
			return list[0]
		}
	}
	return located{}
}

// closest is how many of the lists of byDistance are as close as a level.
var closest = map[uint64]int{levelFile: 1, levelDirectory: 2, levelRun: otherDirectory + 1}

// otherDirectory is the index of the targets in other directories in the result of byDistance.
const otherDirectory = 2

// byDistance returns the similar targets in the file of a reference, those in its directory, and the others. In each
// list, those with the same namespace come first.
func (d *dangling) byDistance() [][]located {
	sorted := make([][]located, otherDirectory+1)
	for _, isOwn := range []bool{true, false} {
		for _, x := range d.similar {
			if p := x.key(); bytes.Equal(p.namespace, d.parsed.namespace) == isOwn {
				at := d.distanceTo(&x)
				sorted[at] = append(sorted[at], x)
			}
		}
	}
	return sorted
}

// distanceTo returns the index of the list that a target belongs to.
func (d *dangling) distanceTo(x *located) int {
	switch {
	case x.file == d.file:
		return 0
	case x.directory == d.directory:
		return 1
	}
	return otherDirectory
}

// finder returns the candidate that a name means.
type finder func(name string, candidates []string) (string, bool)

// nearest returns the target that the reference probably means, and the part of it to name.
func (d *dangling) nearest(targets []located, find finder) (x located, text string, ok bool) {
	if to := d.link.rule.to; to.isLabeled && !to.hasValues {
		for _, x := range targets {
			if text, ok := similarLabels(d.selector(), x.selector(), find); ok {
				return x, text, true
			}
		}
		return x, "", false
	}
	var names []string
	for i := range targets {
		names = append(names, string(targets[i].last()))
	}
	text, ok = find(string(d.parsed.last), names)
	if ok {
		x = targets[slices.Index(names, text)]
	}
	return x, text, ok
}

// similarLabels returns the label that an object has in place of the one label of a selector that it lacks.
func similarLabels(selector, labels []byte, find finder) (string, bool) {
	similar := ""
	for key, value := range labelsOf(selector) {
		have, ok := valueOf(labels, key)
		if ok && bytes.Equal(have, value) {
			continue
		}
		near := ""
		if ok {
			near, _ = find(string(value), []string{string(have)})
		} else {
			key, near = similarKey(key, value, labels)
		}
		if near == "" || similar != "" {
			return "", false
		}
		similar = string(key) + "=" + near
	}
	return similar, similar != ""
}

// similarKey returns the label with the same value whose key is misspelled.
func similarKey(key, value, labels []byte) ([]byte, string) {
	for k, v := range labelsOf(labels) {
		if _, ok := nearest.Object(string(key), []string{string(k)}); ok && bytes.Equal(v, value) {
			return k, string(v)
		}
	}
	return nil, ""
}
