package kustomize

import "testing"

// The patterns of a target match whole names, as in kustomize.
func TestATargetIsAWholeName(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"web", "web", true}, {"web", "web-2", false}, {"web", "my-web", false}, {"web|api", "api", true},
		{"web|api", "web-2", false}, {"web.*", "web-2", true},
	} {
		if have := patternOf(c.pattern).MatchString(c.text); have != c.want {
			t.Errorf("%q, %q: have %v, want %v", c.pattern, c.text, have, c.want)
		}
	}
}
