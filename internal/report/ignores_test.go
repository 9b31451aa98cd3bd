package report

import (
	"testing"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// Findings beyond the limit are not ignored, and a finding says so.
func TestComparingFindingsWithEntriesHasALimit(t *testing.T) {
	const steps = 2 // for a name of one character
	for before, want := range map[int64]int{0: 1, maxIgnoreSteps - steps: 1, maxIgnoreSteps - steps + 1: 0} {
		c := &find.Config{}
		c.Ignores = []config.Ignore{{Name: "a", Reason: "r"}}
		g := &ignores{
			base: find.OnDisk(t.TempDir()), byFile: map[string]*find.Config{"a.yaml": c}, steps: before,
			entries: []*config.Ignore{&c.Ignores[0]}, used: map[entryPlace]bool{}, covers: func(string) bool { return true },
		}
		v := diag.Violation{Rule: diag.WrongType, Place: source.FileStart("a.yaml"), Object: diag.Object{Name: "a"}}
		counting, suppressed, faults := g.apply([]diag.Violation{v})
		if len(suppressed) != want || len(counting) != 1-want || len(faults) != 1-want {
			t.Errorf("after %d steps: %d count, %d are ignored, %d faults", before, len(counting), len(suppressed), len(faults))
		}
	}
}
