// Package native checks documents of the kinds of Kubernetes, as an API server does that decodes them into Go types and
// validates these by code. They differ from custom resources:
//
//   - They are decoded (decode.go). Unknown fields are errors, null is the same as absent, and numbers, quantities and
//     times have the range and the syntax of their Go types.
//   - A required value must not be null, an empty string or an empty list.
//   - Fields and items behind a feature gate that is off are removed before the check (decode.go, drop.go).
//   - An empty string is the same as an absent one, because most strings of the Go types are not pointers. So it need
//     not be an allowed value or match a pattern, unless the schema has a minimum length.
//   - The items of lists of type set and map need not be unique. The type only says how an update pairs the items.
//   - An update is validated as a whole; only the fields that x-kindvet-unchecked names are forgiven (unchecked.go).
//     Fields with the keyword keptOnUpdate have their old value. Items that kubectl apply makes one item of are merged
//     (strategicmerge.go).
//
// The keywords of schemas mean the same as for custom resources: package schema walks over a document and checks them,
// and asks this package what a value is ([schema.Values]).
package native

import (
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Check is [schema.Check] for a document of a kind of Kubernetes.
func Check(root manifest.Node, s *schema.Schema, r schema.Resource, old manifest.Node) []diag.Violation {
	c := checkers.Get().(*checker)
	defer checkers.Put(c)
	c.start(root, s, r, old)
	if old.Valid() {
		c.mergeRepeated(root, old, s)
	}
	conforms := c.Conforms(root, s)
	if !conforms {
		c.Forget()
		c.decode(root, s)
	}
	if c.IsTooLarge() {
		return append(c.TooLargeByDefaults(), c.lost...)
	}
	if old.Valid() && keepOld(root, old, s) {
		conforms = false
	}
	if !r.NoMetadata {
		c.ObjectMeta(root, old)
	}
	if !conforms {
		c.unchecked = UncheckedFieldsOf(s, root, old)
		c.CheckNode(root, s, nil)
	}
	return append(c.Report(), c.lost...)
}

// Prepare is [schema.Prepare] for an object of a kind of Kubernetes.
func Prepare(root manifest.Node, s *schema.Schema, r schema.Resource) {
	c := &checker{Checker: &schema.Checker{}}
	c.start(root, s, r, manifest.Node{})
	c.isStored = root.At("metadata").TextAt("uid") != ""
	c.decode(root, s)
	dropRepeatedOwners(root)
	root.AsStored()
}

// checkers lets one check reuse the memory that an earlier one has allocated.
var checkers = sync.Pool{New: func() any { return &checker{Checker: &schema.Checker{}} }}

// checker checks one document.
type checker struct {
	*schema.Checker
	root manifest.Node
	kind string
	// isStored means that the server has the object: the document is an update, or an old object with a uid.
	isStored bool
	// unchecked are the fields that are not validated.
	unchecked UncheckedFields
	// lost are the findings about items that an update with kubectl apply loses.
	lost []diag.Violation
}

func (c *checker) start(root manifest.Node, s *schema.Schema, r schema.Resource, old manifest.Node) {
	r.UpdatesGenerateName = true // that of many kinds
	c.root, c.kind, c.isStored = root, r.Kind, old.Valid()
	c.unchecked, c.lost = nil, c.lost[:0]
	c.Start(root, s, r, old, c)
}

// keepOld gives the fields of a document that an update does not change their old values. It reports whether there are
// any.
func keepOld(root, old manifest.Node, s *schema.Schema) bool {
	some := false
	for i := range s.Properties {
		p := &s.Properties[i]
		was, ok := old.Field(p.Name)
		if !p.Kept || !ok {
			continue
		}
		some = true
		if f, ok := root.Field(p.Name); ok {
			f.ReplaceByDefault(was)
		} else {
			root.AddDefault(p.Name, was)
		}
	}
	return some
}

// dropRepeatedOwners removes owner references that equal an earlier one, as the server does (k8s.io/apiserver,
// pkg/endpoints/handlers.dedupOwnerReferences).
func dropRepeatedOwners(root manifest.Node) {
	owners := root.At("metadata", "ownerReferences")
	if !owners.Valid() || owners.Type() != manifest.List {
		return
	}
	known := make(map[string]bool, owners.Len())
	var kept manifest.Node
	for owner := owners.First(); owner.Valid(); owner = owner.Next() {
		text := string(owner.AppendJSON(nil))
		if known[text] {
			owner.Drop(kept)
			continue
		}
		known[text], kept = true, owner
	}
}
