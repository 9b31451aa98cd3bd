package gitignore

import (
	"math"
	"strings"
	"testing"
)

func TestDecideStopsWithoutSteps(t *testing.T) {
	deep := strings.Repeat("a/", 20) + "b"
	for _, test := range []struct {
		lines, path string
		steps       int
		want        Verdict
	}{
		{"a\nb\n", "x/a", 2, LeftOut},
		{"a\nb\n", "x/a", 1, Undecided},
		{"!b\na\n", "b", 2, Kept},
		{"!b\na\n", "b", 1, Undecided},
		{"*.yaml\n", "xyz", 5, Undecided}, // it does not contain .yaml
		{"*.yaml\n", "a.yaml", 47, LeftOut},
		{"*.yaml\n", "a.yaml", 46, Undecided},
		{"**/a*\n", deep, 100, Undecided},
	} {
		left := test.steps
		have, by := Parse(test.lines).Decide(test.path, false, &left)
		if have != test.want || (by == nil) != (have == Undecided) {
			t.Errorf("%q, %s with %d steps: have %d, want %d", test.lines, test.path, test.steps, have, test.want)
		}
		if isOver := test.want == Undecided && test.path != "xyz"; left < 0 != isOver {
			t.Errorf("%q, %s with %d steps: %d are left", test.lines, test.path, test.steps, left)
		}
	}
}

// What a pattern can match must contain its fixed part.
func TestFixedPart(t *testing.T) {
	for glob, want := range map[string]string{
		"*.yaml": ".yaml", "a*bc?d": "bc", "**": "", "?": "", "[ab]cd": "",
		`a\*bc`: "bc", `ab\\c`: "ab", `\{abc`: "abc", `a\éb`: "a", "é*": "é", `x\`: "x",
	} {
		if have := fixedPart(glob); have != want {
			t.Errorf("%s: have %q, want %q", glob, have, want)
		}
	}
}

func TestMorePatternsAndLongerPathsNeedMoreSteps(t *testing.T) {
	steps := func(line string, n int, path string) int {
		left := math.MaxInt
		Parse(strings.Repeat(line+"\n", n)).Decide(path, false, &left)
		return math.MaxInt - left
	}
	short, long := strings.Repeat("ab/", 10)+"x", strings.Repeat("ab/", 100)+"x"
	one := steps("**/a*b*/y", 1, "ab/y/x")
	if have := steps("**/a*b*/y", 1000, "ab/y/x"); have != 1000*one {
		t.Errorf("1000 patterns: have %d steps, one has %d", have, one)
	}
	if a, b := steps("**/a*/x/**/b*", 1, short), steps("**/a*/x/**/b*", 1, long); b < 9*a {
		t.Errorf("a path of 10 times the length: have %d steps, want 10 times %d", b, a)
	}
}
