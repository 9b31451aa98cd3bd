package lint

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/expr"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Rules about sets of documents see a run twice. The first time each document leaves only records, a few bytes for each rule, from which
// FindSuspects finds the keys that are at fault. Only then, and only for the files that hold them, Check is asked for details.

// Record is what a rule about a set of documents remembers of one of them.
type Record struct {
	// hash is that of the rule and the key, near that of the key without its last part.
	hash, near uint64
	role       role
}

// role is what a document is to a rule about a set.
type role uint8

const (
	member role = iota // of a group that shares a key
	reference
	referenceTarget
)

// Detail is what a rule about a set of documents says of one of them.
type Detail struct {
	// Object is the document.
	Object diag.Object

	entry *entry
	key   string // its parts, with a NUL behind each
	place source.Place
	path  string
	kept  map[string]any
}

// Rename gives the path of the detail another name, as a platform calls its members.
func (d *Detail) Rename(name func(path string) string) { d.path = name(d.path) }

// Suspects are the keys that rules about sets of documents found at fault. There are none in a nil Suspects.
type Suspects map[uint64]bool

// Hold says whether there is a suspect among the records of a file.
func (s Suspects) Hold(records []Record) bool {
	return slices.ContainsFunc(records, func(r Record) bool { return r.role != referenceTarget && s[r.hash] })
}

// FindSuspects finds the keys that are at fault in the records of a whole run: those that two documents share, and those of references that
// lead nowhere. Of the latter only those count that agree with some target in all parts of the key but the last: else the targets are
// simply not among the files.
// It sorts the records.
func FindSuspects(records []Record) Suspects {
	near := map[uint64]bool{} // keys of targets without their last part
	for _, r := range records {
		if r.role == referenceTarget {
			near[r.near] = true
		}
	}
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.hash, b.hash) })
	suspects := Suspects{}
	for i := 0; i < len(records); {
		end, sources, targets := i, 0, 0
		for ; end < len(records) && records[end].hash == records[i].hash; end++ {
			if records[end].role == referenceTarget {
				targets++
			} else {
				sources++
			}
		}
		if r := &records[i]; r.role == member && sources > 1 || r.role == reference && targets == 0 && near[r.near] {
			suspects[records[i].hash] = true
		}
		i = end
	}
	return suspects
}

// record remembers what a rule about a set wants to know of this document, or says it in detail, if it was asked for. A document that lacks
// a part of the key belongs to no group.
func (c *checker) record(e *entry, asTarget bool) {
	e.prepare()
	parts, paths := e.Key, e.paths
	if asTarget {
		parts, paths = e.Target.Key, e.targets
	}
	for _, steps := range paths {
		walk(c.document.Root, steps, func(n manifest.Node) bool {
			key, last, ok := c.key(parts, n)
			if !ok || n.Unsound() {
				return true
			}
			r := Record{hash: e.hash(key), near: e.hash(key[:last])}
			switch {
			case asTarget:
				r.role = referenceTarget
			case len(e.Target.Kinds) > 0:
				r.role = reference
			}
			switch {
			case c.document.Suspects == nil:
				c.result.Records = append(c.result.Records, r)
			case !asTarget && c.document.Suspects[r.hash]:
				c.result.Details = append(c.result.Details, Detail{
					entry: e, key: string(key), place: c.recordPlace(n), path: n.Path(), Object: c.document.Object, kept: c.keep(e.Keep),
				})
			}
			return true
		})
	}
}

var hashSeed = maphash.MakeSeed()

// hash returns the hash of a key of the rule.
func (e *entry) hash(key []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	h.WriteString(string(e.ID))
	h.Write(key)
	return h.Sum64()
}

// recordPlace is what is marked for a member of a group: the value that the rule looks at, of a whole document its name.
func (c *checker) recordPlace(n manifest.Node) source.Place {
	if n == c.document.Root {
		if name, ok := first(n, namePath); ok {
			return expr.Mark(name)
		}
	}
	return expr.Mark(n)
}

var (
	namePath      = mustPath("metadata.name")
	namespacePath = mustPath("metadata.namespace")
)

// key joins the parts of a key, and says where the last one starts: the words group, kind, namespace, name, file and self, and paths from the document's root.
func (c *checker) key(parts []string, self manifest.Node) (key []byte, last int, ok bool) {
	key = c.buffer[:0]
	for _, part := range parts {
		last = len(key)
		switch part {
		case "group":
			key = append(key, c.document.Group...)
		case "kind":
			key = append(key, c.document.Kind...)
		case "file":
			key = append(key, self.Tree().Source.Name...)
		case "namespace":
			if n, ok := first(c.document.Root, namespacePath); ok {
				key = appendKeyPart(key, n)
			}
		default:
			n, ok := self, true
			switch part {
			case "self":
			case "name":
				n, ok = first(c.document.Root, namePath)
			default:
				n, ok = first(c.document.Root, mustPath(part))
			}
			if !ok || n.Type() == manifest.Null || n.Text() == "" && n.Type() == manifest.String {
				return nil, 0, false
			}
			key = appendKeyPart(key, n)
		}
		key = append(key, 0)
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

// keep returns the object cut down to some paths of plain fields.
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
		at[steps[len(steps)-1].name] = expr.Native(n)
	}
	return kept
}

// Gather says what is at fault in the details of a whole run.
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
	for i := 0; i < len(details); {
		end := i + 1
		for end < len(details) && details[end].entry == details[i].entry && details[end].key == details[i].key {
			end++
		}
		if len(details[i].entry.Target.Kinds) > 0 {
			leadNowhere(details[i:end], &result)
		} else if end-i > 1 {
			inGroup(details[i:end], &result)
		}
		i = end
	}
	return result
}

// leadNowhere reports references to a target that is not there.
func leadNowhere(references []Detail, result *Result) {
	for i := range references {
		d := &references[i]
		result.Violations = append(result.Violations, d.violation(&expr.Variables{Objects: []any{d.native()}}))
	}
}

// inGroup looks at documents that share a key: they are at fault, unless the rule's check says that they are not.
func inGroup(group []Detail, result *Result) {
	r := group[0].entry.rule()
	vars := &expr.Variables{}
	for i := range group {
		vars.Objects = append(vars.Objects, group[i].native())
	}
	if check := group[0].entry.check(); check != nil {
		ok, err := check.True(vars)
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

func (d *Detail) violation(vars *expr.Variables) diag.Violation {
	rule := d.entry.rule()
	return diag.Violation{
		Rule: rule.ID, Severity: d.entry.Severity, Message: rule.say(vars), Help: rule.Help, Place: d.place, Path: d.path, Object: d.Object,
	}
}

// native is the object as a check sees it in objects.
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
