package manifest

import (
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Compares both readings of keys that become the same string with many attempts of the API server's reader. Each
// reading must be among its values, and together the readings must be all of them.
func TestKeysThatBecomeOneAreAccepted(t *testing.T) {
	for _, text := range []string{
		`{1: 2, "1": 3}`,
		`{"1": 3, 1: 2}`,
		`{1.0: 2, "1": 3}`,
		`{1: 2, 1.0: 3}`,
		`{yes: 2, "true": 3}`,
		`{off: {a: b}, 'false': [c]}`,
		`{010: 2, '8': 3}`,
		`{1.1: 2, 1.10000000001: 3}`, // the same as 32-bit floats, and the key is written as one
		`{a: {b: [{1: 2, "1": 3}]}}`,
		"1: a\nb: c\n'1': d\n",
		"? 1\n: a\n? \"1\"\n: b\n",
		"1: |\n  key0\n'1': key\n",
		`{!!int "1": 2, "1": 3}`,
		`{!!str 1: 2, 1: 3}`,
		`{&a 1: 2, "1": 3}`,
		`{<<: {1: 2}, "1": 3}`,
		`{a: &a {1: 2}, b: {<<: *a, "1": 3}, c: *a}`,
		"\ufeff{ü: ä, 1: 2, 1.0: 3}",
	} {
		possible := map[string]bool{}
		for range 200 {
			v, rejected, twice := truth(text)
			if rejected || twice {
				t.Fatalf("%q: an API server rejects it", text)
			}
			possible[jsonOf(t, v)] = true
		}
		readings := map[string]bool{}
		for _, first := range []bool{false, true} {
			tree := &Tree{}
			src := &source.Source{Name: "test.yaml", Text: text}
			violations := tree.Read(src, Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML, FirstKey: first})
			if len(violations) != 1 || !IsAmbiguousKey(&violations[0]) {
				t.Errorf("%q: violations are %+v", text, violations)
			}
			checkPlaces(t, tree, text)
			readings[jsonOf(t, value(tree.Root()))] = true
		}
		for reading := range readings {
			if !possible[reading] {
				t.Errorf("%q: read as %s, an API server has %v", text, reading, possible)
			}
		}
		if len(readings) != len(possible) {
			t.Errorf("%q: %d readings, an API server has %d", text, len(readings), len(possible))
		}
	}
}

func TestTheLastOfSeveralAmbiguousKeysCounts(t *testing.T) {
	const text = `{1: a, "1": b, 1.0: c, d: e}`
	for first, want := range map[bool]string{false: `{"1":"c","d":"e"}`, true: `{"1":"a","d":"e"}`} {
		tree := &Tree{}
		src := &source.Source{Name: "test.yaml", Text: text}
		violations := tree.Read(src, Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML, FirstKey: first})
		if have := string(tree.Root().AppendJSON(nil)); have != want || len(violations) != 2 {
			t.Errorf("first key: %t: have %s and %d violations, want %s", first, have, len(violations), want)
		}
	}
}

// Keys that are equal to the strict reader are not ambiguous, however they are written.
func TestKeysThatAreTheSameAreNotAmbiguous(t *testing.T) {
	for _, text := range []string{`{1: 2, 0x1: 3}`, `{yes: 2, true: 3}`, `{1: 2, "1": 3, 1: 4}`, `{!!int "1": 2, 1: 3}`,
		`{!!str 1: 2, "1": 3}`, `{0.0: 1, -0.0: 2}`, "{<<: {1: 2}, 1: 3}"} {
		if _, rejected, twice := truth(text); rejected || !twice {
			t.Fatalf("%q: an API server accepts it", text)
		}
		_, violations := readAll(text)
		if !slices.ContainsFunc(violations, func(v diag.Violation) bool { return !IsAmbiguousKey(&v) }) {
			t.Errorf("%q: only ambiguous keys: %+v", text, violations)
		}
	}
}

func TestNaNIsNeverTheSameKey(t *testing.T) {
	const text = `{.nan: 1, .nan: 2}`
	if _, rejected, twice := truth(text); rejected || twice {
		t.Fatal("an API server rejects it")
	}
	if _, violations := readAll(text); len(violations) != 1 || !IsAmbiguousKey(&violations[0]) {
		t.Errorf("%+v", violations)
	}
}
