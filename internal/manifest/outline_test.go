package manifest

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// outlineOf returns the outline of a text as JSON; "" if it has none.
func outlineOf(t *testing.T, name, text string, keys ...string) (string, []diag.Violation) {
	t.Helper()
	src, tree := &source.Source{Name: name, Text: text}, &Tree{}
	for part := range Parts(src) {
		violations, ok := tree.ReadOutline(src, part, keys...)
		if !ok || !tree.Root().Valid() {
			return "", violations
		}
		return string(tree.Root().AppendJSON(nil)), violations
	}
	t.Fatal("the text has no part")
	return "", nil
}

func TestAnOutlineHasTheFieldsOfTheRoot(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": {"b": [1]}, "c": [{"kind": "x"}], "d": "\u00e4", "e": 1, "f": {}}`: `{"a":{},"c":[],"d":"ä","e":1,"f":{}}`,
		`{"\u00e4": {"\u00f6": "\u00fc"}, "a": ["\u00df"], "b": "\n"}`:            `{"ä":{},"a":[],"b":"\u000a"}`,
		`[{"a": {"b": 1}, "c": [1]}, 1, {"d": "\n"}]`:                             `[{"a":{},"c":[]},1,{"d":"\u000a"}]`,
		`{"a": 1, "a": {"b": 2}}`:                                                 `{"a":{}}`,
		`[]`:                                                                      `[]`,
		`[[1]]`:                                                                   ``,
		`{"a": {"kind": 1}, "kind": {"b": 1}}`:                                    ``,
		`{"a": 1, "\u006bind": 1}`:                                                ``,
		`[{"a": 1}, {"kind": 1}]`:                                                 ``,
		`a: 1`:                                                                    ``,
	} {
		if have, violations := outlineOf(t, "a.json", text, "kind"); have != want || len(violations) > 0 {
			t.Errorf("%s: have %s %v, want %s", text, have, violations, want)
		}
	}
}

func TestTheFaultOfAnOutlineIsThatOfTheText(t *testing.T) {
	for _, text := range []string{`{"a": {"b": [1e400]}}`, `{"a": {"b": 1e400}, "kind": "x"}`} {
		src := &source.Source{Name: "a.json", Text: text}
		for part := range Parts(src) {
			tree := &Tree{}
			have, ok := tree.ReadOutline(src, part, "kind")
			want := (&Tree{}).Read(src, part)
			if !ok || len(have) != 1 || len(want) != 1 || have[0].Message != want[0].Message || have[0].Place != want[0].Place ||
				tree.Root().Valid() {
				t.Errorf("%s: have %v, want %v", text, have, want)
			}
		}
	}
}

// TestAnOutlineNeedsNoMemoryForWhatItLeavesOut reads a million numbers.
func TestAnOutlineNeedsNoMemoryForWhatItLeavesOut(t *testing.T) {
	text := `{"a": [` + strings.Repeat("[1,2],", 500_000) + `[]]}`
	src, tree := &source.Source{Name: "a.json", Text: text}, &Tree{}
	for part := range Parts(src) {
		if _, ok := tree.ReadOutline(src, part); !ok || tree.Len() != 2 || cap(tree.nodes) > 100 {
			t.Errorf("have %d nodes and memory for %d", tree.Len(), cap(tree.nodes))
		}
	}
}
