package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestADocumentIsKeptAsItIs(t *testing.T) {
	text := "# a license\n" + crd("example.com", "widgets", "a")
	crds, problems := split(t,
		"apiVersion: v1\nkind: Namespace\n---\n"+text+"\n\n--- # next\n"+crd("example.com", "gadgets", "b"))
	if len(problems) > 0 || len(crds) != 2 || crds[0] != (CRD{"example.com/widgets.yaml", text, "in.yaml", "Widget"}) {
		t.Errorf("%q, %v", crds, problems)
	}
	if crds[0].Name() != "widgets.example.com" {
		t.Error(crds[0].Name())
	}
}

// A cluster's objects have fields that change all the time.
func TestAnItemOfAListIsWrittenWithWhatDefinesTheKind(t *testing.T) {
	list := `{"apiVersion": "v1", "kind": "List", "items": [{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
"metadata": {"uid": "1", "resourceVersion": "2", "name": "widgets.example.com", "annotations": {"a": "b", "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
"spec": {"conversion": {"strategy": "Webhook"}, "group": "example.com", "names": {"kind": "Widget", "plural": "widgets"}, "scope": "Cluster",
"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "maxProperties": 9007199254740993}}}]},
"status": {"storedVersions": ["v1"]}}]}`
	want := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    a: b
  name: widgets.example.com
spec:
  group: example.com
  names:
    kind: Widget
    plural: widgets
  scope: Cluster
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        maxProperties: 9007199254740993
        type: object
    served: true
    storage: true
`
	crds, problems := Split(&source.Source{Name: "cluster", Text: list})
	if len(problems) > 0 || len(crds) != 1 || crds[0].Text != want {
		t.Errorf("%v\n%v", problems, crds)
	}
}

func TestWhatCannotBeUsedIsAProblem(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"kind: CustomResourceDefinition\nspec: [", "in.yaml:2: "},
		{
			"{{ if .Values.crds }}\nkind: CustomResourceDefinition\n{{ end }}\n",
			"is a template; add what 'helm template --include-crds' prints",
		},
		{
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {names: {}}\n",
			`in.yaml:1: "" is not a valid API group`,
		},
		{crd("../../etc", "widgets", "a"), `"../../etc" is not a valid API group`},
		{crd("example.com/..", "widgets", "a"), `"example.com/.." is not a valid API group`},
		{crd("example.com", "../widgets", "a"), `"../widgets" is not a valid plural`},
		{crd("example.com", "wid/gets", "a"), `"wid/gets" is not a valid plural`},
		{crd("Example.com", "widgets", "a"), `"Example.com" is not a valid API group`},
		{crd("'{{ .Values.group }}'", "widgets", "a"), `is not a valid API group`},
		{crd(strings.Repeat("a.", 126)+"io", "widgets", "a"), "is not a valid API group"},
		{
			strings.Replace(crd("example.com", "widgets", "a"), "/v1", "/v1beta1", 1),
			"cannot be used: apiVersion: must be apiextensions.k8s.io/v1",
		},
		{
			strings.Replace(crd("example.com", "widgets", "a"), "served: true", "served: false", 1),
			"cannot be used: it has no version with a schema",
		},
		{
			strings.Replace(crd("example.com", "widgets", "a"), "type: object", "type: object, properties: {a: {type: array}}", 1),
			"an API server rejects it: line ",
		},
		{
			strings.Replace(crd("example.com", "widgets", "a"), "type: object", "type: object, properties: {a: {}}", 1),
			": a field must have a type",
		},
	} {
		crds, problems := split(t, c.text)
		if len(crds) > 0 || len(problems) != 1 || !strings.Contains(problems[0], c.want) {
			t.Errorf("%.80q: %v, %v; want %s", c.text, crds, problems, c.want)
		}
	}
	for _, text := range []string{
		"kind: Widget\nspec: [\n",
		"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {conversion: {}}\n",
	} {
		if crds, problems := split(t, text); len(crds)+len(problems) > 0 {
			t.Errorf("%q: %v, %v", text, crds, problems)
		}
	}
}

func TestOfSeveralCRDsWithOneNameTheFirstIsKept(t *testing.T) {
	var all []CRD
	for i, text := range []string{crd("example.com", "widgets", "a"), crd("example.com", "widgets", "a"),
		crd("example.com", "widgets", "b"),
		crd("example.com", "gadgets", "a")} {
		crds, _ := Split(&source.Source{Name: fmt.Sprint(i, ".yaml"), Text: text})
		all = append(all, crds...)
	}
	unique, conflicts := Unique(all)
	if len(unique) != 2 || unique[1].Origin != "0.yaml" ||
		fmt.Sprint(conflicts) != "[2.yaml: widgets.example.com is taken from 0.yaml]" {
		t.Errorf("%v, %v", unique, conflicts)
	}
}
