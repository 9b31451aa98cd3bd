package schema

import "github.com/kindvet/kindvet/internal/manifest"

// KubernetesKeywords are the keywords that only kinds of Kubernetes have.
type KubernetesKeywords struct {
	// PatchMergeKey is the field by which a strategic merge patch pairs the items of a list. If it is "", an update
	// replaces the list.
	PatchMergeKey string
	// RetainsKeys means that a patch of an item of such a list removes the fields that the new item lacks.
	RetainsKeys bool
	// AllowsEmpty means that an empty string is one of the allowed values. It is not in Enum.
	AllowsEmpty bool
	// Each are the x-kindvet-each of this node, in file order.
	Each []Each
	// ConditionalDefaults are the x-kindvet-defaults of this node.
	ConditionalDefaults []ConditionalDefault
	// Unchecked are the x-kindvet-unchecked of the document.
	Unchecked []Unchecked
	// Drops are the x-kindvet-drops of this node.
	Drops []Drop
	// Expressions are the fields that hold CEL expressions.
	Expressions []Expression

	// absentFields and absentValues are those that other versions of Kubernetes have; see [Compiler.Kubernetes].
	absentFields, absentValues []Absent
}

// kubernetesExtension reads a keyword that only kinds of Kubernetes have.
func (c *Compiler) kubernetesExtension(s *Schema, f manifest.Node) {
	switch f.Key() {
	case "x-kubernetes-patch-merge-key":
		s.PatchMergeKey = c.text(f)
	case "x-kubernetes-patch-strategy":
		s.RetainsKeys = c.text(f) == "merge,retainKeys"
	case "x-kindvet-each":
		if !c.Native {
			return
		}
		for r := range f.Children() {
			if c.has(r) {
				s.Each = append(s.Each, c.each(r))
			}
		}
	case "x-kindvet-defaults":
		for d := range f.Children() {
			if c.has(d) {
				s.ConditionalDefaults = append(s.ConditionalDefaults, c.conditionalDefault(d))
			}
		}
	case "x-kindvet-unchecked":
		for u := range f.Children() {
			if c.has(u) {
				s.Unchecked = append(s.Unchecked, c.unchecked(u))
			}
		}
	case "x-kindvet-drops":
		for d := range f.Children() {
			if c.has(d) {
				s.Drops = append(s.Drops, c.drop(d))
			}
		}
	case "x-kindvet-expressions":
		for e := range f.Children() {
			s.Expressions = append(s.Expressions, c.expression(e))
		}
	}
}
