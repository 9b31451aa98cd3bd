package validations

import (
	"strconv"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// A rule that cannot be evaluated is reported even if its closures would yield true.
func TestBrokenRulesAreReportedWhateverTheyWouldGive(t *testing.T) {
	root := readTree(t, &source.Source{Name: "a.yaml", Text: "word: web\n"}).Root()
	for _, c := range []struct {
		rule     string
		isBroken bool
	}{
		{"true || int('x') == 1", true},
		{"true || double('x') == 1.0", true},
		{"true || duration('x') == duration('1s')", true},
		{"true || timestamp('x') == timestamp('y')", true},
		{"true || self.word.matches('(')", true},
		{"true || self.word.find('(') == ''", true},
		{"true || self.none == 1", true},
		{"self.word", true},
		{"true || int(self.word) == 1", false},
		{"true || self.word.matches('(' + self.word)", false},
	} {
		rules := NewRules(compileSchema(t,
			expressedSchema(t)+"x-kubernetes-validations: [{rule: "+strconv.Quote(c.rule)+"}]\n"))
		if have := rules.Check(nil, root, manifest.Node{}).Violations; len(have) > 0 {
			t.Errorf("%s: have %v", c.rule, have)
		}
		if have := rules.Broken(); (len(have) > 0) != c.isBroken {
			t.Errorf("%s: have %v, want broken %v", c.rule, have, c.isBroken)
		}
	}
}
