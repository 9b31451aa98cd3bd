package schema_test

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

func check(t *testing.T, definition, text string) (violations []diag.Violation, nodes int) {
	t.Helper()
	s, faults := schema.Compile(manifesttest.Root(t, definition), true)
	if len(faults) > 0 {
		t.Fatal(faults[0].Message)
	}
	root := manifesttest.Root(t, text)
	violations = schema.Check(root, s, schema.Resource{Plain: true, NoMetadata: true}, manifest.Node{})
	return violations, root.Tree().Len()
}

// Each of many empty objects gets a default of 10,000 bytes, so 314 of them make 3 MiB of defaults.
func TestDefaultsAreBounded(t *testing.T) {
	for _, by := range []string{
		"properties: {a: {type: string, default: " + strings.Repeat("x", 9994) + "}}",
		"properties: {a: {type: object, default: {b: " + strings.Repeat("x", 9980) + "}, properties: {b: {type: string}}}}",
	} {
		definition := "type: object\nproperties:\n  l: {type: array, items: {type: object, " + by + "}}\n"
		for items, want := range map[int]int{310: 0, 318: 1, 100_000: 1} {
			violations, nodes := check(t, definition, "l: ["+strings.Repeat("{}, ", items)+"]\n")
			if len(violations) != want || want == 1 && violations[0].Rule != diag.ReaderLimit {
				t.Errorf("%d items: have %.300v", items, violations)
			}
			if nodes > 2+items+3*320*2 {
				t.Errorf("%d items: the tree has %d nodes", items, nodes)
			}
		}
	}
}

func TestPatternsAreBounded(t *testing.T) {
	definition := "type: object\nproperties:\n  s: {type: string, pattern: '(a{1,100}){1,10}b'}\n  t: {type: string, pattern: '^a*$'}\n" +
		"  l: {type: array, items: {type: string, pattern: '(a{1,100}){1,10}b'}}\n"
	for _, c := range []struct {
		text string
		want diag.Rule
	}{
		{"s: " + strings.Repeat("a", 10_000) + "b", ""},
		{"s: " + strings.Repeat("a", 10_000), diag.PatternMismatch},
		{"s: " + strings.Repeat("a", 1_000_000), diag.ReaderLimit},
		{"l: [" + strings.Repeat(strings.Repeat("a", 10_000)+"b, ", 200) + "]", diag.ReaderLimit}, // all strings together
		{"t: " + strings.Repeat("a", 3_000_000), ""},
		{"t: " + strings.Repeat("a", 3_000_000) + "b", diag.PatternMismatch},
	} {
		violations, _ := check(t, definition, c.text+"\n")
		have := diag.Rule("")
		if len(violations) > 0 {
			have = violations[0].Rule
		}
		if have != c.want {
			t.Errorf("%.20s of %d: have %q, want %q", c.text, len(c.text), have, c.want)
		}
	}
}

// Causes count like violations: together, at most diag.MaxDescribed of them are described.
func TestCausesAreBounded(t *testing.T) {
	definition := "type: object\nproperties:\n  l: {type: array, items: {type: object, properties: {a: {type: integer}}, " +
		"anyOf: [{properties: {a: {maximum: 1}}, required: [b, c]}, {not: {}}]}}\n"
	for items, want := range map[int]int{2500: 10_000, 2501: 10_001, 20_000: 17_500} {
		violations, _ := check(t, definition, "l: ["+strings.Repeat("{a: 2}, ", items)+"]\n")
		described, all := 0, 0
		for i := range violations {
			all += 1 + violations[i].More
			for range violations[i].All() {
				described++
			}
		}
		if all != items || described != want {
			t.Errorf("%d items: %d violations, %d described", items, all, described)
		}
	}
}

// Alternatives that fail next to one that matches do not use up the limit.
func TestOnlyReportedCausesAreCounted(t *testing.T) {
	definition := "type: object\nproperties:\n  l: {type: array, items: {type: object, properties: {a: {type: integer}}, " +
		"anyOf: [{anyOf: [{properties: {a: {maximum: 1}}}]}, {properties: {a: {maximum: 2}}}]}}\n"
	violations, _ := check(t, definition, "l: ["+strings.Repeat("{a: 2}, ", diag.MaxDescribed)+"{a: 3}]\n")
	if len(violations) != 1 || len(violations[0].Causes) == 0 {
		t.Errorf("have %d violations", len(violations))
	}
}
