package builtin

import (
	"testing"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

func mutator(t *testing.T, start uint64) *Mutator {
	t.Helper()
	m, err := NewMutator(manifests(t), start)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every mutation changes some manifest, and some of the changed manifests are rejected on decoding, some on
// validation, and some are accepted.
func TestMutationsReachEveryStage(t *testing.T) {
	s, m := server(t), mutator(t, 1)
	stages := map[string]int{}
	lists, asJSON := 0, 0
	for range 2000 {
		c := m.Next()
		if parity.IsListKind(c.Kind) {
			lists++
		}
		if c.JSON {
			asJSON++
		}
		stages[s.Verdict(c.Request).Stage]++
	}
	for _, stage := range []string{"", "decode", "strict", "validation"} {
		if stages[stage] < 50 {
			t.Errorf("stage %q: %d of 2000", stage, stages[stage])
		}
	}
	if lists < 50 || asJSON < 200 {
		t.Errorf("%d lists, %d in JSON", lists, asJSON)
	}
	t.Log(stages)
}
