// Package definition validates CustomResourceDefinitions as an API server does before it installs them.
//
// What a schema can express is in the schema rules/kinds/apiextensions.k8s.io, and is checked as for any other kind.
// This package checks the rest, above all the schemas of the versions: which fields they may have where, whether they
// are structural, whether their defaults are valid, and whether their rules compile and what they may cost. The
// upstream code is in k8s.io/apiextensions-apiserver, ValidateCustomResourceDefinition.
package definition

import (
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Check returns what an API server rejects in a CustomResourceDefinition of apiextensions.k8s.io/v1 beyond what the
// schema of that kind states: the faults in the schemas of its versions, their defaults and their rules. The document
// must have been checked against the schema of its kind. Check skips values of the wrong type. If old is valid, it is
// the CRD before an update.
//
// The rules of defaults may only cost what an allowance, which may be nil, has left.
func Check(allowance *cel.Allowance, server cel.Server, root, old manifest.Node) []diag.Violation {
	share := allowance.Share(root.Size())
	defer share.Close()
	c := &checker{root: root, old: old, server: server, compile: true, share: &share, work: mostWork}
	c.check()
	return c.found
}

// CheckSchemas is [Check] without its expensive part: it does not compile rules, and does not evaluate them on
// defaults.
func CheckSchemas(root manifest.Node) []diag.Violation {
	c := &checker{root: root}
	c.check()
	return c.found
}

func (c *checker) check() {
	spec := at(c.root, "spec")
	if !spec.Valid() || spec.Type() != manifest.Map {
		return
	}
	c.statusOf(at(c.root, "status"))
	c.approval()
	c.webhook(at(spec, webhookConfig...), at(c.old, append([]string{"spec"}, webhookConfig...)...))
	c.versions(at(spec, "versions"), at(c.old, "spec", "versions"))
	c.stored(at(spec, "versions"))
}

// webhookConfig is the path of the configuration of a conversion webhook in the spec.
var webhookConfig = []string{"conversion", "webhook", "clientConfig"}

// mostWork is the maximum work of compiling the rules of one CRD. One unit takes the compiler a few microseconds. Raise it
// if a CRD that a server accepts reaches half of it.
const mostWork = 512 << 10

type checker struct {
	root    manifest.Node
	old     manifest.Node // the installed CRD, if the document is an update
	server  cel.Server
	compile bool       // whether to compile the rules
	share   *cel.Share // what rules may cost on defaults, if they are compiled
	found   []diag.Violation
	work    int // of compiling rules that is left
	errors  int // number of violations of severity Error

	storedRules storedRules // of the installed CRD, if they have been needed

	tolerable  tolerable  // what the document has
	tolerances *tolerable // what the installed CRD has; nil if it has not been needed

	mistyped int // number of errors about a wrong type
}

// versions checks the versions. The server first moves fields that are the same in all versions to the definition as a
// whole, and validates them there (apiextensions/v1,
// Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec).
func (c *checker) versions(list, old manifest.Node) {
	if !list.Valid() || list.Type() != manifest.List {
		return
	}
	installed := fieldsByName(old, "schema")
	installedFields := fieldsByName(old, "selectableFields")
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
		w := &walker{checker: c, anyCost: sameField(at(version, "schema"), installed[version.TextAt("name")])}
		s := w.schema(open, status || anyStatus && sameSchemas)
		fields := at(version, "selectableFields")
		if fields.Valid() && fields.Type() == manifest.List && fields.Len() > 0 && c.serves(fields, len(installedFields) > 0) {
			if sameSchemas != sameFields {
				c.splitFields(fields, sameSchemas)
				continue
			}
			c.selectableFields(fields, installedFields[version.TextAt("name")], s)
		}
	}
}

// fieldsByName returns a field of the versions that have it by the names of the versions.
func fieldsByName(list manifest.Node, name string) map[string]manifest.Node {
	all := map[string]manifest.Node{}
	for version := range children(list) {
		if version.Type() == manifest.Map {
			if f := at(version, name); f.Valid() {
				all[version.TextAt("name")] = f
			}
		}
	}
	return all
}

// splitFields reports selectable fields that the server rejects because it keeps them apart from their schema: either
// the fields or the schemas are the same in all versions, but not both.
func (c *checker) splitFields(fields manifest.Node, sameSchemas bool) {
	message := "these fields are the same in all versions, but the schemas differ, so the server finds no schema for them"
	if sameSchemas {
		message = "the schemas are the same in all versions, but these fields differ, so the server finds no schema for them"
	}
	c.add(fields, diag.Violation{
		Rule: diag.NotStructural, Message: message,
		Help: "make both the same in all versions, or make both differ, for example by a description",
	})
}

// schema checks the schema of a version. It returns nil if the schema has values of the wrong type.
func (w *walker) schema(n manifest.Node, status bool) *schema.Schema {
	before := w.mistyped
	w.decode(n, ofSchema, true)
	if w.mistyped > before {
		return nil
	}
	s, _ := schema.Compile(n, true) // its violations have been reported already
	if status {
		w.statusAtRoot(n)
	}
	if isTrue(n, "nullable") {
		w.forbid(n, "nullable", "the root must not be nullable")
	}
	w.structural(s, place{level: rootLevel}, newScope(s, w.server.Minor))
	w.complete(n, n)
	w.totalCost(n)
	return s
}

// add records a violation of a node.
func (c *checker) add(n manifest.Node, v diag.Violation) {
	v = n.Finding(v)
	if v.Severity == diag.Error {
		c.errors++
	}
	c.found = append(c.found, v)
}

// at follows a path of fields. The returned node is not valid if one of them is absent or null, because upstream
// treats both the same.
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

// hasAny reports whether a field holds a non-empty list or map.
func hasAny(n manifest.Node, name string) bool {
	f := at(n, name)
	return f.Valid() && f.Len() > 0
}
