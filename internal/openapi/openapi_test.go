package openapi

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/source"
)

var shop = projects.OpenAPI{
	File: "openapi.json",
	Kinds: []projects.DefinedKind{
		{
			Definition: "com.example.v1.Shop", Group: "example.com", Versions: []string{"v1", "v1beta1"}, Kind: "Shop", Plural: "shops",
			IsNamespaced: true,
		},
		{Definition: "com.example.v1.Empty", Group: "example.com", Versions: []string{"v1"}, Kind: "Empty", Plural: "empties"},
		{Definition: "com.example.v1.Missing", Group: "example.com", Versions: []string{"v1"}, Kind: "Missing", Plural: "missings"},
	},
}

// crds returns the CRDs that testdata/shop.json gives.
func crds(t *testing.T, api projects.OpenAPI) string {
	t.Helper()
	text, err := os.ReadFile("testdata/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := CRDs(string(text), api)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// findings checks a Shop, and returns what is wrong with it.
func findings(t *testing.T, list, object string) (found []string) {
	t.Helper()
	kinds, n, violations := catalog.ReadCRDs(&source.Source{Name: "list.json", Text: list})
	if n != 1 || len(violations) > 0 || len(kinds[0].Violations()) > 0 {
		t.Fatalf("%d CRDs: %v", n, append(violations, kinds[0].Violations()...))
	}
	engine := check.New(check.Options{Catalog: catalog.New(kinds)})
	text := "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: a}\n" + object
	report, _ := engine.Texts([]*source.Source{{Name: "a.yaml", Text: text}})
	for _, v := range report.Violations {
		if v.Severity == diag.Error {
			found = append(found, v.Path.String()+" "+string(v.Rule))
		}
	}
	return found
}

func TestKindsHaveTheFieldsAndTypesOfTheirDefinitions(t *testing.T) {
	list := crds(t, shop)
	for object, want := range map[string]string{
		"spec: {open: 8, doors: [{name: a}], labels: {a: b}, when: 2024-01-01T00:00:00Z}": "",
		"spec: {open: null, doors: null}":                                                 "", // decoding accepts null
		"spec: {}":                                                                        "", // and does not know what is required
		"spec: {port: 80, size: 0.5, raw: {a: [1]}}":                                      "",
		"spec: {port: web, size: 1Gi, inner: {inner: {}}}":                                "",
		"spec: {opens: 8}":                                                                "spec.opens unknown-field",
		"spec: {open: \"8\"}":                                                             "spec.open wrong-type",
		"spec: {doors: [{nam: a}]}":                                                       "spec.doors[0].nam unknown-field",
		"spec: {labels: {a: 1}}":                                                          "spec.labels.a wrong-type",
		"spec: {template: {metadata: {nam: a}}}":                                          "spec.template.metadata.nam unknown-field",
		"spec: {template: {metadata: {labels: {a: b}}}}":                                  "",
		"status: {metadata: {id: a}}":                                                     "", // only that of the root is ObjectMeta
		"status: {metadata: {name: a}}":                                                   "status.metadata.name unknown-field",
		"spec: {empty: {a: 1}}":                                                           "",
		"status: {phase: [a]}":                                                            "status.phase wrong-type",
	} {
		if have := strings.Join(findings(t, list, object), ", "); have != want {
			t.Errorf("%s: %q, want %q", object, have, want)
		}
	}
}

func TestCRDsThatAProgramMakesLeaveMetadataBelowTheRootOpen(t *testing.T) {
	made := shop
	made.IsOfCRDs = true
	if have := findings(t, crds(t, made), "spec: {template: {metadata: {nam: a}}}"); len(have) > 0 {
		t.Error(have)
	}
}

// An aggregated server has names such as kube:admin.
func TestScopeAndNamesAreThoseOfTheServer(t *testing.T) {
	for _, c := range []struct {
		isNamespaced, isOfCRDs bool
		want                   string
	}{
		{true, false, "Namespaced path-segment"}, {false, false, "Cluster path-segment"}, {false, true, "Cluster "},
	} {
		api := shop
		api.Kinds, api.IsOfCRDs = slices.Clone(api.Kinds[:1]), c.isOfCRDs
		api.Kinds[0].IsNamespaced = c.isNamespaced
		var list struct {
			Items []struct {
				Metadata struct{ Annotations map[string]string }
				Spec     struct{ Scope string }
			}
		}
		if err := json.Unmarshal([]byte(crds(t, api)), &list); err != nil || len(list.Items) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		if have := list.Items[0].Spec.Scope + " " + list.Items[0].Metadata.Annotations["kindvet/names"]; have != c.want {
			t.Errorf("%+v: %s", c, have)
		}
	}
}

func TestATextThatIsNoOpenAPIDocumentIsAnError(t *testing.T) {
	for _, text := range []string{"", "a: b", "[]"} {
		if list, err := CRDs(text, shop); err == nil {
			t.Errorf("%q: %s", text, list)
		}
	}
}

// limited returns whether the definition Shop is too large, which has fields with each of the schemas.
func limited(t *testing.T, definitions object, schemas ...any) bool {
	t.Helper()
	fields := object{}
	for i, s := range schemas {
		fields["f"+strconv.Itoa(i)] = s
	}
	definitions["com.example.v1.Shop"] = object{"type": "object", "properties": fields}
	text, err := json.Marshal(object{"definitions": definitions})
	if err != nil {
		t.Fatal(err)
	}
	_, err = CRDs(string(text), shop)
	if err != nil && err.Error() != "definition com.example.v1.Shop is too large" {
		t.Fatal(err)
	}
	return err != nil
}

func ref(name string) object { return object{"$ref": "#/definitions/" + name} }

func TestSchemasOfAKindHaveALimit(t *testing.T) {
	fields := make([]any, maxWritten, maxWritten+1)
	for i := range fields {
		fields[i] = object{"type": "string"}
	}
	if limited(t, object{}, fields...) || !limited(t, object{}, append(fields, fields[0])...) {
		t.Error("the limit differs")
	}
	twice := object{} // each definition refers twice to the next one
	for i := range 40 {
		next := ref(strconv.Itoa(i + 1))
		twice[strconv.Itoa(i)] = object{"type": "object", "properties": object{"a": next, "b": next}}
	}
	if !limited(t, twice, ref("0")) {
		t.Error("2^40 schemas have no limit")
	}
}

func TestDefinitionsAroundASchemaHaveALimit(t *testing.T) {
	chain := func(n int) object {
		all := object{strconv.Itoa(n): object{"type": "string"}}
		for i := range n {
			all[strconv.Itoa(i)] = object{"type": "array", "items": ref(strconv.Itoa(i + 1))}
		}
		return all
	}
	if limited(t, chain(maxInside), ref("0")) || !limited(t, chain(maxInside+1), ref("0")) {
		t.Error("the limit differs")
	}
}

// Many fields may have a definition with a long text.
func TestTextsHaveALimit(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	for _, definition := range []object{
		{"type": "string", "description": long},
		{"type": "object", "properties": object{long: object{"type": "string"}}},
	} {
		fields := make([]any, 17)
		for i := range fields {
			fields[i] = ref("long")
		}
		if limited(t, object{"long": definition}, fields[:15]...) || !limited(t, object{"long": definition}, fields...) {
			t.Error("the limit differs")
		}
	}
}
