package parity

import (
	"path/filepath"
	"testing"
)

// For every recorded definition, our verdict is the same as that of upstream's create or update strategy, with
// causes at the same places.
func TestVerdictsOnDefinitionsAreThoseOfUpstreamsCode(t *testing.T) {
	cases, err := ReadCases(filepath.Join(root, "internal", "oracle", "testdata", "definitions", "cases.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	refused, different := 0, 0
	for _, c := range cases {
		if !c.Verdict.Accepted {
			refused++
		}
		if diffs := DefinitionDifferences(c.Verdict, CheckDefinition(c.Request)); len(diffs) > 0 {
			different++
			t.Errorf("%s: %v\nstage %s, causes %v", c.Name, diffs, c.Verdict.Stage, c.Verdict.Causes)
		}
	}
	t.Logf("%d definitions, %d of them rejected: %d differences", len(cases), refused, different)
	claimed(t, "holds ", len(cases), " CRDs")
	claimed(t, "upstream's strategy; ", refused, " are rejected")
}
