// Package derived makes the CustomResourceDefinitions (CRDs) that controllers create for other definitions:
//
//	CompositeResourceDefinition  Crossplane: the composite resource and its claim
//	ConstraintTemplate           Gatekeeper: the constraint
//	ResourceGraphDefinition      kro: the instance
//
// What the controllers add to the schemas of the users is theirs: crossplane-runtime v2.3 (pkg/xcrd), frameworks
// (constraint/pkg/client/crds) with the match schema of Gatekeeper v3.23, and kro v0.9 (pkg/graph/crd, pkg/simpleschema).
package derived

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/search"
)

// Marks are parts of the texts of all documents that yield CRDs. The first one also finds CRDs, in one pass: the texts
// have the same rarest byte.
var Marks = [...]search.Text{
	search.For("CustomResourceDefinition", "CompositeResourceDefinition", "ConstraintTemplate"),
	search.For("ResourceGraphDefinition"),
}

// Mentioned reports whether a text may have a document that yields CRDs.
func Mentioned(text string) bool { return Marks[0].In(text) || Marks[1].In(text) }

// object is a decoded map.
type object = map[string]any

// makers return the CRDs of a document by its group and kind. They return none for a document that its controller
// rejects.
var makers = map[string]func(version string, document object) []object{
	"apiextensions.crossplane.io/CompositeResourceDefinition": ofCrossplane,
	"templates.gatekeeper.sh/ConstraintTemplate":              ofGatekeeper,
	"kro.run/ResourceGraphDefinition":                         ofKro,
}

// IsDefinition reports whether a document yields CRDs.
func IsDefinition(n manifest.Node) bool {
	maker, _ := makerOf(n)
	return maker != nil
}

func makerOf(n manifest.Node) (maker func(string, object) []object, version string) {
	if !n.Valid() || n.Type() != manifest.Map {
		return nil, ""
	}
	group, version, _ := strings.Cut(n.TextAt("apiVersion"), "/")
	return makers[group+"/"+n.TextAt("kind")], version
}

// CRDs yields the CRDs of a document as JSON.
func CRDs(n manifest.Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		maker, version := makerOf(n)
		if maker == nil {
			return
		}
		var document object
		decoder := json.NewDecoder(bytes.NewReader(n.AppendJSON(nil)))
		decoder.UseNumber()
		if decoder.Decode(&document) != nil {
			return
		}
		for _, crd := range maker(version, document) {
			text, err := json.Marshal(crd)
			if err != nil || !yield(string(text)) {
				return
			}
		}
	}
}

// at returns the map at a path; nil if there is none. Reading from it is safe.
func at(o object, path ...string) object {
	for _, name := range path {
		o, _ = o[name].(object)
	}
	return o
}

func textAt(o object, name string) string {
	text, _ := o[name].(string)
	return text
}

func listAt(o object, name string) []any {
	list, _ := o[name].([]any)
	return list
}

// newCRD returns a CRD.
func newCRD(group, scope string, names object, versions []any) object {
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": textAt(names, "plural") + "." + group},
		"spec":     object{"group": group, "scope": scope, "names": names, "versions": versions},
	}
}

// root returns the schema of an object with a spec and a status.
func root(spec, status object) object {
	return object{
		"type": "object",
		"properties": object{
			"apiVersion": object{"type": "string"}, "kind": object{"type": "string"}, "metadata": object{"type": "object"},
			"spec": spec, "status": status,
		},
	}
}

// shortName returns the schema of metadata with a name that is also the value of a label.
func shortName(maxLength any) object {
	return object{
		"type": "object", "properties": object{"name": object{"type": "string", "maxLength": maxLength}},
	}
}

// open returns a schema that allows every value.
func open() object { return object{"x-kubernetes-preserve-unknown-fields": true} }

// parse parses a schema that comes with the package.
func parse(text string) object {
	var o object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic("the schemas of controllers are JSON: " + err.Error())
	}
	return o
}
