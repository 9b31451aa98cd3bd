package sets

// FindCandidates finds the candidates in the records of a whole run, in the order of the files. It does not change the
// records.
//
// It starts anew for each set of records, because whether a reference is a mistake depends on all targets. Measured with
// 10,000 files of three objects: 0.1 s on one processor.
//
// TODO(editors): keep the indexes of targets between calls if 0.1 s after each change is too long.
func FindCandidates(records []*Records) Candidates {
	members := 0
	for _, r := range records {
		members += len(r.members)
	}
	all := make([]uint64, 0, members)
	for _, r := range records {
		all = append(all, r.members...)
	}
	candidates := Candidates{}
	candidates.addShared(all)
	candidates.addDangling(records)
	return candidates
}

// addDangling adds the references without a target, and the targets that they probably mean.
func (s Candidates) addDangling(records []*Records) {
	r := references{
		defined: map[uint64]struct{}{}, exact: map[uint64]struct{}{}, provided: map[uint64]struct{}{},
		open:    map[string]struct{}{},
		labeled: map[uint64][]located{}, conflicts: map[uint64]located{}, selected: map[uint64]selection{}, steps: mostSteps,
	}
	hasReference := false
	for _, of := range records {
		if l := &of.links; len(l.list) > 0 {
			r.files = append(r.files, newFiled(l))
		}
		for i := range of.links.list {
			hasReference = hasReference || of.links.list[i].role == aReference
		}
	}
	if !hasReference {
		return
	}
	r.each(aTarget, r.addTarget)
	r.each(aProvider, r.addProvider)
	var lost []dangling
	seen := map[uint64]bool{}
	r.each(aReference, func(x located) {
		if !has(r.defined, x.link.rule.to.salt) && !x.isComplete && !x.isAll {
			return
		}
		d := dangling{located: x, parsed: x.key()}
		if x.link.rule.to.isConflict {
			r.addConflict(&d, s)
			return
		}
		if id := x.id(); !seen[id] && r.isLost(&d) {
			seen[id] = true
			lost = append(lost, d)
		}
	})
	r.decide(lost, s)
}
