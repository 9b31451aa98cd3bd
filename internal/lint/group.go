package lint

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Rules about sets of documents see each document up to twice. In the first pass, each document leaves only
// records: a few bytes per rule, from which FindCandidates finds the keys at fault. Only then, and only for the
// files that contain these keys, Check is asked for details.

// Records are what rules about sets of documents remember about the documents of a file. The zero value has no
// records.
type Records struct {
	// Hashes of rule and key, one for each document in a group that shares a key.
	members []uint64
	links   links
	// documents says where the documents with records are.
	documents []recorded
}

// recorded is a document with records. hashes and links are the numbers of records of each type up to its last one.
type recorded struct {
	Spot
	hashes, links int
}

// Spot is where a document is in a file. Start and End are offsets in bytes.
type Spot struct {
	Start, End int
	// Item is the index of the document in a list of resources, or -1 if the document is not an item of one.
	Item int
}

// note notes where a document is if it has left records.
func (r *Records) note(at Spot) {
	now, before := recorded{at, len(r.members), len(r.links.list)}, recorded{}
	if last := len(r.documents) - 1; last >= 0 {
		before = r.documents[last]
	}
	if now.hashes > before.hashes || now.links > before.links {
		r.documents = append(r.documents, now)
	}
}

// None reports whether there are no records.
func (r *Records) None() bool { return len(r.members) == 0 && len(r.links.list) == 0 }

// Detail describes one of the documents to a rule about a set of documents.
type Detail struct {
	// Object is the document.
	Object diag.Object

	entry *entry
	key   string // its parts, with a NUL after each
	place source.Place
	path  diag.Path
	kept  map[string]any

	// target identifies the target that is described; 0 for all other details. fault is what is known about a
	// reference without a target, and fixes are the edits that make it one to the nearest target.
	target uint64
	fault  fault
	fixes  []diag.Fix
}

// Candidates are what rules about sets of documents need details of: keys that several documents share, references
// without a target, and targets with similar names. A nil Candidates is empty.
type Candidates map[uint64]fault

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

// FindCandidates finds the candidates in the records of a whole run.
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

// prepareKeys parses the keys of a rule about a set.
func (e *entry) prepareKeys() {
	if len(e.Key) == 0 {
		return
	}
	e.salt = maphash.String(hashSeed, string(e.ID))
	if !e.isReference() {
		e.key = newKey(e.Key, e.Key)
		return
	}
	e.key = newKey(e.Key, e.Target.Key)
	e.prepareReference()
}

// recordMember keeps the key of a value, or its details if they were requested. A document that lacks a part of the
// key belongs to no group.
func (c *checker) recordMember(e *entry, n manifest.Node) {
	c.keys(&e.key, n, func(key []byte, _ manifest.Node) { c.recordKey(e, n, key) })
}

func (c *checker) recordKey(e *entry, n manifest.Node, key []byte) {
	hash := maphash.Bytes(hashSeed, key) ^ e.salt
	if c.document.Candidates == nil {
		c.result.Records.members = append(c.result.Records.members, hash)
		return
	}
	if _, ok := c.document.Candidates[hash]; ok && !e.rule().excludes(n.Tree().Source.Name) {
		c.result.Details = append(c.result.Details, Detail{
			entry: e, key: string(key), place: c.recordPlace(n), path: c.document.pathOf(n), Object: c.document.Object,
			kept: c.keep(e.Keep),
		})
	}
}

// keep returns the object, reduced to the given paths of fields.
func (c *checker) keep(paths []string) map[string]any {
	if len(paths) == 0 {
		return nil
	}
	kept := map[string]any{}
	for _, p := range paths {
		steps := mustPath(p)
		n, ok := first(c.document.Root, steps)
		if !ok {
			continue
		}
		at := kept
		for _, s := range steps[:len(steps)-1] {
			below, ok := at[s.name].(map[string]any)
			if !ok {
				below = map[string]any{}
				at[s.name] = below
			}
			at = below
		}
		at[steps[len(steps)-1].name] = adapter.Native(n)
	}
	return kept
}

// groupBudget is the budget of the rules about sets for a whole run, as a multiple of the budget of one document.
// The rules are evaluated in a fixed order, so what is evaluated before the budget is used up does not depend on
// the workers.
const groupBudget = 10

// Gather returns the violations found in the details of a whole run.
func Gather(details []Detail) Result {
	details, targets := takeTargets(details)
	slices.SortStableFunc(details, func(a, b Detail) int {
		switch {
		case a.entry != b.entry:
			return strings.Compare(string(a.entry.ID), string(b.entry.ID))
		case a.key != b.key:
			return strings.Compare(a.key, b.key)
		case a.place.Before(b.place):
			return -1
		case b.place.Before(a.place):
			return 1
		}
		return 0
	})
	var result Result
	vars := variables{budget: &budget{}}
	vars.budget.reset(groupBudget, (&cel.Allowance{}).Share(0))
	for i := 0; i < len(details); {
		end := i + 1
		for end < len(details) && details[end].entry == details[i].entry && details[end].key == details[i].key {
			end++
		}
		if details[i].entry.isReference() {
			leadNowhere(details[i:end], targets, &vars, &result)
		} else if end-i > 1 {
			inGroup(details[i:end], &vars, &result)
		}
		i = end
	}
	return result
}

// inGroup checks documents that share a key. They are at fault unless the rule's check is true.
func inGroup(group []Detail, vars *variables, result *Result) {
	r := group[0].entry.rule()
	vars.setObjects(group)
	if check := group[0].entry.check(); check != nil {
		ok, err := isTrue(check, vars)
		if err != nil {
			result.NotEvaluated = append(result.NotEvaluated, diag.NotEvaluated{
				Rule: string(r.ID), Reason: oneLine(err.Error()), Path: group[1].path, Place: group[1].place,
				Object: group[1].Object,
			})
		}
		if ok || err != nil {
			return
		}
	}
	v := group[1].violation(vars)
	for i := range group {
		if i != 1 {
			v.Related = append(v.Related,
				diag.Related{Place: group[i].place, Message: group[i].Object.Kind + " " + group[i].Object.Name})
		}
	}
	result.Violations = append(result.Violations, v)
}

// setObjects sets the variable objects of a rule about a set, if the rule has an expression that can read it.
func (v *variables) setObjects(group []Detail) {
	e := group[0].entry
	if e.check() == nil && e.rule().message == nil {
		return
	}
	objects := make([]any, len(group))
	for i := range group {
		objects[i] = group[i].native()
	}
	v.arguments[variableObjects].Items = objects
}

// Detach detaches the places of the detail from the text of its file.
func (d *Detail) Detach() {
	d.place.Detach()
	for _, fix := range d.fixes {
		for i := range fix.Edits {
			fix.Edits[i].Place.Detach()
		}
	}
}

func (d *Detail) violation(vars *variables) diag.Violation {
	rule := d.entry.rule()
	return diag.Violation{
		Rule: rule.ID, Severity: d.entry.Severity, Message: rule.say(vars), Help: rule.Help, Place: d.place, Path: d.path,
		Object: d.Object,
	}
}

// native returns the object in the form in which a check sees it in objects.
func (d *Detail) native() map[string]any {
	object := map[string]any{
		"apiVersion": d.Object.APIVersion, "kind": d.Object.Kind, "namespace": d.Object.Namespace, "name": d.Object.Name,
		"file": d.place.File, "key": keyTexts(d.key),
	}
	for name, value := range d.kept {
		object[name] = value
	}
	return object
}
