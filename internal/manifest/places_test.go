package manifest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kindvet/kindvet/internal/source"
)

// Each case is a text and its nodes, described by the text at their spans: path, key and value.
func TestPlacesAreThoseOfTheText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: 1\nb: two # c\n", `a=1 b=two`},
		{"a:\n  b: {c: 'x y', \"d\": [1, \"\\u00e9\"]}\n", `a.b.c='x y' a.b.d[0]=1 a.b.d[1]="\u00e9"`},
		{"a: |\n  one\n   two\n\nb: >-\n  x\n", "a=|\n  one\n   two b=>-\n  x"},
		{"a: one\n  two\n  three # c\nb: 1\n", "a=one\n  two\n  three b=1"},
		{"- a\n-\n- - b\n  - c\n", "[0]=a [1]= [2][0]=b [2][1]=c"},
		{"\ufeffé: ü\r\nx: \"ä\"\r\n", `["é"]=ü x="ä"`},
		{"a: &x 1\nb: *x\nc: !!str 5\n", "a=&x 1 b=*x c=!!str 5"},
		{"on: yes\n010: 1\n", `true=yes 8=1`},
		{`{"a": [1.50, null], "b\u0041": "c\n"}`, `a[0]=1.50 a[1]=null bA="c\n"`},
	} {
		s := &source.Source{Name: "a.yaml", Text: c.text}
		tree := &Tree{}
		for part := range Parts(s) {
			if vs := tree.Read(s, part); len(vs) > 0 {
				t.Errorf("%q: %s", c.text, vs[0].Message)
			}
		}
		var have []string
		for i := range tree.nodes {
			if n := (Node{tree, int32(i)}); n.Type() != Map && n.Type() != List {
				have = append(have, fmt.Sprintf("%s=%s", n.Path(), n.Raw()))
			}
		}
		if strings.Join(have, " ") != c.want {
			t.Errorf("%q:\n have %s\n want %s", c.text, strings.Join(have, " "), c.want)
		}
	}
}

// kubectl drops the line of a separator with its comment, unless it is the first line that it reads of a document.
func TestWhatFollowsALineBreakInTheCommentOfASeparator(t *testing.T) {
	for text, want := range map[string]string{
		"--- # c\ra: 1\n":         "a: 1\n",
		"\ufeff--- # c\ra: 1\n":   "a: 1\n",
		"x: 1\n--- # c\ra: 1\n":   "x: 1\n",
		"---\n--- # c\ra: 1\n":    "",
		"---\n---\n--- # c\ra: 1": "a: 1",
	} {
		var have string
		s := &source.Source{Name: "a.yaml", Text: text}
		for part := range Parts(s) {
			have += text[part.Span.Start:part.Span.End]
		}
		if have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

func TestYAMLMayFollowOnlyOneJSONValue(t *testing.T) {
	for text, want := range map[string]int{
		"{\"a\": 1}\n---\nb: 2\n":              0,
		"{\"a\": 1}\n{\"a\": 1}\n---\nb: 2\n":  1,
		"{\"a\": 1}\n{\"a\": 1}\nb: 2\n":       1,
		"{\"a\": 1}\n---\n{\"a\": 1}\n---\nb:": 0,
	} {
		have := 0
		s, tree := &source.Source{Name: "a.yaml", Text: text}, &Tree{}
		for part := range Parts(s) {
			have += len(tree.Read(s, part))
		}
		if have != want {
			t.Errorf("%q: %d findings, want %d", text, have, want)
		}
	}
}

func TestStreamsAreCutAsKubectlCutsThem(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // line of each part and its number
	}{
		{"a.yaml", "a: 1\n---\nb: 2\n--- # c\nc: 3\n", "1:1 3:2 5:3"},
		{"a.yaml", "# only\n---\n---\n\n---\na: 1\n", "6:1"},
		{"a.yaml", "a: |\n  ---\n  x\n---\t\nb: 1\n...\n", "1:1 5:2"},
		{"a.yaml", "\ufeff---\r\na: 1\r\n---\r\nb: 1\r\n", "2:1 4:2"},
		{"a.yaml", "a: |\n  x\n---x\nb: 1\n", "1:1 4:2"},
		{"a.yaml", "a: 1\n---", "1:1"},
		{"a.yaml", "---\n---\na: 1\n---\n---\nb: 1", "3:1 6:2"},
		{"a.yaml", "a: --- b\n ---\nc: 1\n--\n", "1:1"},
		{"a.yaml", "# c\n---\n{\"a\": \"\\/\"}\n---\n{a: b}\n", "3:1 5:2"},
		{"a.yaml", `{"a": 1}` + "\n" + `{"a": 2}`, "1:1 2:2"},
		{"a.yaml", "{a: 1}\n---\n{\"b\": 2}\n", "1:1 3:2"},
		{"a.json", `{"a": 1} [2] "3" 4`, "1:1 1:2 1:3 1:4"},
		{"a.json", "a: 1\n---\n{b: 2}", "1:1 3:2"},
		{"a.json", "{\"a\": 1}\n---\n{\"b\": 2}\n---\nc: 3", "1:1 3:2 5:3"},
		{"a.yaml", "{\"a\": 1}\n---\n{\"b\": 2}\n--- # c\n{c: 3}", "1:1 3:2 5:3"},
		{"a.yaml", `{"a": 1}` + "\nb: 2\n", "1:1 2:2"},
		{"a.yaml", `{"a": 1}` + "b: 2\n", "1:1 1:2"},
		{"a.yaml", "# a\rb: 1\r", "1:1"},
		{"a.yaml", "# a\u0085b: 1\u2028# c\u2029", "1:1"},
		{"a.yaml", "# a\r# b\r\n# c\u2028# d", ""},
		{"a.yaml", "--- # a\rb: 1\n--- # c\rd: 1\n---\n--- # e\rf: 1\n", "2:1"},
		{"a.yaml", "", ""},
	} {
		s := &source.Source{Name: c.name, Text: c.text}
		var have []string
		for part := range Parts(s) {
			have = append(have, fmt.Sprintf("%d:%d", s.Position(skipBlank(c.text, part.Span.Start)).Line, part.Index))
		}
		if strings.Join(have, " ") != c.want {
			t.Errorf("%q: have %s, want %s", c.text, strings.Join(have, " "), c.want)
		}
	}
}

func TestCommentsThatEndWithCarriageReturnsTakeLinearTime(t *testing.T) {
	started := time.Now()
	s := &source.Source{Name: "a.yaml", Text: strings.Repeat("# a\r", 2_000_000)}
	for range Parts(s) {
		t.Error("a comment is a document")
	}
	if spent := time.Since(started); spent > 20*time.Second {
		t.Errorf("spent %s", spent)
	}
}
