package manifest

import (
	"fmt"
	"strings"
	"testing"

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
