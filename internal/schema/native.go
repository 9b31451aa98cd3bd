package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Documents of the kinds of Kubernetes differ from custom resources:
//
//   - They are decoded into Go types (decode.go). Unknown fields are errors, null is the same as absent, and numbers,
//     quantities and times have the range and the syntax of their Go types.
//   - A required value must not be null, an empty string or an empty list.
//   - An empty string is the same as an absent one, because most strings of the Go types are not pointers. So it need
//     not be an allowed value or match a pattern, unless the schema has a minimum length.
//   - The items of lists of type set and map need not be unique. The type only says how an update pairs the items.
//   - An update is validated as a whole; only the fields that x-kindvet-unchecked names are forgiven (unchecked.go).
//     Fields with the keyword keptOnUpdate have their old value. Items that kubectl apply makes one item of are merged
//     (strategicmerge.go).

// checkNative is [Check] for a kind of Kubernetes.
func (c *checker) checkNative(old manifest.Node) []diag.Violation {
	root, s := c.root, c.schema
	if old.Valid() {
		c.mergeRepeated(root, old, s)
	}
	conforms := c.conformsNative(root, s)
	if !conforms {
		c.found, c.matches, c.patternWork = c.found[:0], 0, 0
		c.decode(root, s)
	}
	if c.defaulted > mostDefaults {
		return c.tooLargeByDefaults()
	}
	if old.Valid() && keepOld(root, old, s) {
		conforms = false
	}
	if !c.resource.NoMetadata {
		c.objectMeta(root, old)
	}
	if !conforms {
		c.unchecked = s.UncheckedFields(root, old)
		c.check(root, s, nil)
	}
	return c.report()
}

// keepOld gives the fields of a document that an update does not change their old values. It reports whether there are
// any.
func keepOld(root, old manifest.Node, s *Schema) bool {
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

// isEmpty reports whether a value that decodes does not count as present if it is required (field.Required upstream).
func (s *Schema) isEmpty(n manifest.Node) bool {
	isEmpty := n.Type() == manifest.String && n.Text() == "" || n.Type() == manifest.List && n.Len() == 0
	return isEmpty && s.decodes(n) == noFault
}

// lacks reports whether a required field is missing in an object.
func (c *checker) lacks(n manifest.Node, s *Schema, name string) bool {
	f, found := n.Field(name)
	if !found || !c.resource.Native {
		return !found
	}
	field, ok := s.Property(name)
	return ok && field.isEmpty(f)
}

// isAbsentText reports whether a value is an empty string that is the same as an absent one.
func (c *checker) isAbsentText(n manifest.Node, s *Schema) bool {
	return c.resource.Native && n.Type() == manifest.String && n.Text() == "" && s.isZeroText()
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
