package validations

import (
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// ruleNode is a schema node with rules at it or below. The walk through a document visits only these.
type ruleNode struct {
	declared, self *schema.Schema // the schema that holds the rules and the one that they see; they differ under allOf
	rules          *ruleSet       // nil if the node itself has no rules
	branches       []*ruleNode    // under allOf
	items          *ruleNode      // nil if there are no rules below
	fields         []fieldNode
	additional     *ruleNode // for all undeclared fields; nil if there are no rules below
}

// fieldNode is the node of a declared field.
type fieldNode struct {
	name string
	hash uint32
	node *ruleNode
}

// newNode returns the node of a schema that has rules, and assigns each rule set its share of the precompiled rules.
func (r *Rules) newNode(declared, self *schema.Schema, isResource bool) *ruleNode {
	node := &ruleNode{declared: declared, self: self}
	if len(declared.Rules) > 0 && cel.HasType(self) {
		node.rules = newRuleSet(declared.Rules, self, isResource, r.takePrecompiled(len(declared.Rules)))
		r.sets = append(r.sets, node.rules)
	}
	for _, branch := range declared.AllOf {
		if branch.HasRules() {
			node.branches = append(node.branches, r.newNode(branch, self, isResource))
		}
	}
	if self.Items != nil {
		node.items = r.below(declared.Items, self.Items)
	}
	for _, p := range declared.Properties {
		seen, ok := self.Property(p.Name)
		if !ok {
			seen = self.Additional
		}
		node.add(p.Name, r.below(p.Schema, seen))
	}
	if !declared.Additional.HasRules() {
		return node
	}
	for _, p := range self.Properties {
		if _, ok := declared.Property(p.Name); !ok {
			node.add(p.Name, r.below(declared.Additional, p.Schema))
		}
	}
	node.additional = r.below(declared.Additional, self.Additional)
	return node
}

// below returns the node of a field or item. It returns nil if there are no rules that can be evaluated.
func (r *Rules) below(declared, self *schema.Schema) *ruleNode {
	if !declared.HasRules() || !cel.HasType(self) {
		return nil
	}
	return r.newNode(declared, self, self.Embedded)
}

func (s *ruleNode) add(name string, below *ruleNode) {
	if below != nil {
		s.fields = append(s.fields, fieldNode{name, manifest.Hash(name), below})
	}
}

func (s *ruleNode) hasFields() bool { return len(s.fields) > 0 || s.additional != nil }

// field returns the node of a field. It returns nil if there are no rules at it or below.
func (s *ruleNode) field(n manifest.Node) *ruleNode {
	hash := n.KeyHash()
	for i := range s.fields {
		if f := &s.fields[i]; f.hash == hash && f.name == n.Key() {
			return f.node
		}
	}
	if s.additional == nil || s.declared.Field(n) != s.declared.Additional || s.self.Field(n) != s.self.Additional {
		return nil
	}
	return s.additional
}

// takePrecompiled takes the next n precompiled rules. It returns nil once there are too few.
func (r *Rules) takePrecompiled(n int) []string {
	if len(r.precompiled) < n {
		r.precompiled = nil
		return nil
	}
	next := r.precompiled[:n]
	r.precompiled = r.precompiled[n:]
	return next
}

// cursor is the current value in a walk through a document.
type cursor struct {
	n, old  manifest.Node
	node    *ruleNode
	ratchet ratchet
}

// ratchet reports whether a violation is forgiven because nothing has changed (apiextensions-apiserver,
// ratchetingOptions).
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

// walk visits the value, and those below it that have rules, in the order of the server: each value before its
// children. It stops and returns false when visit returns false.
func (p cursor) walk(visit func(cursor) bool) bool {
	if p.n.Type() == manifest.Null {
		return true
	}
	if p.node.rules != nil && !visit(p) {
		return false
	}
	for _, branch := range p.node.branches {
		if !(cursor{n: p.n, old: p.old, node: branch, ratchet: ratchet{above: p.ratchet.above}}).walk(visit) {
			return false
		}
	}
	switch {
	case p.n.Type() == manifest.List && p.node.items != nil:
		return p.walkItems(visit)
	case p.n.Type() == manifest.Map && p.node.hasFields():
		return p.walkFields(visit)
	}
	return true
}

func (p cursor) walkItems(visit func(cursor) bool) bool {
	self := p.node.self
	var old schema.ItemIndex
	if p.old.Valid() && p.old.Type() == manifest.List && self.ListType == "map" {
		old = schema.NewItemIndex(p.old, self.ListMapKeys)
	}
	for item := p.n.First(); item.Valid(); item = item.Next() {
		q := cursor{n: item, node: p.node.items, ratchet: p.ratchet.item(item)}
		q.old, _ = old.Find(item)
		if !q.walk(visit) {
			return false
		}
	}
	return true
}

func (p cursor) walkFields(visit func(cursor) bool) bool {
	for f := p.n.First(); f.Valid(); f = f.Next() {
		below := p.node.field(f)
		if below == nil {
			continue
		}
		q := cursor{n: f, node: below, ratchet: p.ratchet.field(f)}
		if p.old.Valid() {
			q.old, _ = p.old.FieldHashed(f.Key(), f.KeyHash())
		}
		if !q.walk(visit) {
			return false
		}
	}
	return true
}
