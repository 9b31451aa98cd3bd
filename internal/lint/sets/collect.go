package sets

import (
	"hash/maphash"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Document is one resource, as rules about sets of documents see it.
type Document struct {
	// Root is the resource. Group and Kind are those of the kind as which it is checked, even if it is an item of a
	// list that does not state them.
	Root        manifest.Node
	Group, Kind string
	// Object identifies the resource in results.
	Object diag.Object
	// Spot is where the resource is in its file.
	Spot Spot
	// IsAlone means that Root is an item of a list, but is the root of its tree.
	IsAlone bool
	// Partial means that the documents that this one refers to may not be checked.
	Partial bool
	// Candidates are the keys of which details are collected. OnlyDetails means that nothing else is: the records of the
	// document and its findings are known.
	Candidates  Candidates
	OnlyDetails bool
}

// pathOf returns the path of a value in the document that contains the resource.
func (d *Document) pathOf(n manifest.Node) diag.Path {
	path := n.Path()
	if !d.IsAlone {
		return path
	}
	return path.In(diag.Fields("items").Item(d.Spot.Item))
}

// Collector collects the records and the details of documents. Its zero value is ready for use. It must not be shared
// between goroutines. Reuse it to save allocations.
type Collector struct {
	// Fix plans the fixes of a finding that marks a value; nil if none are wanted.
	Fix func(e *rule.Entry, n manifest.Node) []diag.Fix

	plan     *Plan
	document *Document
	records  *Records
	details  []Detail
	buffer   []byte // of the last key
	labels   []byte // of the last selector or target
}

// Collect adds the records of a document to those of the documents before it in its file, and returns its details.
func (c *Collector) Collect(p *Plan, d *Document, records *Records) []Detail {
	if p == nil {
		return nil
	}
	c.plan, c.document, c.records, c.details = p, d, records, nil
	if p.paths != nil {
		p.paths.Follow(d.Root, c.recordSet)
	}
	for i := range p.targets {
		c.recordTargets(&p.targets[i])
	}
	for i := range p.providers {
		c.recordProvided(&p.providers[i])
	}
	records.note(d.Spot)
	details := c.details
	c.plan, c.document, c.records, c.details = nil, nil, nil, nil
	return details
}

// recordSet keeps what the rule with an index needs to know about a value, or its details if they were requested.
func (c *Collector) recordSet(index int, n manifest.Node) {
	switch e := c.plan.rules.prepared[index]; {
	case n.IsBlocked() || !e.Concerns(n) || e.to != nil && c.document.Partial:
	case e.to != nil:
		c.recordReference(e, n)
	default:
		c.recordMember(e, n)
	}
}

// recordMember keeps the key of a value, or its details if they were requested. A document that lacks a part of the
// key belongs to no group.
func (c *Collector) recordMember(e *setRule, n manifest.Node) {
	c.keys(&e.key, n, func(key []byte, _ manifest.Node) { c.recordKey(e, n, key) })
}

func (c *Collector) recordKey(e *setRule, n manifest.Node, key []byte) {
	hash := maphash.Bytes(hashSeed, key) ^ e.salt
	if !c.document.OnlyDetails {
		c.records.members = append(c.records.members, hash)
	}
	if c.document.Candidates.has(hash) && !e.Rule().Excludes(n.Tree().Source.Name) {
		c.details = append(c.details, Detail{
			rule: e, key: string(key), place: c.recordPlace(n), path: c.document.pathOf(n), Object: c.document.Object,
			kept: c.keep(e.Keep), fixes: c.fix(e, n),
		})
	}
}

func (c *Collector) fix(e *setRule, n manifest.Node) []diag.Fix {
	if c.Fix == nil || len(e.Rule().Fixes) == 0 {
		return nil
	}
	return c.Fix(e.Entry, n)
}

func (c *Collector) recordReference(e *setRule, n manifest.Node) {
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
		if !e.provided.isWellKnown(text) {
			c.recordReferenceTo(e, text, labels, at)
		}
	})
}

func (c *Collector) recordReferenceTo(e *setRule, text, labels []byte, at manifest.Node) {
	l := c.links()
	mark := len(l.text)
	x := link{rule: e, key: l.add(text), labels: l.add(labels), role: aReference}
	if fault, ok := c.candidate(&x); ok && !e.Rule().Excludes(l.file) {
		replacement, fixes := fault.near, c.fix(e, at)
		if e.to.isLabeled && !e.to.hasValues {
			at, replacement = labelIn(at, fault.near)
		}
		if fault.near != "" {
			fixes = at.TextFix(replacement)
		}
		c.details = append(c.details, Detail{
			rule: e, key: string(text), place: at.Place(), path: c.document.pathOf(at), Object: c.document.Object,
			kept: c.keep(e.Keep), fault: fault, fixes: fixes,
		})
	}
	c.keepLink(&x, mark)
}

// candidate returns what is known about a link if its details were requested.
func (c *Collector) candidate(x *link) (known fault, ok bool) {
	if len(c.document.Candidates) > 0 {
		known, ok = c.document.Candidates[c.records.links.id(x)]
	}
	return known, ok
}

// keepLink adds a link to the records. If the document is recorded already, it drops the text of the link, which starts
// at mark.
func (c *Collector) keepLink(x *link, mark int) {
	l := &c.records.links
	if c.document.OnlyDetails {
		l.text = l.text[:mark]
		return
	}
	l.list = append(l.list, *x)
}

// links returns the links of the file.
func (c *Collector) links() *links {
	l := &c.records.links
	if l.file == "" {
		l.file = c.document.Root.Tree().Source.Name
		l.isComplete, l.isAll = c.plan.rules.isComplete, c.plan.rules.isAll
	}
	return l
}

// recordTargets keeps the targets in a document, or their details if they were requested.
func (c *Collector) recordTargets(t *targeted) {
	to := t.rule.to
	for _, base := range t.bases {
		base.Walk(c.document.Root, func(n manifest.Node) bool {
			var labels []byte
			if to.isLabeled {
				at, ok := to.labels.First(n)
				if labels = c.appendLabels(c.labels[:0], at, ok); len(labels) == 0 {
					return true
				}
				c.labels = labels
			}
			for _, steps := range to.each {
				steps.Walk(n, func(value manifest.Node) bool {
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

func (c *Collector) recordTargetAt(e *setRule, text, labels []byte, n, at manifest.Node) {
	l := c.links()
	mark := len(l.text)
	x := link{rule: e, key: l.add(text), labels: l.add(labels), role: aTarget}
	if _, ok := c.candidate(&x); ok {
		place := at.Place()
		if at == n {
			place = c.recordPlace(n)
		}
		if to := e.to; to.isLabeled && !to.hasValues {
			at, _ = to.labels.First(n)
			place = at.Place()
		}
		c.details = append(c.details, Detail{target: l.id(&x), place: place, Object: c.document.Object})
	}
	c.keepLink(&x, mark)
}

// recordProvided keeps the names that a document provides.
func (c *Collector) recordProvided(p *providing) {
	if c.document.OnlyDetails {
		return
	}
	p.path.Walk(c.document.Root, func(n manifest.Node) bool {
		if n.Type() == manifest.String {
			l := c.links()
			c.buffer = providedKey(c.buffer[:0], p.kind, []byte(n.Text()))
			l.list = append(l.list, link{key: l.add(c.buffer), role: aProvider})
		}
		return true
	})
}

// keep returns the object, reduced to the given paths of fields.
func (c *Collector) keep(paths []string) map[string]any {
	if len(paths) == 0 {
		return nil
	}
	kept := map[string]any{}
	for _, p := range paths {
		path := rule.MustPath(p)
		n, ok := path.First(c.document.Root)
		if !ok {
			continue
		}
		at, names := kept, path.Names()
		last := len(names) - 1
		for _, name := range names[:last] {
			below, ok := at[name].(map[string]any)
			if !ok {
				below = map[string]any{}
				at[name] = below
			}
			at = below
		}
		at[names[last]] = adapter.Native(n)
	}
	return kept
}

// recordPlace returns what is marked for a document of a group: the value that the rule checks. For a whole
// document this is its name.
func (c *Collector) recordPlace(n manifest.Node) source.Place {
	if n == c.document.Root {
		if name, ok := namePath.First(n); ok {
			return name.Place()
		}
	}
	return n.Place()
}
