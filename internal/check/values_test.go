package check

import (
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/source"
)

func TestValuesWithTheSameKeyAndValueHaveNoFinding(t *testing.T) {
	e := New(Options{Catalog: &catalog.Catalog{}})
	for text, want := range map[string]int{
		"a: 1\na: 1\n":                            0,
		"a: 1\na: 2\n":                            1,
		"a: {b: [1, x]}\na: {b: [1, x]}\n":        0,
		"a: {b: [1, x]}\na: {b: [1, y]}\n":        1,
		"a: 1\na: \"1\"\n":                        1,
		"l:\n- {a: é, a: é}\n- {a: é, a: e}\n":    1,
		"b: &b {a: 1}\nc: {<<: *b, a: 2}\n":       0,
		"b: &b {a: 1}\nc: {<<: *b, d: 2, d: 3}\n": 1,
		"on: 1\ny: 2\n":                           1,
		"on: 1\n\"true\": 2\n":                    1,
		"a: 1\n---\na: 1\na: 2\n":                 1, // the second document
		"a: 1\n---\n# nothing\n":                  0,
		"# nothing\n---\na: 1\n":                  0,
		"# nothing\n---\na: 1\na: 2\n":            1,
		"a: 1\n---\n{}\n---\na: 2\n":              1,
		"- a\n":                                   0,
		"":                                        0,
		"a: {{ b }}\n":                            0,
	} {
		if have := len(e.Values(&Memory{}, &source.Source{Name: "values.yaml", Text: text})); have != want {
			t.Errorf("%q: have %d findings, want %d", text, have, want)
		}
	}
}
