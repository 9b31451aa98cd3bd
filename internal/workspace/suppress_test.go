package workspace

import (
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/suppress"
)

func TestTheFilesOfARunHaveALimitOfSuppressions(t *testing.T) {
	const most = 100_000 // of package suppress
	first, second := &check.Result{Suppressions: make([]suppress.Suppression, most)},
		&check.Result{Suppressions: make([]suppress.Suppression, 1)}
	var p pool
	p.limitSuppressions(first)
	if len(first.Suppressions) != most || len(first.Violations) > 0 {
		t.Errorf("the first file keeps %d suppressions, want all", len(first.Suppressions))
	}
	p.limitSuppressions(second)
	if len(second.Suppressions) > 0 || len(second.Violations) != 1 {
		t.Errorf("the second file keeps %d suppressions, want none and a finding", len(second.Suppressions))
	}
}
