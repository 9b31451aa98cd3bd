package cel

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// A place in a rule is mapped to the place in the file, for every style in which the rule can be written.
func TestPlacesInARuleAreFoundInTheFile(t *testing.T) {
	for _, text := range []string{
		"rule: self.a == 'é' && self.wrong > 1\n",
		"rule: \"self.a == \\\"é\\\" && self.wrong > 1\"\n",
		"rule: 'self.a == ''é'' && self.wrong > 1'\n",
		"rule: self.a == 'é' &&\n  self.wrong\n  > 1\n",
		"rule: |\n  self.a == 'é'\n    && self.wrong > 1\n",
		"rule: >-\n  self.a == 'é'\n  && self.wrong\n  > 1\n",
		"\"rule\": \"self.a == 'é' && self.wrong > 1\"",
	} {
		src := &source.Source{Name: "rule.yaml", Text: text}
		tree := &manifest.Tree{}
		for part := range manifest.Parts(src) {
			tree.Read(src, part)
		}
		rule, ok := tree.Root().Field("rule")
		if !ok {
			t.Fatalf("%q has no rule", text)
		}
		dot := strings.Index(rule.Text(), ".wrong")
		for _, offset := range []int{dot, dot + 1} {
			if sp := spanAt(rule, offset); src.Text[sp.Start:sp.End] != "wrong" {
				t.Errorf("%q at %d: have %q", text, offset, src.Text[sp.Start:sp.End])
			}
		}
		if sp := spanAt(rule, -1); sp != rule.MarkSpan() {
			t.Errorf("%q: the whole is %v", text, sp)
		}
	}
}
