package openapi

import (
	"os"
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

func TestATextThatIsNoOpenAPIDocumentIsAnError(t *testing.T) {
	for _, text := range []string{"", "a: b", "[]"} {
		if list, err := CRDs(text, shop); err == nil {
			t.Errorf("%q: %s", text, list)
		}
	}
}

// Each definition refers twice to the next one.
func TestReferencesHaveALimit(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"definitions":{"com.example.v1.Shop":{"type":"object","properties":{"a":{"$ref":"#/definitions/d.0"}}}`)
	for i := range 40 {
		next := string(rune('0' + i + 1))
		b.WriteString(`,"d.` + string(rune('0'+i)) + `":{"type":"object","properties":{"a":{"$ref":"#/definitions/d.` + next +
			`"},"b":{"$ref":"#/definitions/d.` + next + `"}}}`)
	}
	b.WriteString("}}")
	if _, err := CRDs(b.String(), shop); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Error(err)
	}
}
