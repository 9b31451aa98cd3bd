package manifest

import (
	"fmt"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

func TestAFindingMarksTheSmallestPartThatStandsForANode(t *testing.T) {
	src := &source.Source{Text: "top:\n  empty:\n  text: \"\"\n  list:\n  - a: 1\n    b: 2\n  - - x\n    - y\n"}
	tree := &Tree{}
	for part := range Parts(src) {
		tree.Read(src, part)
	}
	top := tree.Root().At("top")
	list := top.At("list")
	first, _ := list.Item(0)
	second, _ := list.Item(1)
	for _, c := range []struct {
		name string
		node Node
		want string // line:column-line:column path
	}{
		{"the document, at its first key", tree.Root(), "1:1-1:4 "},
		{"a map, at its key", top, "1:1-1:4 top"},
		{"a value that is not written, at its key", top.At("empty"), "2:3-2:8 top.empty"},
		{"an empty string", top.At("text"), "3:9-3:11 top.text"},
		{"a list", list, "4:3-4:7 top.list"},
		{"an item, at its first key", first, "5:5-5:6 top.list[0]"},
		{"a scalar", first.At("b"), "6:8-6:9 top.list[0].b"},
		{"an item that is a list, on its first line", second, "7:5-7:8 top.list[1]"},
	} {
		have := at(c.node.Finding(diag.Violation{Rule: "r"}))
		if have != c.want {
			t.Errorf("%s: have %s, want %s", c.name, have, c.want)
		}
	}
}

func TestAFindingKeepsWhatItSaysItself(t *testing.T) {
	src := &source.Source{Text: "a:\n  b: 1\n"}
	tree := &Tree{}
	for part := range Parts(src) {
		tree.Read(src, part)
	}
	a := tree.Root().At("a")
	own := diag.Violation{Rule: "r", Severity: diag.Info, Path: diag.Fields("elsewhere"), Place: a.At("b").Place()}
	if v := a.Finding(own); at(v) != "2:6-2:7 elsewhere" || v.Severity != diag.Info {
		t.Errorf("have %s and %s, want the finding's own", at(v), v.Severity)
	}
	if v := a.Finding(diag.Violation{}); v.Severity != diag.Error {
		t.Errorf("a finding that names no severity has %s, want error", v.Severity)
	}
	if v := a.Finding(diag.Violation{Place: a.At("b").KeyPlace()}); at(v) != "2:3-2:4 a" {
		t.Errorf("have %s, want the key", at(v))
	}
}

func TestTextAfterAValueIsMarked(t *testing.T) {
	for text, want := range map[string]string{
		"a: {b}/c\nd: e\n":        "1:7-1:9 text after the end of the value",
		"a:\n- \"b\" c # d\n":     "2:7-2:8 text after the end of the value",
		"a: 'b''s' [c]\nd: e\n":   "1:11-1:14 text after the end of the value",
		"a: \"b\n  c\" d\ne: f\n": "2:3-2:7 the indentation matches no map or list above",
		"a: \"b\"\n c: d\n":       "2:2-2:6 the indentation matches no map or list above",
	} {
		src := &source.Source{Text: text}
		tree := &Tree{}
		for part := range Parts(src) {
			v := tree.Read(src, part)[0]
			if have := at(v) + v.Message; have != want {
				t.Errorf("%q: have %s, want %s", text, have, want)
			}
		}
	}
}

func at(v diag.Violation) string {
	p := v.Place
	return fmt.Sprintf("%d:%d-%d:%d %s", p.Start().Line, p.Start().Column, p.End().Line, p.End().Column, v.Path)
}
