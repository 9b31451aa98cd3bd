package builtin

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

var start = sync.OnceValues(New)

func server(t *testing.T) *Server {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// manifests returns the documents of the files in testdata/seeds.
func manifests(t *testing.T) []string {
	t.Helper()
	all, err := ReadSeeds(filepath.Join("testdata", "seeds"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryKindHasAManifestThatTheServerAccepts(t *testing.T) {
	s := server(t)
	missing := slices.DeleteFunc(s.Kinds(), func(kind string) bool { // internal/oracle draws definitions
		return kind == "apiextensions.k8s.io/v1 CustomResourceDefinition"
	})
	for _, text := range manifests(t) {
		if v := s.Verdict(parity.Request{New: text}); !v.Accepted {
			t.Errorf("%s: %v\n%s", v.Stage, v.Causes, text)
		}
		object, _, err := read(parity.Request{New: text})
		if err != nil {
			t.Fatal(err)
		}
		name := textAt(object, "apiVersion") + " " + kindName(object)
		missing = slices.DeleteFunc(missing, func(kind string) bool { return kind == name })
	}
	if kinds := len(s.Kinds()); kinds != 71 || len(missing) > 0 {
		t.Errorf("%d kinds, no manifest of %v", kinds, missing)
	}
}

func TestVerdictsNameStageAndCauses(t *testing.T) {
	const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, c := range []struct {
		name, old, text string
		json            bool
		stage           string
		cause           parity.Cause
	}{
		{name: "good", text: configMap},
		{
			name: "wrong type", text: configMap + "data: {a: 1}", stage: "decode",
			cause: parity.Cause{Field: "data", Reason: "BadRequest"},
		},
		{
			name: "unknown field", text: configMap + "date: {}", stage: "strict",
			cause: parity.Cause{Field: "date", Reason: "Unknown"},
		},
		{
			name: "duplicate key", text: configMap + "data: {}\ndata: {}", stage: "strict",
			cause: parity.Cause{Field: "data", Reason: "Duplicate key"},
		},
		{
			name: "duplicate field in JSON",
			text: `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "name": "b"}}`, json: true,
			stage: "strict", cause: parity.Cause{Field: "metadata.name", Reason: "Duplicate key"},
		},
		{
			name: "validation", text: configMap + "data: {a b: c}", stage: "validation",
			cause: parity.Cause{Field: "data[a b]", Reason: "FieldValueInvalid"},
		},
		{
			name: "update", old: configMap + "immutable: true", text: configMap, stage: "validation",
			cause: parity.Cause{Field: "immutable", Reason: "FieldValueForbidden"},
		},
		{name: "update without a change", old: configMap + "immutable: true", text: configMap + "immutable: true"},
		{
			name: "an integer in JSON",
			text: `{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "a"}, "value": 3.0}`,
			json: true,
		},
		{
			name: "syntax of JSON", text: "apiVersion: v1\nkind: Namespace", json: true, stage: "syntax",
			cause: parity.Cause{Reason: "Syntax"},
		},
		{name: "syntax", text: "a: [", stage: "syntax", cause: parity.Cause{Reason: "Syntax"}},
		{name: "removed version", text: "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget", stage: NotServed},
		{name: "removed group", text: "apiVersion: extensions/v1beta1\nkind: Ingress", stage: NotServed},
		{name: "other group", text: "apiVersion: example.com/v1\nkind: Pod", stage: Foreign},
		{name: "typed list", text: "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}]"},
		{
			name:  "second item of a list",
			text:  "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: ConfigMap, x: 1}",
			stage: "strict", cause: parity.Cause{Field: "x", Reason: "Unknown"},
		},
	} {
		v := server(t).Verdict(parity.Request{New: c.text, Old: c.old, JSON: c.json})
		var cause parity.Cause
		if len(v.Causes) > 0 {
			cause = v.Causes[0]
			cause.Message = ""
		}
		if v.Accepted != (c.stage == "") || v.Stage != c.stage || cause != c.cause {
			t.Errorf("%s: have %v %q %v, want %q %v", c.name, v.Accepted, v.Stage, v.Causes, c.stage, c.cause)
		}
	}
}

func TestWarningsAreThoseOfTheResponse(t *testing.T) {
	const old = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n"
	v := server(t).Verdict(parity.Request{New: old})
	if !v.Accepted || !slices.ContainsFunc(v.Warnings,
		func(w string) bool { return strings.HasPrefix(w, "v1 Endpoints is deprecated") }) {
		t.Errorf("have %v, %q", v.Accepted, v.Warnings)
	}
}
