//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/source"
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
		`a: "\x24(X)"`: 1, `a: "\u0024(X)"`: 1, "a: \"$(X\\\n  )\"": 1, "a: $(" + strings.Repeat("b", 300) + ")": 1, "a: X": 0,
	} {
		l := &layer{src: &source.Source{Text: text}}
		l.fields.Vars = []types.Var{{Name: "X"}, {Name: "X Z"}}
		if have, _ := l.referenced(); have != want {
			t.Errorf("%q: have %d, want %d", text, have, want)
		}
	}
}

// The changes that an object makes to a kustomization count like its own text.
func TestReferencesInChangesCount(t *testing.T) {
	changes := &layer{src: &source.Source{Text: "patches: [{patch: \"" + strings.Repeat("$(X)", 3) + "$(Y)\"}]\n"}}
	l := &layer{src: &source.Source{Text: "namePrefix: $(X)\n"}, fields: types.Kustomization{Vars: []types.Var{{Name: "X"}}}, edit: changes}
	if count, largest := l.referenced(); count != 4 || largest != len(changes.src.Text) {
		t.Errorf("%d references to values of at most %d bytes, want 4 of %d", count, largest, len(changes.src.Text))
	}
}
