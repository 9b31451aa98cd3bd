package kustomize

import (
	"strings"
	"testing"
)

// A pattern that is not compiled selects all: the library has selected already, and a place is only less exact.
func TestLargePatternsOfTargetsAreNotCompiled(t *testing.T) {
	for pattern, want := range map[string]bool{
		"": false, "web.*": true, "(": false, "a{1000}": false,
		strings.Repeat("a", maxPattern): true, strings.Repeat("a", maxPattern+1): false,
	} {
		if have := patternOf(pattern) != nil; have != want {
			t.Errorf("%.20s: compiled: have %t, want %t", pattern, have, want)
		}
	}
}
