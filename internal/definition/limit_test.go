package definition

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// A rule of which the compiler would take too long, and the rules after many large ones, are not checked, which is an error.
func TestRulesAreCompiledUpToALimit(t *testing.T) {
	// listOf has this many nodes.
	listOf := func(nodes int) string { return "[" + strings.Repeat("1, ", nodes-2) + "1].size() > 0" }
	const around = 3 // nodes around the list
	ofEmptyLists := func(n int) string { return "[" + strings.Repeat("[], ", n-1) + "[]].size() > 0" }
	ofWork := "'" + ofEmptyLists(2850) + "'" // whose work is almost half of the maximum
	atLimit := "'" + listOf(environment.MostNodes-around) + "'"
	for name, c := range map[string]struct {
		rules []string
		want  int
	}{
		"a chain of macros that double their target": {[]string{"'optional.of(1)" + strings.Repeat(".optMap(x, x)", 60) + ".hasValue()'"}, 1},
		"at the limit":        {[]string{atLimit}, 0},
		"beyond it":           {[]string{"'" + listOf(environment.MostNodes-around+1) + "'"}, 1},
		"as many as possible": {slices.Repeat([]string{ofWork}, 2), 0},
		"more than possible":  {append(slices.Repeat([]string{ofWork}, 2), "'"+ofEmptyLists(1000)+"'"), 1},
	} {
		text := `spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - rule: ` + strings.Join(c.rules, "\n        - rule: ") + "\n"
		have := 0
		for _, v := range Check(nil, cel.Server{}, manifesttest.Root(t, text), manifest.Node{}) {
			if v.Rule != diag.ReaderLimit || v.Severity != diag.Error {
				t.Errorf("%s: %s", name, v.Message)
			}
			have++
		}
		if have != c.want {
			t.Errorf("%s: have %d rules that are not checked, want %d", name, have, c.want)
		}
	}
}
