package find

import (
	"strings"
	"testing"
)

func TestAlternativesOfAGlobAreCounted(t *testing.T) {
	for pattern, want := range map[string]int{
		"a.yaml": 1, "{a,b}": 2, "{a,b}{c,d,e}": 6, "{a,{b,c}d}": 3, "{a,{b,c}{d,e}}": 5, `\{a,b}`: 1, "a,b": 1, "{}": 1,
		"{a": 1, "a}": 1, "{a,b}/{c,d}/*.{yaml,yml}": 8,
		strings.Repeat("{a,b}", 9): 512, strings.Repeat("{a,b}", 10): 1001, strings.Repeat("{a,b}", 10_000): 1001,
		strings.Repeat("{", 10_000):            1,
		"{" + strings.Repeat("a,", 999) + "a}": 1000, "{" + strings.Repeat("a,", 1000) + "a}": 1001,
	} {
		if have := countAlternatives(pattern, 1000); have != want {
			t.Errorf("%.40s: have %d, want %d", pattern, have, want)
		}
	}
}

func TestAGlobHasALimit(t *testing.T) {
	root := t.TempDir()
	for pattern, want := range map[string]string{
		strings.Repeat("{a,b}", 9): "no file matches", strings.Repeat("{a,b}", 40): "more than 1000 patterns",
		strings.Repeat("**/", 4): "no file matches", strings.Repeat("**/", 5): "contains ** more than 4 times",
	} {
		if pattern[0] == '*' {
			pattern += "x.yaml"
		}
		_, failures := All(OnDisk(root), []string{pattern})
		if len(failures) != 1 || !strings.Contains(failures[0].Error(), want) {
			t.Errorf("%.40s: failures %v", pattern, failures)
		}
	}
}
