package manifest

import (
	"reflect"
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

func TestATextIsDecodedAsByTheLibrary(t *testing.T) {
	for text, isDecoded := range map[string]bool{
		"a: 1\nb: [x, 2.5, -0, 1e3]\nc:\n- d: null\n  e: ~\n- {}\n- []\n": true,
		"a: 9007199254740993\nb: 18446744073709551615\nc: 0x10\nd: 010\n": true,
		"a: yes\nb: \"no\"\nc: 2001-01-01\nd: 12:30\ne: 1_000\nf: .5\n":   true,
		"a: |\n  x\n   y\nb: >-\n  x\n  y\n":                              true, "a: \"\\u00e4\\n\"\n": true, "yes: 1\n": true, "[1, a]": true, "text": true,
		"{\"a\": {\"b\": 1}}": true, "\ufeffa: 1\n": true, "a: 1\r\nb: 2\r\n": true, "1: a\n": true, "a: {}\n": true,
		"": false, "# a\n": false, "a: 1\na: 2\n": false, "a: &a 1\nb: *a\n": false, "a: 1\n--- \nb: 2\n": false,
		"a: .nan\n": false, "a: [\n": false, "<<: {a: 1}\n": false, "a: !!str 1\n": false, "a: \xff\n": false,
	} {
		if have := compareWithLibrary(t, text); have != isDecoded {
			t.Errorf("%q: have decoded %v, want %v", text, have, isDecoded)
		}
	}
}

func FuzzATextIsDecodedAsByTheLibrary(f *testing.F) {
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
