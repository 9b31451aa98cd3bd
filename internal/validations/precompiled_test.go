package validations

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

const precompiledSchema = `
type: object
x-kubernetes-validations: [{rule: "self.a == 'x'"}, {rule: " "}]
properties:
  a: {type: string, x-kubernetes-validations: [{rule: "self != 'y'"}]}
`

func TestPrecompiledRulesAreInOrderOfTheSchema(t *testing.T) {
	have, err := Precompile(compileSchema(t, precompiledSchema))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`c _==_ equals 2 . a v self s"x"`, "", `c _!=_ not_equals 2 v self s"y"`}
	if len(have) != len(want) {
		t.Fatalf("have %q, want %q", have, want)
	}
	for i := range want {
		if have[i] != want[i] {
			t.Errorf("have %s, want %s", have[i], want[i])
		}
	}
}

// The precompiled form runs, even if it differs from the text of the rules, as it does here.
func TestPrecompiledRulesRunWithoutACompiler(t *testing.T) {
	root := readTree(t, &source.Source{Name: "a.yaml", Text: "a: y\n"}).Root()
	for _, c := range []struct {
		precompiled []string
		want        int
	}{
		{nil, 2},
		{[]string{"true", "", "true"}, 0},
		{[]string{"true", "", "false"}, 1},
		{[]string{"true", "", "no such form"}, 1},
		{[]string{"true"}, 2}, // fewer than the first node has rules
	} {
		rules := NewRules(compileSchema(t, precompiledSchema))
		rules.UsePrecompiled(c.precompiled)
		if have := rules.Check(nil, root, manifest.Node{}).Violations; len(have) != c.want {
			t.Errorf("%q: have %d violations, want %d", c.precompiled, len(have), c.want)
		}
	}
}
