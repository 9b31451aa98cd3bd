// Package definition validates CustomResourceDefinitions as an API server does that is asked to install them.
//
// What can be said in a schema is said in one, rules/kinds/apiextensions.k8s.io, and checked as for any other kind.
// Here is the rest, the schemas of the versions above all: which fields they may have where, what makes them
// structural, what a default must be, and what their rules compile to and may cost. Upstream's words are those of
// k8s.io/apiextensions-apiserver, ValidateCustomResourceDefinition.
package definition

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// The rules that only definitions can break.
const (
	// NotStructural is a schema that has a field it must not have, or lacks one it must have, to be structural.
	NotStructural diag.Rule = "not-structural"
	// BadDefault is a default that must not be there, or is not what its own schema wants.
	BadDefault diag.Rule = "bad-default"
	// CostlyRule is a rule that could take too long on the largest object of its schema.
	CostlyRule diag.Rule = "costly-rule"
)

// Check returns what an API server rejects a CustomResourceDefinition of apiextensions.k8s.io/v1 for, next to what
// the schema of its own kind says: the faults of the schemas of its versions, with their defaults and rules. The
// document must have been compared with that schema; what is of the wrong type there is skipped here.
func Check(root manifest.Node) []diag.Violation { return check(root, true) }

// CheckSchemas is Check without its dear part: no rule is compiled, and none evaluated on a default.
func CheckSchemas(root manifest.Node) []diag.Violation { return check(root, false) }

func check(root manifest.Node, compile bool) []diag.Violation {
	c := &checker{root: root, compile: compile}
	spec := at(root, "spec")
	if !spec.Valid() || spec.Type() != manifest.Map {
		return nil
	}
	c.approval()
	c.webhook(at(spec, "conversion", "webhook", "clientConfig"))
	c.versions(at(spec, "versions"))
	return c.found
}

type checker struct {
	root    manifest.Node
	compile bool // the rules are compiled
	found   []diag.Violation
	errors  int // violations found that are of severity Error

	mistyped int // of them, those of a wrong type
}

// versions checks the versions, each with what the server makes of it and the others: fields that are the same in all
// versions are moved to the definition as a whole, and then validated there (apiextensions/v1,
// Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec).
func (c *checker) versions(list manifest.Node) {
	if !list.Valid() || list.Type() != manifest.List {
		return
	}
	sameSchemas, sameFields := areSame(list, "schema"), areSame(list, "selectableFields")
	anyStatus := false
	for version := range list.Children() {
		anyStatus = anyStatus || at(version, "subresources", "status").Valid()
	}
	for version := range list.Children() {
		if version.Type() != manifest.Map {
			continue
		}
		c.deprecation(version)
		status := at(version, "subresources", "status").Valid()
		open := at(version, "schema", "openAPIV3Schema")
		if !open.Valid() || open.Type() != manifest.Map {
			continue
		}
		s := c.schema(open, status || anyStatus && sameSchemas)
		if fields := at(version, "selectableFields"); fields.Valid() && fields.Type() == manifest.List && fields.Len() > 0 {
			if sameSchemas != sameFields {
				c.splitFields(fields, sameSchemas)
				continue
			}
			c.selectableFields(fields, s)
		}
	}
}

// splitFields reports selectable fields that the server keeps apart from the schema that they are of, and so rejects:
// one is the same in all versions, the other is not.
func (c *checker) splitFields(fields manifest.Node, sameSchemas bool) {
	message := "these fields are the same in all versions, but the schemas differ, so the server finds no schema for them"
	if sameSchemas {
		message = "the schemas are the same in all versions, but these fields differ, so the server finds no schema for them"
	}
	c.add(fields, diag.Violation{
		Rule: NotStructural, Message: message, Help: "make both the same in all versions, or make both differ, for example by a description",
	})
}

// schema checks the schema of a version. It returns nil for one that is not even of the right types.
func (c *checker) schema(n manifest.Node, status bool) *schema.Schema {
	before := c.mistyped
	c.decode(n, ofSchema, true)
	if c.mistyped > before {
		return nil
	}
	s, _ := schema.Compile(n, true) // what it would report has been
	w := &walker{checker: c}
	if status {
		w.statusAtRoot(n)
	}
	if isTrue(n, "nullable") {
		w.forbid(n, "nullable", "the root must not be nullable")
	}
	w.structural(s, place{level: rootLevel}, newScope(s))
	w.complete(n, n)
	w.totalCost(n)
	return s
}

// add takes a violation of a node.
func (c *checker) add(n manifest.Node, v diag.Violation) {
	v = n.Finding(v)
	if v.Severity == diag.Error {
		c.errors++
	}
	c.found = append(c.found, v)
}

// at follows a path of fields; the node is not valid where one is absent or null, as upstream takes both for the same.
func at(n manifest.Node, names ...string) manifest.Node {
	for _, name := range names {
		if !n.Valid() {
			return n
		}
		f, ok := n.Field(name)
		if !ok || f.Type() == manifest.Null {
			return manifest.Node{}
		}
		n = f
	}
	return n
}

// isTrue reports whether a field is true.
func isTrue(n manifest.Node, name string) bool {
	f := at(n, name)
	return f.Valid() && f.Boolean()
}

// hasAny reports whether a field holds a list or map that is not empty.
func hasAny(n manifest.Node, name string) bool {
	f := at(n, name)
	return f.Valid() && f.Len() > 0
}
