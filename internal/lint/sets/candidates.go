package sets

import (
	"maps"
	"slices"
)

// fault is what is known about a reference without a target. It is the zero value for all other candidates.
type fault struct {
	// near is the last part of the key of the target that the reference probably means, or its labels; "" if there
	// is none. target is the id of that target, or of another one that shows what is wrong; 0 if there is none.
	near   string
	target uint64
	// isUnsure means that the target may be outside of the files.
	isUnsure bool
}

// Candidates are what rules about sets of documents need details of: keys that several documents share, references
// without a target, and targets with similar names. A nil Candidates is empty.
type Candidates map[uint64]fault

// Of returns the candidates in the records of a text. The details of the text depend on nothing else: as long as these
// are [Candidates.Equal], details that were collected from the same text are still valid.
func (s Candidates) Of(records *Records) Candidates {
	var own Candidates
	add := func(id uint64) {
		if known, ok := s[id]; ok {
			if own == nil {
				own = Candidates{}
			}
			own[id] = known
		}
	}
	for _, hash := range records.members {
		add(hash)
	}
	l := &records.links
	for i := range l.list {
		if x := &l.list[i]; x.role != aProvider {
			add(l.id(x))
		}
	}
	return own
}

// Equal reports whether both have the same keys, and the same is known about them.
func (s Candidates) Equal(other Candidates) bool { return maps.Equal(s, other) }

// Spots returns the documents whose records contain a candidate.
func (s Candidates) Spots(records *Records) (spots []Spot) {
	hashes, links := 0, 0
	for _, d := range records.documents {
		if s.anyOf(records.members[hashes:d.hashes]) || records.links.anyOf(records.links.list[links:d.links], s) {
			spots = append(spots, d.Spot)
		}
		hashes, links = d.hashes, d.links
	}
	return spots
}

func (s Candidates) has(id uint64) bool {
	_, ok := s[id]
	return ok
}

func (s Candidates) anyOf(members []uint64) bool {
	return slices.ContainsFunc(members, func(hash uint64) bool { return s.has(hash) })
}

// anyOf reports whether one of the links in the list is a candidate.
func (l *links) anyOf(list []link, candidates Candidates) bool {
	return slices.ContainsFunc(list, func(x link) bool { return x.role != aProvider && candidates.has(l.id(&x)) })
}

// ask adds a key of which only details are needed. What is known about it stays.
func (s Candidates) ask(id uint64) {
	if _, ok := s[id]; !ok {
		s[id] = fault{}
	}
}

// addShared adds the hashes that occur more than once. It sorts the hashes.
func (s Candidates) addShared(members []uint64) {
	slices.Sort(members)
	for i := 1; i < len(members); i++ {
		if members[i] == members[i-1] {
			s[members[i]] = fault{}
		}
	}
}
