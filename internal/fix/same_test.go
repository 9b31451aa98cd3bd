package fix

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/source"
)

// replaced replaces texts in a text, each once.
func replaced(t *testing.T, text string, pairs ...string) edit.Result {
	t.Helper()
	var groups [][]edit.Edit
	for i := 0; i < len(pairs); i += 2 {
		at := strings.Index(text, pairs[i])
		if at < 0 {
			t.Fatalf("no %q in %q", pairs[i], text)
		}
		groups = append(groups, []edit.Edit{{Span: source.Span{Start: at, End: at + len(pairs[i])}, New: pairs[i+1]}})
	}
	return edit.Apply(text, groups...)
}

func TestWhatWasNotEditedIsTheSame(t *testing.T) {
	for _, c := range []struct {
		name, text string
		pairs      []string
		want       bool
	}{
		{"a value", "a: yes\nb: 2\n", []string{"yes", `"yes"`}, true},
		{"a key", "Ab: {c: 1}\nb: 2\n", []string{"Ab", "ab"}, true},
		{"a key of text", "Ab: c\nb: 2\n", []string{"Ab", "ab"}, true},
		{"two edits", "a: 1\nb: {c: [1, 2]}\n", []string{"1\n", "\"1\"\n", "2]", "3]"}, true},
		{"an added field", "a: 1\nb: 2\n", []string{"1\n", "1\nc: 3\n"}, true},
		{"an added item", "a: [1, 2]\n", []string{", 2", ", 3, 2"}, true},
		{"a removed field", "a: 1\nb: 2\nc: 3\n", []string{"b: 2\n", ""}, true},
		{"a removed item", "- 1\n- 2\n- 3\n", []string{"- 2\n", ""}, true},
		{"a field that falls into a comment", "a: 1\nb: 2\n", []string{"1\n", "1 # "}, false},
		{"a field that moves into another one", "a:\nb: 2\n", []string{"a:\n", "a:\n  "}, false},
		{"an edit in the other document", "a: 1\n---\nb: 2\n", []string{"2", "3"}, true},
		{"a document that ends earlier", "a: 1\nc: 2\n", []string{"1\n", "1\n---\n"}, false},
		{"a document that nobody can read before", "a: [1\n---\nb: 2\n", []string{"[1", "[1]"}, true},
		{"a document that nobody can read after", "a: [1]\n---\nb: 2\n", []string{"[1]", "[1"}, false},
		{"no manifest", "{{ if .a }}\na: yes\n{{ end }}\n", []string{"yes", "no"}, true},
		{"a text that becomes two fields", "a: 1\nb: 2\n", []string{"1", "1\nd: 4"}, true},
		{"a comment that becomes a field", "a: 1\n#b: 2\n", []string{"1", "3", "#", ""}, false},
		{"a new document", "a: 1\n", []string{"1\n", "1\n---\nb: 2\n"}, false},
		{"a comment", "a: 1 # c\nb: 2\n", []string{"# c", "# d"}, true},
	} {
		r := replaced(t, c.text, c.pairs...)
		if have := isSameElsewhere("a.yaml", c.text, r.Text, r.Map); have != c.want {
			t.Errorf("%s: %v for %q", c.name, have, r.Text)
		}
	}
	r := replaced(t, `{"a": 1, "b": [2,]}`, ",]", "]")
	if !isSameElsewhere("a.json", `{"a": 1, "b": [2,]}`, r.Text, r.Map) {
		t.Error("JSON that nobody can read before")
	}
}
