package expr

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// spot is a node of a schema that has rules at it or below: the walk through a document goes where there are spots.
type spot struct {
	rules, self *schema.Schema // where the rules stand, and what they see; they differ under allOf
	site        *site          // nil where there are no rules at the node itself
	branches    []*spot        // under allOf
	items       *spot          // nil where no rule stands below
	fields      []fieldSpot
	additional  *spot // of all fields that are not declared; nil where no rule stands below
}

// fieldSpot is the spot of a declared field.
type fieldSpot struct {
	name string
	hash uint32
	spot *spot
}

// spot makes the spots of a schema that has rules, and gives each site the next of the shipped rules.
func (r *Rules) spot(rules, self *schema.Schema, root bool) *spot {
	at := &spot{rules: rules, self: self}
	if len(rules.Rules) > 0 && isDeclared(self) {
		at.site = newSite(rules.Rules, self, root, r.shippedFor(len(rules.Rules)))
		r.sites = append(r.sites, at.site)
	}
	for _, branch := range rules.AllOf {
		if branch.HasRules() {
			at.branches = append(at.branches, r.spot(branch, self, root))
		}
	}
	if self.Items != nil {
		at.items = r.below(rules.Items, self.Items)
	}
	for _, p := range rules.Properties {
		seen, ok := self.Property(p.Name)
		if !ok {
			seen = self.Additional
		}
		at.add(p.Name, r.below(p.Schema, seen))
	}
	if !rules.Additional.HasRules() {
		return at
	}
	for _, p := range self.Properties {
		if _, ok := rules.Property(p.Name); !ok {
			at.add(p.Name, r.below(rules.Additional, p.Schema))
		}
	}
	at.additional = r.below(rules.Additional, self.Additional)
	return at
}

// below makes the spots of a field or item; nil where there are no rules that can be evaluated.
func (r *Rules) below(rules, self *schema.Schema) *spot {
	if !rules.HasRules() || !isDeclared(self) {
		return nil
	}
	return r.spot(rules, self, self.Embedded)
}

func (s *spot) add(name string, below *spot) {
	if below != nil {
		s.fields = append(s.fields, fieldSpot{name, manifest.Hash(name), below})
	}
}

func (s *spot) hasFields() bool { return len(s.fields) > 0 || s.additional != nil }

// field returns the spot of a field; nil where no rule stands at it or below.
func (s *spot) field(n manifest.Node) *spot {
	hash := n.KeyHash()
	for i := range s.fields {
		if f := &s.fields[i]; f.hash == hash && f.name == n.Key() {
			return f.spot
		}
	}
	if s.additional == nil || s.rules.Field(n) != s.rules.Additional || s.self.Field(n) != s.self.Additional {
		return nil
	}
	return s.additional
}

// shippedFor takes the next n of the shipped rules; none once there are too few.
func (r *Rules) shippedFor(n int) []string {
	if len(r.shipped) < n {
		r.shipped = nil
		return nil
	}
	next := r.shipped[:n]
	r.shipped = r.shipped[n:]
	return next
}

// place is a value on the walk through a document.
type place struct {
	n, old  manifest.Node
	spot    *spot
	ratchet ratchet
}

// ratchet says whether a violation is forgiven because nothing has changed (apiextensions-apiserver, ratchetingOptions).
type ratchet struct {
	here, above schema.Correlation
}

func (r ratchet) unchanged() bool {
	if r.here.Paired() {
		return r.here.Unchanged()
	}
	return r.above.Unchanged()
}

func (r ratchet) item(n manifest.Node) ratchet {
	if !r.here.Paired() {
		return r
	}
	return ratchet{here: r.here.Item(n), above: r.here}
}

func (r ratchet) field(n manifest.Node) ratchet {
	if !r.here.Paired() {
		return r
	}
	return ratchet{here: r.here.Field(n), above: r.here}
}

// walk visits the place and those below it that have rules, in the order of the server: a value before what is in it. It returns false
// when visit has.
func (p place) walk(visit func(place) bool) bool {
	if p.n.Type() == manifest.Null {
		return true
	}
	if p.spot.site != nil && !visit(p) {
		return false
	}
	for _, branch := range p.spot.branches {
		if !(place{n: p.n, old: p.old, spot: branch, ratchet: ratchet{above: p.ratchet.above}}).walk(visit) {
			return false
		}
	}
	switch {
	case p.n.Type() == manifest.List && p.spot.items != nil:
		return p.walkItems(visit)
	case p.n.Type() == manifest.Map && p.spot.hasFields():
		return p.walkFields(visit)
	}
	return true
}

func (p place) walkItems(visit func(place) bool) bool {
	self := p.spot.self
	isPaired := p.old.Valid() && p.old.Type() == manifest.List && self.ListType == "map"
	for item := p.n.First(); item.Valid(); item = item.Next() {
		q := place{n: item, spot: p.spot.items, ratchet: p.ratchet.item(item)}
		if isPaired {
			q.old, _ = schema.FindItem(p.old, item, self.ListMapKeys)
		}
		if !q.walk(visit) {
			return false
		}
	}
	return true
}

func (p place) walkFields(visit func(place) bool) bool {
	for f := p.n.First(); f.Valid(); f = f.Next() {
		below := p.spot.field(f)
		if below == nil {
			continue
		}
		q := place{n: f, spot: below, ratchet: p.ratchet.field(f)}
		if p.old.Valid() {
			q.old, _ = p.old.FieldHashed(f.Key(), f.KeyHash())
		}
		if !q.walk(visit) {
			return false
		}
	}
	return true
}
