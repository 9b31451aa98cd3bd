package lint

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// target is the target of references. It has no kinds and no type if the rule is not about references.
type target struct {
	// Kinds and Type are as in head, Each and Key as well. All paths of a target with a type start at its value.
	Kinds     []string
	Type      string
	Each, Key []string
	// Labels is the path of the labels that the selector of a reference selects; "" if it has none.
	Labels string
	// Among says how close other targets must be for a reference without a target to be a mistake even if no target
	// has a similar name: "run", "directory" or "file". If it is "", the name must be similar.
	Among string
	// Conflicts means that a reference must not have a target in its directory.
	Conflicts bool
}

// isReference reports whether the rule is about references.
func (h *head) isReference() bool { return len(h.Target.Kinds) > 0 || h.Target.Type != "" }

// isOfObject reports whether the rule is about references to objects, not to their values.
func (h *head) isOfObject() bool {
	last := h.Target.Key[len(h.Target.Key)-1]
	return last == "name" || h.Target.Labels != "" && len(h.Target.Each) == 0
}

// definition says which values are targets of references, and with which key. Rules with the same targets share it.
type definition struct {
	salt   uint64 // of the hashes of targets
	key    key
	each   [][]step
	labels []step
	// isLabeled means that references select their targets by labels, hasValues that the targets are values of the
	// selected objects.
	isLabeled, hasValues bool
	// isConflict means that references must have no target. Values that are not written then do not count.
	isConflict bool
}

// prepareReference parses the targets of a rule about references, and how the rule refers to them.
func (e *entry) prepareReference() {
	t := &e.Target
	lists := []string{join(t.Kinds), t.Type, join(t.Each), join(t.Key), t.Labels, strconv.FormatBool(t.Conflicts)}
	e.to = &definition{
		salt: maphash.String(hashSeed, strings.Join(lists, "\t")),
		key:  newKey(t.Key, t.Key), each: pathsOrRoot(t.Each), isLabeled: t.Labels != "",
		hasValues:  t.Labels != "" && len(t.Each) > 0,
		isConflict: t.Conflicts,
	}
	if t.Labels != "" {
		e.to.labels = mustPath(t.Labels)
	}
	if e.Selector != "" {
		e.selector = newKeyPart(e.Selector)
	}
	e.provided = providersOf(t)
}

// targeted is a definition of targets, with the values that have them in documents of a kind.
type targeted struct {
	rule  *entry // the first of those with the definition
	bases [][]step
}

// addTargets adds the targets that documents of a kind are for a rule.
func (p *plan) addTargets(e *entry, k kind) {
	t := head{Kinds: e.Target.Kinds, Type: e.Target.Type}
	if !t.appliesTo(k) || slices.ContainsFunc(p.targets,
		func(have targeted) bool { return have.rule.to.salt == e.to.salt }) {
		return
	}
	p.targets = append(p.targets, targeted{e, t.pathsIn(k)})
}

// links are the references, targets and providers in a file.
type links struct {
	list []link
	// text holds keys and labels. In the second pass, it is only used to compute hashes.
	text []byte
	// file is the name of the file. directory and parent are its directory and the one above it; they are set when all
	// files have been checked.
	file, directory, parent string
	// isComplete means that the targets of all references must be among the files. isAll means that references to
	// targets that may be outside of the files are reported.
	isComplete, isAll bool
}

// link is a reference, the target of one, or a name that an object provides.
type link struct {
	rule        *entry // nil for a provider
	key, labels span   // labels are alternating keys and values
	role        role
}

type role uint8

const (
	aReference role = iota
	aTarget
	aProvider
)

// span is a part of the text of links.
type span struct{ from, to uint32 }

func (l *links) bytes(s span) []byte { return l.text[s.from:s.to] }

// add adds a text to that of the links.
func (l *links) add(text []byte) span {
	from := len(l.text)
	l.text = append(l.text, text...)
	return span{uint32(from), uint32(len(l.text))}
}

// id returns the hash by which a reference or a target is found again in the second pass.
func (l *links) id(x *link) uint64 {
	salt := x.rule.salt
	if x.role == aTarget {
		salt = x.rule.to.salt
	}
	return mix(mix(mix(salt, hashOf(l.bytes(x.key))), hashOf(l.bytes(x.labels))), maphash.String(hashSeed, l.file))
}

// anyOf reports whether one of the links in the list is a candidate.
func (l *links) anyOf(list []link, candidates Candidates) bool {
	return slices.ContainsFunc(list, func(x link) bool { return x.role != aProvider && candidates.has(l.id(&x)) })
}

func hashOf(text []byte) uint64 { return maphash.Bytes(hashSeed, text) }

// mix adds a value to a hash. The order of the values matters.
func mix(hash, value uint64) uint64 {
	return bits.RotateLeft64(hash*0x9E3779B97F4A7C15, 29) ^ value
}

// recordSet keeps what a rule about a set needs to know about a value, or its details if they were requested.
func (c *checker) recordSet(e *entry, n manifest.Node) {
	switch {
	case n.IsBlocked() || !e.concerns(n) || e.isReference() && c.document.Partial:
	case e.isReference():
		c.recordReference(e, n)
	default:
		c.recordMember(e, n)
	}
}

func (c *checker) recordReference(e *entry, n manifest.Node) {
	if e.to.isConflict && n.Defaulted() {
		return
	}
	var labels []byte
	selector, found := n, false
	if e.Selector != "" {
		selector, found = e.selector.node(c.document.Root, n)
		if labels = c.appendSelector(selector, found); len(labels) == 0 {
			return
		}
	}
	c.keys(&e.key, n, func(text []byte, at manifest.Node) {
		switch {
		case e.to.isConflict:
			at = n
		case found && !e.to.hasValues:
			at = selector
		}
		if !e.isWellKnown(text) {
			c.recordReferenceTo(e, text, labels, at)
		}
	})
}

func (c *checker) recordReferenceTo(e *entry, text, labels []byte, at manifest.Node) {
	l := c.links()
	mark := len(l.text)
	x := link{rule: e, key: l.add(text), labels: l.add(labels), role: aReference}
	if c.document.Candidates == nil {
		l.list = append(l.list, x)
		return
	}
	if fault, ok := c.document.Candidates[l.id(&x)]; ok && !e.rule().excludes(l.file) {
		replacement := fault.near
		if e.to.isLabeled && !e.to.hasValues {
			at, replacement = labelIn(at, fault.near)
		}
		c.result.Details = append(c.result.Details, Detail{
			entry: e, key: string(text), place: at.Place(), path: c.document.pathOf(at), Object: c.document.Object,
			kept: c.keep(e.Keep), fault: fault, fixes: at.TextFix(replacement),
		})
	}
	l.text = l.text[:mark]
}

// links returns the links of the file.
func (c *checker) links() *links {
	l := &c.result.Records.links
	if l.file == "" {
		l.file = c.document.Root.Tree().Source.Name
		l.isComplete, l.isAll = c.set.isComplete, c.set.isAll
	}
	return l
}

// recordTargets keeps the targets in a document, or their details if they were requested.
func (c *checker) recordTargets(t *targeted) {
	to := t.rule.to
	for _, base := range t.bases {
		walk(c.document.Root, base, func(n manifest.Node) bool {
			var labels []byte
			if to.isLabeled {
				at, ok := first(n, to.labels)
				if labels = c.appendLabels(c.labels[:0], at, ok); len(labels) == 0 {
					return true
				}
				c.labels = labels
			}
			for _, steps := range to.each {
				walk(n, steps, func(value manifest.Node) bool {
					if !(to.isConflict && (value.IsBlocked() || value.Defaulted())) {
						c.keys(&to.key, value, func(text []byte, at manifest.Node) { c.recordTargetAt(t.rule, text, labels, value, at) })
					}
					return true
				})
			}
			return true
		})
	}
}

func (c *checker) recordTargetAt(e *entry, text, labels []byte, n, at manifest.Node) {
	l := c.links()
	mark := len(l.text)
	x := link{rule: e, key: l.add(text), labels: l.add(labels), role: aTarget}
	if c.document.Candidates == nil {
		l.list = append(l.list, x)
		return
	}
	id := l.id(&x)
	if _, ok := c.document.Candidates[id]; ok {
		place := at.Place()
		if at == n {
			place = c.recordPlace(n)
		}
		if to := e.to; to.isLabeled && !to.hasValues {
			at, _ = first(n, to.labels)
			place = at.Place()
		}
		c.result.Details = append(c.result.Details, Detail{target: id, place: place, Object: c.document.Object})
	}
	l.text = l.text[:mark]
}

// takeTargets splits details into those of rules and those of targets, by id.
func takeTargets(details []Detail) (rest []Detail, targets map[uint64]*Detail) {
	targets = map[uint64]*Detail{}
	for i := range details {
		if d := &details[i]; d.target == 0 {
			rest = append(rest, *d)
		} else if targets[d.target] == nil {
			targets[d.target] = d
		}
	}
	return rest, targets
}

// leadNowhere reports references whose target does not exist.
func leadNowhere(references []Detail, targets map[uint64]*Detail, vars *variables, result *Result) {
	for i := range references {
		d := &references[i]
		vars.setObjects(references[i : i+1])
		if check := d.entry.check(); check != nil {
			if ok, err := isTrue(check, vars); ok || err != nil {
				continue
			}
		}
		v := d.violation(vars)
		if d.fault.isUnsure {
			v.Severity = min(v.Severity, diag.Info)
		}
		if r := d.entry.rule(); r.Message == "" && r.message == nil {
			v.Message = d.entry.targetKind(d.key) + " " + diag.Quote(d.lastPart()) + " not found"
		}
		if near := d.fault.near; near != "" {
			v.Message += "; did you mean " + diag.Quote(near) + "?"
			v.Help, v.Fixes = "use "+diag.Quote(near), d.fixes
		}
		if t := targets[d.fault.target]; t != nil {
			v.Related = append(v.Related, diag.Related{Place: t.place, Message: t.Object.Kind + " " + t.Object.Name})
		}
		result.Violations = append(result.Violations, v)
	}
}

// targetKind returns the kind of the target of a reference.
func (e *entry) targetKind(key string) string {
	if i := slices.Index(e.Target.Key, "kind"); i >= 0 {
		return keyTexts(key)[i]
	}
	kind, _, _ := strings.Cut(slices.Concat(e.Target.Kinds, []string{e.Target.Type})[0], ".")
	return kind
}

func (d *Detail) lastPart() string {
	parts := keyTexts(d.key)
	return parts[len(parts)-1]
}
