//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// A replacement may copy what another one sets if their paths have the same fields, up to an index or a selection.
func TestChainedReplacementsAreCounted(t *testing.T) {
	for _, c := range []struct {
		source, target string
		want           int
	}{
		{"metadata.name", "metadata.name", 1},
		{".metadata.name", "metadata.name", 1},
		{"metadata.name", "metadata", 1},
		{"metadata.annotations.a", "metadata.annotations.[example.com/a]", 1},
		{"metadata.annotations.[a]", "metadata.annotations.b", 1},
		{"spec.ports.0.name", "spec.ports.[name=web].name", 1},
		{"spec.ports.0.name", "spec.ports.-", 1},
		{"metadata.name", "metadata..name", 1},
		{"metadata.name", "metadata. name", 1},
		{"metadata.name", "*.name", 1},
		{"metadata.name", "", 1},
		{"metadata.name", "metadata.annotations.[cert-manager.io/inject-ca-from]", 0},
		{"metadata.namespace", "spec.dnsNames.1", 0},
		{"metadata.name", "metadata.names", 0},
	} {
		l := &layer{replacements: []replacement{{source: c.source, targets: []string{c.target}}}}
		if have := l.chained(); have != c.want {
			t.Errorf("%s to %s: have %d, want %d", c.source, c.target, have, c.want)
		}
	}
}

// A reference may be written in several ways, and a name in a description of a CRD is none.
func TestReferencesToVariablesAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"a: $(X) $(X)": 2, "a: $(Y)": 0, "a: $($(X)": 1, "a: $(\nb: $(X)": 1, "a: $(X\n  Z)": 1, "a: $( X )": 1,
		`a: "\x24(X)"`: 1, `a: "\u0024(X)"`: 1, "a: \"$(X\\\n  )\"": 1,
		"a: $(" + strings.Repeat("b", 300) + ")": 1, "a: X": 0,
	} {
		l := &layer{src: &source.Source{Text: text}}
		l.fields.Vars = []types.Var{{Name: "X"}, {Name: "X Z"}}
		if have, _ := l.referenced(); have != want {
			t.Errorf("%q: have %d, want %d", text, have, want)
		}
	}
}

// Variables may add 48 MiB, and 32 bytes more for each byte that the build loads.
func TestWhatVariablesAddHasALimit(t *testing.T) {
	for _, c := range []struct {
		bytes, largest int
		isBuilt        bool
	}{{0, 24 << 20, true}, {0, 24<<20 + 1, false}, {1 << 20, 40 << 20, true}, {1 << 20, 40<<20 + 1, false}} {
		const text = "a: $(X) $(X)\n"
		l := &layer{
			root: manifesttest.Root(t, text), src: &source.Source{Text: text}, largest: c.largest, cost: cost{bytes: c.bytes},
		}
		l.fields.Vars = []types.Var{{Name: "X"}}
		if have := l.tooLarge() == nil; have != c.isBuilt {
			t.Errorf("2 references to %d bytes in a build of %d bytes: built is %v, want %v", c.largest, c.bytes, have, c.isBuilt)
		}
	}
}

// The changes that an object makes to a kustomization count like its own text.
func TestReferencesInChangesCount(t *testing.T) {
	changes := &layer{src: &source.Source{Text: "patches: [{patch: \"" + strings.Repeat("$(X)", 3) + "$(Y)\"}]\n"}}
	l := &layer{
		src: &source.Source{Text: "namePrefix: $(X)\n"}, fields: types.Kustomization{Vars: []types.Var{{Name: "X"}}},
		edit: changes,
	}
	if count, largest := l.referenced(); count != 4 || largest != len(changes.src.Text) {
		t.Errorf("%d references to values of at most %d bytes, want 4 of %d", count, largest, len(changes.src.Text))
	}
}

// A copy of what another operation has copied may double a value. Copies of what patches leave alone do not.
func TestCopiesOfCopiesAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"[{op: copy, from: /data, path: /data/a}, {op: copy, from: /data, path: /data/b}]":            2,
		"[{op: copy, from: /data/a, path: /data/b}, {op: copy, from: /data/a, path: /data/c}]":        0,
		"[{op: copy, from: /a, path: /b}, {op: move, from: /b, path: /a/b}]":                          1,
		"[{op: copy, from: /a/0, path: /a/-}, {op: copy, from: /a/1, path: /a/-}]":                    2,
		"[{op: copy, from: /a~1b/c, path: /d}, {op: copy, from: /d, path: /e}]":                       1,
		`[{"\x6fp": "copy", "from": "/a", "path": "/a/b"}]`:                                           1,
		"[{op: add, path: /data/a, value: {}}, {op: copy, from: /data, path: /metadata/annotations}]": 0,
		"[{op: copy, from: '', path: /a}]":                                                            1,
	} {
		for _, files := range []map[string]string{
			{"top/kustomization.yaml": "patches: [{target: {kind: A}, path: p.yaml}]\nresources: [a.yaml]"},
			{"top/kustomization.yaml": "transformers: [t.yaml]\nresources: [a.yaml]",
				"top/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\ntarget: {kind: A}\npath: p.yaml\n"},
		} {
			files["top/p.yaml"], files["top/a.yaml"] = text, "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
			k, fault := repository(files).Load("top")
			if fault != nil {
				t.Errorf("%s: %s", text, fault.Violation.Message)
			} else if have := k.layer.copies(); have != want {
				t.Errorf("%s: have %d, want %d", text, have, want)
			}
		}
	}
}

// A kustomization that is nested too deeply is not built, so nothing tells whether it is valid.
func TestDeepNestingIsAnError(t *testing.T) {
	files := map[string]string{}
	for i := range maxDepth + 2 {
		files[fmt.Sprintf("k%d/kustomization.yaml", i)] = fmt.Sprintf("resources: [../k%d]\n", i+1)
	}
	_, fault := repository(files).Load("k0")
	if fault == nil || fault.Violation.Rule != diag.ReaderLimit ||
		!strings.Contains(fault.Violation.Message, "nested too deeply") {
		t.Errorf("have %+v", fault)
	}
}
