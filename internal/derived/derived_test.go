package derived

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// read reads a document.
func read(t *testing.T, text string) manifest.Node {
	t.Helper()
	src, tree := &source.Source{Name: "a.yaml", Text: text}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatal(vs)
		}
	}
	return tree.Root()
}

// crdsOf returns the CRDs of a document.
func crdsOf(t *testing.T, text string) (crds []object) {
	t.Helper()
	root := read(t, text)
	for text := range CRDs(root) {
		crds = append(crds, parse(text))
	}
	if len(crds) > 0 && (!IsDefinition(root) || !Mentioned(text)) {
		t.Errorf("it has CRDs, but does not look as if: %s", text)
	}
	return crds
}

// schemaAt returns a part of the schema of the first version of a CRD as JSON.
func schemaAt(crd object, path ...string) string {
	first, _ := listAt(at(crd, "spec"), "versions")[0].(object)
	text, _ := json.Marshal(at(first, append([]string{"schema", "openAPIV3Schema", "properties"}, path...)...))
	return string(text)
}

const composite = `apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xshops.example.com}
spec:
  group: example.com
  names: {kind: XShop, plural: xshops, categories: [crossplane]}
  claimNames: {kind: Shop, plural: shops}
  versions:
  - name: v1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          metadata: {properties: {name: {maxLength: 20}}}
          spec: {type: object, required: [size], properties: {size: {type: integer}}}
`

func TestACompositeResourceAndItsClaimHaveTheFieldsOfTheUserAndOfCrossplane(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"", "", "Cluster XShop example.com compositionRef; Namespaced Shop example.com compositionRef"},
		{"claimNames: {kind: Shop, plural: shops}", "", "Cluster XShop example.com compositionRef"},
		{"io/v1\n", "io/v2\n", "Namespaced XShop example.com crossplane"},
		{"group:", "scope: Cluster\n  group:", "Cluster XShop example.com crossplane"},
		{"group:", "scope: Other\n  group:", ""},
		{"io/v1\n", "com/v1\n", ""},
	} {
		var have []string
		for _, crd := range crdsOf(t, strings.Replace(composite, c.from, c.to, 1)) {
			spec, added := at(crd, "spec"), "none"
			for _, name := range []string{"compositionRef", "crossplane"} {
				if schemaAt(crd, "spec", "properties", name) != "null" {
					added = name
				}
			}
			have = append(have, fmt.Sprint(spec["scope"], " ", at(spec, "names")["kind"], " ", spec["group"], " ", added))
			if size := schemaAt(crd, "spec", "properties", "size"); size != `{"type":"integer"}` {
				t.Errorf("%s: size: %s", c.to, size)
			}
			if name := schemaAt(crd, "metadata", "properties", "name"); name != `{"maxLength":20,"type":"string"}` {
				t.Errorf("%s: name: %s", c.to, name)
			}
			if at(spec, "names")["categories"] != nil {
				t.Errorf("%s: the categories are those of the user", c.to)
			}
		}
		if have := strings.Join(have, "; "); have != c.want {
			t.Errorf("%s: %s, want %s", c.to, have, c.want)
		}
	}
}

func TestAVersionOfACompositeResourceIsServedAsItsDefinitionSays(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"", "", "[map[name:v1 served:true storage:true] [spec]]"},
		{"    served: true\n", "", "[map[name:v1 served:true storage:true] [spec]]"},
		{"served: true", "served: false", "[map[name:v1 served:false storage:true] [spec]]"},
		{"referenceable: true", "referenceable: false", "[map[name:v1 served:true storage:false] [spec]]"},
		{"served:", "deprecated: true\n    served:", "[map[deprecated:true name:v1 served:true storage:true] [spec]]"},
	} {
		for _, crd := range crdsOf(t, strings.Replace(composite, c.from, c.to, 1)) {
			version, _ := listAt(at(crd, "spec"), "versions")[0].(object)
			required := at(version, "schema", "openAPIV3Schema")["required"]
			delete(version, "schema")
			if have := fmt.Sprint([]any{version, required}); have != c.want {
				t.Errorf("%s: %s, want %s", c.to, have, c.want)
			}
		}
	}
}

func TestVersionsOfACompositeResourceHaveALimit(t *testing.T) {
	with := func(n int) string {
		return strings.Replace(composite, "  versions:\n", "  versions:\n"+strings.Repeat("  - {name: v0}\n", n-1), 1)
	}
	if have := crdsOf(t, with(maxVersions)); len(have) != 2 || len(listAt(at(have[0], "spec"), "versions")) != maxVersions {
		t.Errorf("%d versions are rejected", maxVersions)
	}
	if have := crdsOf(t, with(maxVersions+1)); len(have) != 0 {
		t.Errorf("%d versions are not rejected", maxVersions+1)
	}
}

const constraint = `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: shopnames}
spec:
  crd:
    spec:
      names: {kind: ShopNames}
      validation: {openAPIV3Schema: {type: object, properties: {names: {type: array, items: {type: object}}}}}
`

func TestAConstraintHasTheParametersOfItsTemplate(t *testing.T) {
	const closed = `{"properties":{"names":{"items":{"type":"object"},"type":"array"}},"type":"object"}`
	const opened = `{"properties":{"names":{"items":{"type":"object","x-kubernetes-preserve-unknown-fields":true},` +
		`"type":"array"}},"type":"object","x-kubernetes-preserve-unknown-fields":true}`
	for _, c := range []struct{ from, to, want string }{
		{"", "", closed},
		{"sh/v1\n", "sh/v1beta1\n", opened},
		{"validation: {", "validation: {legacySchema: true, ", opened},
		{"      validation:", "      other:", "null"},
		{"kind: ShopNames", "plural: shopnames", ""},
	} {
		have := ""
		for _, crd := range crdsOf(t, strings.Replace(constraint, c.from, c.to, 1)) {
			have += schemaAt(crd, "spec", "properties", "parameters")
			if match := schemaAt(crd, "spec", "properties", "match"); match == "null" {
				t.Errorf("%s: no match", c.to)
			}
			if name := schemaAt(crd, "metadata", "properties", "name"); name != `{"maxLength":63,"type":"string"}` {
				t.Errorf("%s: name: %s", c.to, name)
			}
			var stored []any
			for _, v := range listAt(at(crd, "spec"), "versions") {
				stored = append(stored, v.(object)["name"], v.(object)["storage"])
			}
			if have := fmt.Sprint(stored); have != "[v1beta1 true v1alpha1 false]" {
				t.Errorf("%s: %s", c.to, have)
			}
			if name := at(crd, "metadata")["name"]; name != "shopnames.constraints.gatekeeper.sh" {
				t.Errorf("%s: %v", c.to, name)
			}
		}
		if have != c.want {
			t.Errorf("%s: %s, want %s", c.to, have, c.want)
		}
	}
}

const graph = `apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: shop}
spec:
  schema:
    apiVersion: v1
    kind: Shop
    types: {Door: {name: string}}
    spec: {doors: "[]Door", size: integer | default=3}
`

func TestAnInstanceOfAGraphHasTheFieldsOfItsSchema(t *testing.T) {
	const fields = `{"doors":{"items":{"properties":{"name":{"type":"string"}},"type":"object"},"type":"array"},` +
		`"size":{"default":3,"type":"integer"}}`
	for _, c := range []struct{ from, to, want string }{
		{"", "", "shops.kro.run Namespaced " + fields},
		{"kind: Shop", "kind: Shop\n    group: example.com\n    scope: Cluster", "shops.example.com Cluster " + fields},
		{"kind: Shop", "other: Shop", ""},
		{"    apiVersion: v1", "    other: v1", ""},
		{"name: string", "name: Unknown", ""},
		{"integer |", "Unknown |", ""},
	} {
		have := ""
		for _, crd := range crdsOf(t, strings.Replace(graph, c.from, c.to, 1)) {
			have += fmt.Sprint(at(crd, "metadata")["name"], " ", at(crd, "spec")["scope"], " ", schemaAt(crd, "spec", "properties"))
		}
		if have != c.want {
			t.Errorf("%s: %s, want %s", c.to, have, c.want)
		}
	}
}

// Documents of strangers have any type in any place.
func TestDefinitionsOfTheWrongTypesAreNoFailure(t *testing.T) {
	for _, text := range []string{composite, constraint, graph} {
		all := parse(string(read(t, text).AppendJSON(nil)))
		var replace func(o, with any)
		replace = func(o, with any) {
			switch v := o.(type) {
			case object:
				for name, old := range v {
					v[name] = with
					changed, err := json.Marshal(all)
					if err != nil {
						t.Fatal(err)
					}
					crdsOf(t, string(changed))
					v[name] = old
					replace(old, with)
				}
			case []any:
				for _, below := range v {
					replace(below, with)
				}
			}
		}
		for _, with := range []any{nil, 7, "a", []any{1, object{}}, object{"a": []any{object{}}}} {
			replace(all, with)
		}
	}
}
