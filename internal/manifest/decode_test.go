package manifest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// compareWithLibrary compares a decoded text with what the library decodes. It reports whether the text was decoded.
func compareWithLibrary(t *testing.T, text string) bool {
	t.Helper()
	have, ok := Decode(text)
	if !ok {
		return false
	}
	var want any
	if err := yaml.Unmarshal([]byte(text), &want); err != nil || !reflect.DeepEqual(have, want) {
		t.Errorf("%q: have %#v, want %#v %v", text, have, want, err)
	}
	return true
}

// inLists returns a list in as many others.
func inLists(depth int) string { return strings.Repeat("- ", depth) + "a\n" }

// decodable are texts, and whether they are decoded without the library.
var decodable = map[string]bool{
	"a: 1\nb: [x, 2.5, -0, 1e3]\nc:\n- d: null\n  e: ~\n- {}\n- []\n": true,
	"a: {}\n": true, "[1, a]": true, "text": true, "{\"a\": {\"b\": 1}}": true, "a: \"\\u00e4\\n\"\n": true, "ä: ö\n": true,
	// Integers beyond 53 and 64 bits.
	"a: 9007199254740993\nb: 18446744073709551615\nc: 18446744073709551616\nd: -9223372036854775809\n": true,
	"a: 0x10\nb: 010\nc: 0o10\nd: 0b11\ne: 08\nf: 1_000\ng: +1\nh: 0xffffffffffffffff\n":               true,
	"a: .5\nb: -0.0\nc: 1e-400\nd: 1e21\ne: 5e-324\nf: 3.4028235e38\n":                                 true,
	"a: .inf\n": false, "a: -.Inf\n": false, "a: .nan\n": false, "a: 1e400\n": true,
	"a: 2001-01-01\nb: 2001-12-14t21:59:43.10-05:00\nc: 12:30\nd: 190:20:30.15\n": true,
	"a: yes\nb: \"no\"\nc: y\nd: Off\ne: TRUE\nf: NULL\n":                         true,
	// Keys that are not strings.
	"yes: 1\n": true, "1: a\n": true, "y: 1\non: 2\n": false, "1.5: a\n": false, "~: a\n": false, "[a]: b\n": false,
	"a: 1\na: 2\n": false, "1: a\n\"1\": b\n": false, "yes: 1\ntrue: 2\n": false,
	"a: &a 1\nb: *a\n": false, "a: &a {b: c}\nd: {<<: *a}\n": false, "<<: {a: 1}\n": false, "a: !!str 1\n": false,
	"a: |\n  x\n   y\nb: >-\n  x\n  y\n": true, "a: |+\n  x\n\n": true, "a: |2\n   x\n": true, "a: |\n x": false, "a: >\n x": false,
	"a:\tb\n": false, "a: b\t\n": false, "\ta: b\n": false, "a:\n\tb: c\n": false,
	"\ufeffa: 1\n": true, "a: \ufeffb\n": false, "a: 1\r\nb: 2\r\n": true, "a: |\r\n  x\r\n": true, "a: 1\rb: 2\n": false,
	"": false, "\n": false, "# a\n": false, "\ufeff": false, "---\na: 1\n": false, "a: 1\n--- \nb: 2\n": false, "a: 1\n...\n": false,
	"a: [\n": false, "a: \xff\n": false, "a: \x00\n": false,
	inLists(maxDescent): true, inLists(maxDescent + 1): false,
	strings.Repeat("[", maxDescent) + strings.Repeat("]", maxDescent):     true,
	strings.Repeat("[", maxDescent+1) + strings.Repeat("]", maxDescent+1): false,
}

func TestATextIsDecodedAsByTheLibrary(t *testing.T) {
	for text, isDecoded := range decodable {
		if have := compareWithLibrary(t, text); have != isDecoded {
			t.Errorf("%q: have decoded %v, want %v", text, have, isDecoded)
		}
	}
}

// What is decoded into a map or list is that of the library, or its error.
func TestATextIsUnmarshaledAsByTheLibrary(t *testing.T) {
	texts := slices.Concat(slices.Sorted(maps.Keys(decodable)), []string{"null\n", "~", "a\n", "1\n", "{}\n", "[]\n"})
	for _, text := range texts {
		if text == "1: a\n\"1\": b\n" { // the library keeps one of the two values at random
			continue
		}
		compareUnmarshaled[map[string]any](t, text)
		compareUnmarshaled[[]any](t, text)
		compareUnmarshaled[struct{ A any }](t, text)
	}
}

func compareUnmarshaled[T any](t *testing.T, text string) {
	t.Helper()
	var have, want T
	err, wantErr := Unmarshal(text, &have), yaml.Unmarshal([]byte(text), &want)
	if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() || !reflect.DeepEqual(have, want) {
		t.Errorf("%q: have %#v %v, want %#v %v", text, have, err, want, wantErr)
	}
}

// A template may change what it has decoded. The next one decodes the same text.
func TestEachDecodedValueIsANewOne(t *testing.T) {
	const text = "a: {b: [c]}\n"
	first, _ := Decode(text)
	a := first.(map[string]any)["a"].(map[string]any)
	a["b"].([]any)[0] = "x"
	a["d"] = "y"
	if second, _ := Decode(text); !reflect.DeepEqual(second, map[string]any{"a": map[string]any{"b": []any{"c"}}}) {
		t.Errorf("have %v", second)
	}
}

func TestALongTextIsLeftToTheLibrary(t *testing.T) {
	for size, want := range map[int]bool{MaxPart: true, MaxPart + 1: false} {
		if _, ok := Decode("a: " + strings.Repeat("b", size-len("a: "))); ok != want {
			t.Errorf("%d bytes: have decoded %t, want %t", size, ok, want)
		}
	}
}

// Aliases that stand for too much are an error before anything repeats them.
func TestUnmarshalLimitsAliases(t *testing.T) {
	for count, want := range map[int]error{7: nil, 9: errAliases} {
		text := "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.TrimSuffix(strings.Repeat("*a, ", count), ", ") + "]\n"
		into := map[string]any{}
		if err := Unmarshal(text, &into); err != want || want == nil && len(into["b"].([]any)) != count {
			t.Errorf("%d aliases: have %v, want %v", count, err, want)
		}
	}
}

func FuzzATextIsDecodedAsByTheLibrary(f *testing.F) {
	for text := range decodable {
		f.Add(text)
	}
	seed(f, ".yaml", ".json")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) <= 1<<16 {
			compareWithLibrary(t, text)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	text := "rules:\n"
	for range 100 {
		text += "- alert: Down\n  expr: up{job=\"a\"} == 0\n  for: 5m\n  labels: {severity: warning, count: 3}\n"
	}
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			Decode(text)
		}
	})
	b.Run("library", func(b *testing.B) {
		var v any
		for b.Loop() {
			_ = yaml.Unmarshal([]byte(text), &v)
		}
	})
}
