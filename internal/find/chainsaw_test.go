package find

import "testing"

// A pattern may be long, and is compared with each file. Files in other directories cost nothing.
func TestComparingFilesWithPatternsOfTestsHasALimit(t *testing.T) {
	const pattern, steps = "/a/*.yaml", len("/a/*.yaml") * len("b.yaml")
	for _, c := range []struct {
		path   string
		before int
		want   bool
	}{
		{"/a/b.yaml", 0, true}, {"/a/b.yaml", maxPatternSteps - steps, true},
		{"/a/b.yaml", maxPatternSteps - steps + 1, false}, {"/c/b.yaml", 0, false}, {"/a/b.json", 0, false},
	} {
		a := asserted{steps: c.before}
		a.add(pattern, true)
		if have := a.isExpected(c.path); have != c.want {
			t.Errorf("%s after %d steps: have %t", c.path, c.before, have)
		}
		if c.path == "/c/b.yaml" && a.steps != 0 {
			t.Errorf("%s: took %d steps", c.path, a.steps)
		}
	}
}
