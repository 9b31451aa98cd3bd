package lint

import (
	"hash/maphash"
	"slices"
	"strings"

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
	links   []link
}

// None reports whether there are no records.
func (r Records) None() bool { return len(r.members) == 0 && len(r.links) == 0 }

// link is a reference or the target of one. hash is the hash of the rule and the key; near is the hash without the
// last part of the key.
type link struct {
	hash, near uint64
	isTarget   bool
}

// Detail describes one of the documents to a rule about a set of documents.
type Detail struct {
	// Object is the document.
	Object diag.Object

	entry *entry
	key   string // its parts, with a NUL after each
	place source.Place
	path  diag.Path
	kept  map[string]any
}

// Candidates are the keys that rules about sets of documents found at fault. A nil Candidates is empty.
type Candidates map[uint64]bool

// Hold reports whether the records of a file contain a candidate.
func (s Candidates) Hold(records Records) bool {
	return slices.ContainsFunc(records.members, func(hash uint64) bool { return s[hash] }) ||
		slices.ContainsFunc(records.links, func(l link) bool { return !l.isTarget && s[l.hash] })
}

// FindCandidates finds the keys at fault in the records of a whole run: keys that two documents share, and keys of
// references to missing targets. A reference counts only if some target agrees with it in all parts of the key
// except the last. Otherwise the targets are probably not among the files.
func FindCandidates(records []Records) Candidates {
	members, links := 0, 0
	for _, r := range records {
		members, links = members+len(r.members), links+len(r.links)
	}
	all := Records{members: make([]uint64, 0, members), links: make([]link, 0, links)}
	for _, r := range records {
		all.members, all.links = append(all.members, r.members...), append(all.links, r.links...)
	}
	candidates := Candidates{}
	candidates.addShared(all.members)
	candidates.addLost(all.links)
	return candidates
}

// addShared adds the hashes that occur more than once. It sorts the hashes.
func (s Candidates) addShared(members []uint64) {
	slices.Sort(members)
	for i := 1; i < len(members); i++ {
		if members[i] == members[i-1] {
			s[members[i]] = true
		}
	}
}

// addLost adds the references whose target is missing.
func (s Candidates) addLost(links []link) {
	var targets, near []uint64
	for _, l := range links {
		if l.isTarget {
			targets, near = append(targets, l.hash), append(near, l.near)
		}
	}
	slices.Sort(targets)
	slices.Sort(near)
	for _, l := range links {
		if !l.isTarget && holds(near, l.near) && !holds(targets, l.hash) {
			s[l.hash] = true
		}
	}
}

// holds reports whether a sorted list contains a hash.
func holds(list []uint64, hash uint64) bool {
	_, ok := slices.BinarySearch(list, hash)
	return ok
}

// recorded says for which values a rule about a set keeps records, and with which key.
type recorded struct {
	paths [][]step
	key   []keyPart
}

// keyPart is a part of a key: a word, or the path of a value in the document.
type keyPart struct {
	word  string // "" for a path
	steps []step
}

// prepareKeys parses the keys of a rule about a set.
func (e *entry) prepareKeys() {
	if len(e.Key) == 0 {
		return
	}
	e.salt = maphash.String(hashSeed, string(e.ID))
	e.sourceKey = keyParts(e.Key)
	e.target = recorded{pathsOrRoot(e.Target.Each), keyParts(e.Target.Key)}
}

func keyParts(names []string) (parts []keyPart) {
	for _, name := range names {
		switch name {
		case "group", "kind", "file", "self":
			parts = append(parts, keyPart{word: name})
		case "namespace":
			parts = append(parts, keyPart{word: name, steps: namespacePath})
		case "name":
			parts = append(parts, keyPart{word: name, steps: namePath})
		default:
			parts = append(parts, keyPart{steps: mustPath(name)})
		}
	}
	return parts
}

// record keeps what a rule about a set needs to know about this document, or its details if they were requested. A
// document that lacks a part of the key belongs to no group.
func (c *checker) record(of *about, asTarget bool) {
	for _, steps := range of.paths {
		walk(c.document.Root, steps, func(n manifest.Node) bool {
			if !n.IsBlocked() {
				c.recordValue(of.rule, of.key, asTarget, n)
			}
			return true
		})
	}
}

func (c *checker) recordValue(e *entry, parts []keyPart, asTarget bool, n manifest.Node) {
	key, last, ok := c.key(parts, n)
	if !ok {
		return
	}
	hash, records := e.hash(key), &c.result.Records
	switch {
	case c.document.Candidates != nil:
		if !asTarget && c.document.Candidates[hash] && !e.rule().excludes(n.Tree().Source.Name) {
			c.result.Details = append(c.result.Details, Detail{
				entry: e, key: string(key), place: c.recordPlace(n), path: n.Path(), Object: c.document.Object, kept: c.keep(e.Keep),
			})
		}
	case len(e.Target.Kinds) == 0:
		records.members = append(records.members, hash)
	default:
		records.links = append(records.links, link{hash: hash, near: e.hash(key[:last]), isTarget: asTarget})
	}
}

var hashSeed = maphash.MakeSeed()

// hash returns the hash of a key of the rule.
func (e *entry) hash(key []byte) uint64 { return maphash.Bytes(hashSeed, key) ^ e.salt }

// recordPlace returns what is marked for a document of a group: the value that the rule checks. For a whole
// document this is its name.
func (c *checker) recordPlace(n manifest.Node) source.Place {
	if n == c.document.Root {
		if name, ok := first(n, namePath); ok {
			return name.Place()
		}
	}
	return n.Place()
}

var (
	namePath      = mustPath("metadata.name")
	namespacePath = mustPath("metadata.namespace")
)

// key joins the parts of a key and returns the offset of the last part. A part is one of the words group, kind,
// namespace, name, file and self, or a path from the document's root.
func (c *checker) key(parts []keyPart, self manifest.Node) (key []byte, last int, ok bool) {
	key = c.buffer[:0]
	for i := range parts {
		last = len(key)
		n, found := self, true
		switch part := &parts[i]; part.word {
		case "group":
			key = append(append(key, c.document.Group...), 0)
			continue
		case "kind":
			key = append(append(key, c.document.Kind...), 0)
			continue
		case "file":
			key = append(append(key, self.Tree().Source.Name...), 0)
			continue
		case "namespace":
			if n, found = first(c.document.Root, part.steps); !found {
				key = append(key, 0)
				continue
			}
		case "name": // one that an API server generates is not known
			n, found = first(c.document.Root, part.steps)
			found = found && !n.Defaulted()
		case "":
			n, found = first(c.document.Root, part.steps)
		}
		if (!found || isNothing(n)) && parts[i].word != "namespace" {
			return nil, 0, false
		}
		key = append(appendKeyPart(key, n), 0)
	}
	c.buffer = key
	return key, last, true
}

func appendKeyPart(key []byte, n manifest.Node) []byte {
	if n.Type() == manifest.String {
		return append(key, n.Text()...)
	}
	return n.AppendJSON(key)
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
	left := &budget{}
	left.reset(groupBudget)
	for i := 0; i < len(details); {
		end := i + 1
		for end < len(details) && details[end].entry == details[i].entry && details[end].key == details[i].key {
			end++
		}
		if len(details[i].entry.Target.Kinds) > 0 {
			leadNowhere(details[i:end], left, &result)
		} else if end-i > 1 {
			inGroup(details[i:end], left, &result)
		}
		i = end
	}
	return result
}

// leadNowhere reports references whose target does not exist.
func leadNowhere(references []Detail, left *budget, result *Result) {
	for i := range references {
		d := &references[i]
		result.Violations = append(result.Violations, d.violation(objectVariables([]any{d.native()}, left)))
	}
}

// inGroup checks documents that share a key. They are at fault unless the rule's check is true.
func inGroup(group []Detail, left *budget, result *Result) {
	r := group[0].entry.rule()
	var objects []any
	for i := range group {
		objects = append(objects, group[i].native())
	}
	vars := objectVariables(objects, left)
	if check := group[0].entry.check(); check != nil {
		ok, err := isTrue(check, vars)
		if err != nil {
			result.NotEvaluated = append(result.NotEvaluated, diag.NotEvaluated{
				Rule: string(r.ID), Reason: oneLine(err.Error()), Path: group[1].path, Place: group[1].place, Object: group[1].Object,
			})
		}
		if ok || err != nil {
			return
		}
	}
	v := group[1].violation(vars)
	for i := range group {
		if i != 1 {
			v.Related = append(v.Related, diag.Related{Place: group[i].place, Message: group[i].Object.Kind + " " + group[i].Object.Name})
		}
	}
	result.Violations = append(result.Violations, v)
}

// objectVariables returns the variables of a rule about a set.
func objectVariables(objects []any, left *budget) *variables {
	v := &variables{budget: left}
	v.arguments[variableObjects].Items = objects
	return v
}

// Detach detaches the place of the violation from the text of its file.
func (d *Detail) Detach() { d.place.Detach() }

func (d *Detail) violation(vars *variables) diag.Violation {
	rule := d.entry.rule()
	return diag.Violation{
		Rule: rule.ID, Severity: d.entry.Severity, Message: rule.say(vars), Help: rule.Help, Place: d.place, Path: d.path, Object: d.Object,
	}
}

// native returns the object in the form in which a check sees it in objects.
func (d *Detail) native() map[string]any {
	object := map[string]any{
		"apiVersion": d.Object.APIVersion, "kind": d.Object.Kind, "namespace": d.Object.Namespace, "name": d.Object.Name,
		"file": d.place.File, "key": strings.Split(strings.TrimSuffix(d.key, "\x00"), "\x00"),
	}
	for name, value := range d.kept {
		object[name] = value
	}
	return object
}
