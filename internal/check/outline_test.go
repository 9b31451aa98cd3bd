package check

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// checkInFull is Check without outlines: it reads each part in full.
func (e *Engine) checkInFull(m *Memory, src *source.Source, f File) Result {
	m.used = UsedKinds{}
	m.checker = newChecker(e, m, src, f, &m.result, &m.tally)
	c := &m.checker
	for part := range manifest.Parts(src) {
		c.checkRead(part, m.tree.Read(src, part))
	}
	c.finishOthers()
	c.findSuppressions()
	return m.result
}

// compareWithFull compares the results of a text with and without outlines.
func compareWithFull(t *testing.T, engine *Engine, src *source.Source, f File) {
	t.Helper()
	have, want := engine.Check(&Memory{}, src, f), engine.checkInFull(&Memory{}, src, f)
	have.Detach()
	want.Detach()
	if !reflect.DeepEqual(have, want) {
		t.Fatalf("%s %+v: %q\nhave %+v\nwant %+v", src.Name, f, src.Text, have, want)
	}
}

// compareAll compares the results of a text as a file of each name and use.
func compareAll(t *testing.T, engine *Engine, text string) {
	t.Helper()
	for _, name := range []string{"a.json", "a.yaml", "package-lock.json", "kustomization.yaml"} {
		src := &source.Source{Name: name, Text: text}
		compareWithFull(t, engine, src, File{})
		for _, use := range []kustomization.Use{
			0, kustomization.Source, kustomization.Patch, kustomization.Configuration, kustomization.Expected,
		} {
			compareWithFull(t, engine, src, File{IsSearched: true, Use: use})
		}
	}
}

// jsonSeeds are texts in JSON that are skipped, checked and read in part.
var jsonSeeds = []string{
	`{}`, `[]`, `[1, "a", null, {}]`, `{"name": "a", "lockfileVersion": 3, "packages": {"a": {"kind": "b"}}}`,
	`{"a": [[[1, 2], [3]], {"apiVersion": "v1", "kind": "ConfigMap"}], "b\u0062": "c\n\u00e4"}`,
	`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "dat": {}}`,
	`{"kind": "List", "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A"}}]}`,
	`{"items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A"}}]}`,
	`{"metadata": {"name": "a"}, "spec": {"replicas": 1}, "kind": null}`, `{"a": 1, "\u006bind": "Deployment"}`,
	`[{"op": "add", "path": "/a", "value": 1}, {"op": "remove", "path": "/b"}]`, `[[{"op": "add", "path": "/a"}], [1]]`,
	`[{"a": 1}, {"apiVersion": "v1", "kind": "ConfigMap"}]`, `{"spec": {"$patch": "delete"}}`,
	`{"a": {"b": 1, "b": 2}, "a": 3}`, `{"a": 1e400}`, `{"a": [1, {"b": -1e400}], "kind": "x"}`, `{"kind": "x", "a": 1e400}`,
	`{"a": 1} {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`, "{\"a\": 1}\n---\nkind: x\n",
	"# comment\n---\n{\"a\": {\"b\": 1}}\n---\n{\"a\": 1} 2\n", `{"a": "{{ b }}", "c": "${d}"}`, "\ufeff{\"a\": {}}",
	`{"a": "ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]", "sops": {"mac": "x"}}`, strings.Repeat(`{"a":[`, 20) + "1",
	`{"source": {"kind": "ConfigMap"}, "targets": [{"select": {"kind": "x"}}]}`, `{"a": "kindvet:ignore a"}`,
}

func TestAnOutlineGivesTheFindingsOfTheWholeText(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded()})
	for _, text := range jsonSeeds {
		compareAll(t, engine, text)
	}
}

// TestBrokenTextsHaveTheFindingsOfTheWholeText cuts texts, and inserts and removes characters.
func TestBrokenTextsHaveTheFindingsOfTheWholeText(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded()})
	compare := func(text string) {
		compareWithFull(t, engine, &source.Source{Name: "a.json", Text: text}, File{IsSearched: true})
	}
	for _, text := range jsonSeeds {
		for i := range len(text) {
			compare(text[:i])
			compare(text[:i] + text[i+1:])
			for _, c := range "{]:,\"\\0-/'\n" {
				compare(text[:i] + string(c) + text[i:])
			}
		}
	}
}

func FuzzAnOutlineGivesTheFindingsOfTheWholeText(f *testing.F) {
	for _, text := range jsonSeeds {
		f.Add(text)
	}
	engine := New(Options{Catalog: catalog.Embedded()})
	f.Fuzz(func(t *testing.T, text string) { compareAll(t, engine, text) })
}
