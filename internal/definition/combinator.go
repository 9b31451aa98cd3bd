package definition

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

var combinatorNames = []string{"allOf", "anyOf", "oneOf"}

// pair tells where a schema has the anyOf of integer and string, the only combinator that may name types
// (apiextensions-apiserver, schema.isIntOrStringAnyOfPattern, isIntOrStringAllOfPattern). Upstream does not require
// x-kubernetes-int-or-string next to it.
type pair struct{ anyOf, firstAllOf bool }

func pairOf(n manifest.Node) pair {
	p := pair{anyOf: isPair(at(n, "anyOf"))}
	if allOf := at(n, "allOf"); allOf.Valid() && allOf.Len() > 0 && allOf.First().Type() == manifest.Map {
		p.firstAllOf = isPair(at(allOf.First(), "anyOf"))
	}
	return p
}

func isPair(anyOf manifest.Node) bool {
	return anyOf.Valid() && anyOf.Len() == 2 && saysTypeOnly(anyOf.First(), "integer") &&
		saysTypeOnly(anyOf.First().Next(), "string")
}

// saysTypeOnly reports whether a schema states only the given type. Unknown fields do not count, because a server
// drops or rejects them.
func saysTypeOnly(n manifest.Node, typ string) bool {
	if n.Type() != manifest.Map || n.TextAt("type") != typ {
		return false
	}
	for f := range n.Children() {
		_, isKnown := find(fields[ofSchema], f.Key())
		if isKnown && f.Key() != "type" && (!isZero(f) || f.Key() == "properties" && f.Type() == manifest.Map) {
			return false
		}
	}
	return true
}

// combinators checks the alternatives of a schema (schema.validateValueValidation).
func (w *walker) combinators(n manifest.Node, known pair) {
	for _, name := range combinatorNames {
		for branch := range children(at(n, name)) {
			if name == "anyOf" && known.anyOf {
				continue
			}
			w.nested(branch, pair{anyOf: name == "allOf" && known.firstAllOf && branch == at(n, name).First()})
		}
	}
	if not := at(n, "not"); not.Valid() {
		w.nested(not, pair{})
	}
}

func children(n manifest.Node) func(yield func(manifest.Node) bool) {
	if !n.Valid() {
		return func(func(manifest.Node) bool) {}
	}
	return n.Children()
}

// mustNotNest are the fields that a schema under allOf, anyOf, oneOf or not must not have, because it restricts values
// and does not describe them.
var mustNotNest = []string{
	"type", "default", "title", "description", "nullable", "x-kubernetes-preserve-unknown-fields",
	"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys",
	"x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations",
}

// nested checks a schema that restricts values (schema.validateNestedValueValidation).
func (w *walker) nested(n manifest.Node, known pair) {
	if n.Type() != manifest.Map {
		return
	}
	w.unsupported(n)
	w.shared(n)
	for _, name := range mustNotNest {
		if f := at(n, name); f.Valid() && !isAbsent(f) {
			w.add(f, diag.Violation{
				Rule: diag.NotStructural, Message: name + " is not allowed under allOf, anyOf, oneOf or not",
				Help:  "move it to the schema itself",
				Place: f.KeyPlace(),
			})
		}
	}
	if more := at(n, "additionalProperties"); more.Valid() && (more.Type() == manifest.Map || more.Boolean()) {
		w.forbid(n, "additionalProperties", "additionalProperties is not allowed under allOf, anyOf, oneOf or not")
	}
	w.combinators(n, known)
	if items := at(n, "items"); isSchema(items) {
		w.nested(items, pair{})
	}
	for p := range children(at(n, "properties")) {
		if p.Key() == "metadata" {
			w.add(p, diag.Violation{
				Rule: diag.NotStructural, Message: "metadata must not be restricted under allOf, anyOf, oneOf or not",
				Place: p.KeyPlace(),
			})
		}
		w.nested(p, pair{})
	}
}

// isAbsent reports whether a field under a combinator counts as absent.
func isAbsent(f manifest.Node) bool {
	switch f.Key() {
	case "x-kubernetes-list-type", "x-kubernetes-map-type", "default":
		return false
	case "x-kubernetes-list-map-keys", "x-kubernetes-validations":
		return f.Len() == 0
	}
	return f.Type() == manifest.String && f.Text() == "" || f.Type() == manifest.Boolean && !f.Boolean()
}

// complete reports fields and items that are restricted under a combinator of the root but not described anywhere.
// Upstream checks only the combinators of the root (schema.validateStructuralCompleteness).
func (w *walker) complete(n, described manifest.Node) {
	if n.Type() != manifest.Map {
		return
	}
	for _, name := range combinatorNames {
		for branch := range children(at(n, name)) {
			w.completeBranch(branch, described)
		}
	}
	if not := at(n, "not"); not.Valid() {
		w.completeBranch(not, described)
	}
}

func (w *walker) completeBranch(n, described manifest.Node) {
	if n.Type() != manifest.Map {
		return
	}
	w.complete(n, described)
	if items := at(n, "items"); isSchema(items) {
		w.describedBy(items, at(described, "items"), "the items are")
	}
	for p := range children(at(n, "properties")) {
		w.describedBy(p, at(described, "properties", p.Key()), "the field is")
	}
}

func (w *walker) describedBy(n, described manifest.Node, what string) {
	if !isSchema(described) {
		if described.Valid() || !slices.Contains([]manifest.Type{manifest.Map, manifest.Null}, n.Type()) {
			return
		}
		w.add(n, diag.Violation{
			Rule: diag.NotStructural, Message: what + " restricted here, but not declared in the schema itself",
			Place: n.HeadPlace(), Help: "declare it with its type outside allOf, anyOf, oneOf and not",
		})
		return
	}
	w.completeBranch(n, described)
}
