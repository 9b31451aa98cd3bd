package catalog

import (
	"slices"
	"testing"
)

func TestVersionsAreComparedByPriority(t *testing.T) {
	want := []string{"foo10", "foo1", "v1alpha1", "v2alpha2", "v3beta1", "v10beta3", "v1", "v2", "v10"}
	have := slices.Clone(want)
	slices.Reverse(have)
	slices.SortFunc(have, comparePriority)
	if !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}
