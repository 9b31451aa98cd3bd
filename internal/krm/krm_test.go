package krm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

const list = `# made by hand
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: example.com/v1
  kind: Widget
  metadata:
    name: a
    annotations: {internal.config.kubernetes.io/path: apps/a.yaml, internal.config.kubernetes.io/index: '2'}
  spec: {size: 11} # too large
`

func TestOnlyAResourceListIsOne(t *testing.T) {
	for text, want := range map[string]bool{
		list: true,
		`{"apiVersion":"config.kubernetes.io/v1alpha1","kind":"ResourceList","items":[]}`: true,
		"apiVersion: v1\nkind: List\nitems: []\n":                                         false,
		"apiVersion: config.kubernetes.io/v1\nkind: Other\n":                              false,
		list + "---\n" + list: false,
		"kind: [":             false,
		"":                    false,
	} {
		if _, ok := Read(text); ok != want {
			t.Errorf("%q: have %v, want %v", text, ok, want)
		}
	}
}

func TestTheAnswerIsTheListWithResults(t *testing.T) {
	l, _ := Read(list)
	if have := l.Answer(nil); have != list {
		t.Errorf("without violations, have\n%s", have)
	}
	v := diag.Violation{
		Rule: "out-of-range", Severity: diag.Error, Message: "must be at most 10, got 11", Help: "make it smaller",
		Path: diag.Fields("items").Item(0).Field("spec").Field("size"),
		Place: (&source.Source{Text: list}).Place(source.Span{
			Start: strings.Index(list, "11}"), End: strings.Index(list, "11}") + 2,
		}), Object: diag.Object{APIVersion: "example.com/v1", Kind: "Widget", Name: "a"},
	}
	want := strings.Replace(list, "apiVersion", `results:
- {"message":"must be at most 10, got 11; make it smaller","severity":"error","resourceRef":{"apiVersion":"example.com/v1","kind":"Widget","name":"a"},"field":{"path":"spec.size"},"file":{"path":"apps/a.yaml","index":2},"tags":{"rule":"out-of-range"}}
apiVersion`, 1)
	have := l.Answer([]diag.Violation{v})
	if have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
	again, ok := Read(have)
	if !ok || again.Answer(nil) != list {
		t.Errorf("without its results, the answer is not what it was:\n%s", again.Answer(nil))
	}
}

func TestAResultNamesTheCauses(t *testing.T) {
	l, _ := Read(list)
	v := diag.Violation{
		Message: "matches none", Causes: []diag.Violation{{Message: "a"}, {Message: "b", Path: diag.Fields("spec")}},
	}
	if have, want := l.Answer([]diag.Violation{v}),
		`"message":"matches none; closest alternative: a; closest alternative: spec: b"`; !strings.Contains(have, want) {
		t.Errorf("no %s in\n%s", want, have)
	}
}

// The results of the input are replaced, wherever they are and however the list is written.
func TestOldResultsAreReplaced(t *testing.T) {
	const old = `[{message: old}]`
	v := []diag.Violation{{Rule: "cel", Severity: diag.Warning, Message: "new"}}
	for _, text := range []string{
		"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nresults: " + old + "\n",
		"results:\n- message: old\n- message: old\napiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n",
		"apiVersion: config.kubernetes.io/v1\nresults:\n- message: old\n# items\nkind: ResourceList\nitems: []",
		`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[],"results":[{"message":"old"}]}`,
		`{"results":[{"message":"old"}],"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[]}`,
		`{"apiVersion":"config.kubernetes.io/v1","results":[{"message":"old"}],"kind":"ResourceList","items":[]}`,
	} {
		l, ok := Read(text)
		if !ok {
			t.Fatalf("%q is not a list", text)
		}
		for _, violations := range [][]diag.Violation{nil, v} {
			answer := l.Answer(violations)
			read, ok := Read(answer)
			if !ok {
				t.Errorf("%q: the answer is not a list: %q", text, answer)
				continue
			}
			results, _ := read.root.Field("results")
			if strings.Contains(answer, "old") || results.Valid() != (len(violations) > 0) ||
				results.Valid() && results.Type() != manifest.List {
				t.Errorf("%q: have %q", text, answer)
			}
			if text[0] == '{' && !json.Valid([]byte(answer)) {
				t.Errorf("%q: the answer is not JSON: %q", text, answer)
			}
		}
	}
}
