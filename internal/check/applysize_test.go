package check

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// applied is an object with the data that gives the sizes of the test, and what is special about it.
type applied struct {
	apiVersion, kind string
	annotations      map[string]any
	data             string
}

func (a applied) object() map[string]any {
	metadata := map[string]any{"name": "a"}
	if a.annotations != nil {
		metadata["annotations"] = a.annotations
	}
	return map[string]any{"apiVersion": a.apiVersion, "kind": a.kind, "metadata": metadata, "data": map[string]any{"a": a.data}}
}

// annotationBytes is the size of the annotations after kubectl apply: what pkg/util.GetModifiedConfiguration of
// k8s.io/kubectl makes.
func (a applied) annotationBytes(t *testing.T) int {
	without := maps.Clone(a.annotations)
	delete(without, lastApplied)
	if without == nil {
		without = map[string]any{}
	}
	a.annotations = without
	size := len(lastApplied) + len(marshal(t, a.object())) + len("\n")
	for key, value := range without {
		size += len(key) + len(value.(string))
	}
	return size
}

func marshal(t *testing.T, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sizesToApply returns the messages of the findings about objects that are too large for kubectl apply.
func sizesToApply(text string, f File) (messages []string) {
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	for _, v := range engine.Check(&Memory{}, &source.Source{Name: "a.yaml", Text: text}, f).Violations {
		if v.Rule == diag.TooLargeToApply {
			messages = append(messages, v.Severity.String()+" "+v.Path.String()+" "+v.Message)
		}
	}
	return messages
}

func TestKubectlApplyCannotStoreTheJSONOfALargeObject(t *testing.T) {
	for name, a := range map[string]applied{
		"known kind":   {"v1", "ConfigMap", nil, ""},
		"Secret":       {"v1", "Secret", nil, ""},
		"unknown kind": {"example.test/v1", "Blob", nil, ""},
		"annotations":  {"v1", "ConfigMap", map[string]any{"a": "b", "c": "<ä>"}, ""},
		"applied":      {"v1", "ConfigMap", map[string]any{lastApplied: `{"a":"b"}`}, ""},
		"both":         {"v1", "ConfigMap", map[string]any{lastApplied: "{}\n", "a": "b"}, ""},
		"escapes":      {"v1", "ConfigMap", nil, "\n\t\r\b\f\x01\x7f\"\\/<>&äöü€😀\u2028\u2029"},
		"null":         {"v1", "ConfigMap", map[string]any{}, ""},
	} {
		a.data += strings.Repeat("x", maxAnnotations-a.annotationBytes(t))
		if size := a.annotationBytes(t); size != maxAnnotations {
			t.Fatalf("%s: the test makes %d bytes", name, size)
		}
		larger := a
		larger.data += "x"
		text, largerText := marshal(t, a.object()), marshal(t, larger.object())
		if name == "null" {
			text = strings.Replace(text, `"annotations":{}`, `"annotations":null`, 1)
			largerText = strings.Replace(largerText, `"annotations":{}`, `"annotations":null`, 1)
		}
		message := "too large for kubectl apply: annotations with its JSON have " + strconv.Itoa(maxAnnotations+1) +
			" bytes, at most 262144 allowed"
		if have := sizesToApply(text, File{}); len(have) > 0 {
			t.Errorf("%s: have %q, want none", name, have)
		}
		if have := sizesToApply(largerText, File{}); len(have) != 1 || have[0] != "info metadata.name "+message {
			t.Errorf("%s: have %q, want %q", name, have, message)
		}
		if have := sizesToApply(largerText, File{IsHelm: true, IsWritten: true}); len(have) > 0 {
			t.Errorf("%s: Helm does not set the annotation, but have %q", name, have)
		}
		list := `{"apiVersion":"v1","kind":"List","items":[` + text + "," + largerText + "]}"
		if have := sizesToApply(list, File{}); len(have) != 1 || have[0] != "info items[1].metadata.name "+message {
			t.Errorf("%s: have %q in a list, want %q for its second item", name, have, message)
		}
	}
}

func TestALargeObjectMayBeAppliedWithoutTheAnnotation(t *testing.T) {
	data := strings.Repeat("x", maxAnnotations)
	for options, want := range map[string]int{
		"": 1, "Prune=false": 1, "ServerSideApply=false": 1,
		"ServerSideApply=true": 0, "Prune=false, ServerSideApply=true": 0, "Replace=true": 0,
	} {
		a := applied{"v1", "ConfigMap", map[string]any{"argocd.argoproj.io/sync-options": options}, data}
		if have := sizesToApply(marshal(t, a.object()), File{}); len(have) != want {
			t.Errorf("%q: have %q, want %d findings", options, have, want)
		}
	}
	for name, text := range map[string]string{
		"kubectl apply requires a name": "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a}\ndata: {a: " + data + "}\n",
		"SOPS": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: " + data + "}\n" +
			"sops: {mac: a, version: 3.9.0}\n",
		"not sent": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: " + data + "}\nitems: []\n",
		"error":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: [a]}\ndata: {a: " + data + "}\n",
	} {
		if have := sizesToApply(text, File{}); len(have) > 0 {
			t.Errorf("%s: have %q, want none", name, have)
		}
	}
}
