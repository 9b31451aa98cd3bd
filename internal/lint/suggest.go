package lint

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/kindvet/kindvet/internal/nearest"
)

// The levels at which targets count as close to a reference. A target is near if its file is in the same directory,
// in one directly above or below it, or in another one next to it.
const (
	levelRun uint64 = iota + 1
	levelNear
	levelDirectory
	levelFile
)

// levels are the levels that rules name.
var levels = map[string]uint64{"run": levelRun, "directory": levelDirectory, "file": levelFile}

// decide says which references without a target are mistakes.
func (r *references) decide(lost []dangling, candidates Candidates) {
	scopes := map[uint64][]located{}
	salts := map[uint64]bool{}
	for i := range lost {
		d := &lost[i]
		salts[d.link.rule.to.salt] = true
		for _, hash := range append(d.nearby(), d.scope(d.parsed.namespace, levels[d.link.rule.Target.Among])) {
			scopes[hash] = nil
		}
	}
	if len(lost) == 0 {
		return
	}
	r.each(aTarget, func(x located) {
		if !salts[x.link.rule.to.salt] {
			return
		}
		for _, hash := range scopesOf(&x) {
			if list, ok := scopes[hash]; ok {
				scopes[hash] = append(list, x)
			}
		}
	})
	for i := range lost {
		if fault, ok := r.explain(&lost[i], scopes); ok {
			candidates[lost[i].id()] = fault
			if fault.target != 0 {
				candidates.ask(fault.target)
			}
		}
	}
}

// scope returns the hash of the targets that have the same key except for the last part, at a level.
func (d *dangling) scope(namespace []byte, level uint64) uint64 {
	place := d.directory
	switch level {
	case levelRun:
		place = ""
	case levelFile:
		place = d.file
	}
	return scopeHash(d.link.rule.to, &d.parsed, hashOf(namespace), level, place)
}

func scopeHash(to *definition, p *parsedKey, namespace, level uint64, place string) uint64 {
	return mix(mix(mix(mix(to.salt, p.scope), namespace), level), maphash.String(hashSeed, place))
}

// nearby returns the hashes of the targets that are near a reference and may have the same namespace.
func (d *dangling) nearby() (hashes []uint64) {
	namespaces := []uint64{hashOf(d.parsed.namespace), hashOf(nil)}
	if len(d.parsed.namespace) == 0 {
		namespaces = []uint64{anyNamespace}
	}
	for _, namespace := range namespaces {
		for _, place := range []string{d.directory, d.parent} {
			hashes = append(hashes, scopeHash(d.link.rule.to, &d.parsed, namespace, levelNear, place))
		}
	}
	return hashes
}

// scopesOf returns the hashes under which a target is found.
func scopesOf(x *located) []uint64 {
	p, to := x.key(), x.link.rule.to
	own := hashOf(p.namespace)
	hashes := []uint64{
		scopeHash(to, &p, own, levelRun, ""), scopeHash(to, &p, own, levelDirectory, x.directory), scopeHash(to, &p, own, levelFile, x.file),
	}
	for _, namespace := range []uint64{own, anyNamespace} {
		for _, place := range []string{x.directory, x.parent} {
			hashes = append(hashes, scopeHash(to, &p, namespace, levelNear, place))
		}
	}
	return hashes
}

// explain describes a reference without a target, and reports whether it is a finding.
func (r *references) explain(d *dangling, scopes map[uint64][]located) (f fault, isFinding bool) {
	near := [][]located{d.selected}
	if !d.link.rule.to.hasValues {
		near = near[:0]
		for _, hash := range d.nearby() {
			near = append(near, scopes[hash])
		}
	}
	for _, list := range near {
		r.steps -= len(list)
	}
	if r.steps <= 0 {
		return f, false
	}
	near = d.byDistance(near)
	for i, list := range near {
		find := nearest.ObjectOfSet
		if i == otherDirectory {
			find = nearest.Object
		}
		if x, text, ok := d.similar(list, find); ok {
			return fault{near: text, target: x.id()}, true
		}
	}
	level := levels[d.link.rule.Target.Among]
	among := scopes[d.scope(d.parsed.namespace, level)]
	if d.link.rule.to.hasValues {
		among = slices.Concat(near[:closest[level]]...)
	}
	f.isUnsure = r.isOpen(d) || !d.isComplete && len(among) == 0
	for _, list := range append(near, among) {
		if len(list) > 0 && !f.isUnsure && f.target == 0 {
			f.target = list[0].id()
		}
	}
	return f, !f.isUnsure || d.isAll && d.link.rule.isOfObject()
}

// closest says how many of the lists of byDistance are as close as a level.
var closest = map[uint64]int{levelFile: 1, levelDirectory: 2, levelRun: otherDirectory + 1}

// otherDirectory is the index of the targets in other directories in the result of byDistance.
const otherDirectory = 2

// byDistance returns the targets in the file of a reference, those in its directory, and the others.
func (d *dangling) byDistance(lists [][]located) [][]located {
	sorted := make([][]located, otherDirectory+1)
	for i, list := range lists {
		for _, x := range list {
			distance := otherDirectory
			switch {
			case x.file == d.file:
				distance = 0
			case x.directory == d.directory:
				distance = 1
			}
			if i%2 == 0 || distance == otherDirectory || d.link.rule.to.hasValues { // otherwise it is in the list of the directory, too
				sorted[distance] = append(sorted[distance], x)
			}
		}
	}
	return sorted
}

// finder returns the candidate that a name means.
type finder func(name string, candidates []string) (string, bool)

// similar returns the target that the reference probably means, and the part of it to name.
func (d *dangling) similar(targets []located, find finder) (x located, text string, ok bool) {
	if to := d.link.rule.to; to.isLabeled && !to.hasValues {
		for _, x := range targets {
			if text, ok := similarLabels(d.selector(), x.selector(), find); ok {
				return x, text, true
			}
		}
		return x, "", false
	}
	var names []string
	var named []located
	name := string(d.parsed.last)
	isPossible := nearest.Possible(name)
	for i := range targets {
		if last := targets[i].last(); isPossible(last) {
			names, named = append(names, string(last)), append(named, targets[i])
		}
	}
	text, ok = find(name, names)
	if ok {
		x = named[slices.Index(names, text)]
	}
	return x, text, ok
}

// similarLabels returns the label that an object has in place of the one label of a selector that it lacks.
func similarLabels(selector, labels []byte, find finder) (string, bool) {
	similar := ""
	for len(selector) > 0 {
		var key, value []byte
		key, value, selector = nextLabel(selector)
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
	for len(labels) > 0 {
		var k, v []byte
		k, v, labels = nextLabel(labels)
		if _, ok := nearest.Object(string(key), []string{string(k)}); ok && bytes.Equal(v, value) {
			return k, string(v)
		}
	}
	return nil, ""
}
