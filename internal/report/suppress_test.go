package report

import (
	"testing"

	"github.com/kindvet/kindvet/internal/find"
)

// A baseline entry can only be found again if the run checks its file, or would check it if it still existed.
func TestABaselineEntryIsLookedForWhereTheRunChecks(t *testing.T) {
	for _, c := range []struct {
		paths []string
		name  string
		want  bool
	}{
		{[]string{"."}, "removed.yaml", true},
		{[]string{"."}, "deploy/removed.yaml", true},
		{[]string{"."}, "../removed.yaml", false},
		{[]string{"."}, "..removed.yaml", true},
		{[]string{"deploy"}, "deploy/removed.yaml", true},
		{[]string{"deploy/"}, "deploy/removed.yaml", true},
		{[]string{"deploy"}, "deployment.yaml", false},
		{[]string{"deploy"}, "other/removed.yaml", false},
		{[]string{"removed.yaml"}, "removed.yaml", true},
		{nil, "./found.yaml", false},
		{nil, "found.yaml", true},
		{[]string{"deploy", "other"}, "other/removed.yaml", true},
	} {
		checked := checkedOf([]*find.File{{Name: "./found.yaml"}}, c.paths)
		if have := checked(c.name); have != c.want {
			t.Errorf("%v, %s: have %v, want %v", c.paths, c.name, have, c.want)
		}
	}
}
