package kustomize

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// crdWith returns a CRD whose schema has some lines, with the given indentation.
func crdWith(lines, indent string) string {
	text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: colors.example.com}\n" +
		"spec:\n" + indent + "versions:\n" + indent + "- name: v1\n" + indent + "  schema:\n" + indent + "  " + indent + "openAPIV3Schema:\n"
	for line := range strings.Lines(lines) {
		text += indent + "  " + indent + indent + line
	}
	return text + "\n" + indent + "  served: true\n# " + strings.Repeat("long ", fewBytes/4) + "\n"
}

// meaning returns what a text means to an API server.
func meaning(text string) (values []any) {
	src := &source.Source{Text: text}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		if root := tree.Root(); root.Valid() {
			var value any
			_ = json.Unmarshal(root.AppendJSON(nil), &value)
			values = append(values, value)
		}
	}
	return values
}

// buildBoth builds a file with and without its schemas. It returns false if that is not possible, and whether the schema
// was copied.
func buildBoth(t *testing.T, text string) (slimmed, whole string, copied, ok bool) {
	r := repository(map[string]string{"top/kustomization.yaml": "resources: [a.yaml]", "top/a.yaml": text})
	k, fault := r.Load("top")
	if fault != nil {
		return "", "", false, false
	}
	have, err := r.buildAnnotated(k.layer, true)
	s := r.slims["top/a.yaml"]
	r.slims["top/a.yaml"] = nil
	want, wholeErr := r.buildAnnotated(k.layer, true)
	if err == nil && wholeErr != nil && s != nil {
		t.Fatalf("the library rejects only the whole: %v\n%s", wholeErr, text)
	}
	if err != nil || wholeErr != nil || s == nil {
		return "", "", false, false
	}
	if len(have) != len(want) {
		t.Fatalf("%d and %d objects of\n%s", len(have), len(want), text)
	}
	for i := range have {
		slimmed, whole = slimmed+"---\n"+have[i].text, whole+"---\n"+want[i].text
	}
	for _, lines := range s.schemas {
		copied = copied || !strings.Contains(whole, lines)
	}
	return slimmed, whole, copied, true
}

// What is copied from a schema means the same as what the library writes for it.
func TestACopiedSchemaMeansTheSame(t *testing.T) {
	for _, c := range []struct {
		lines    string
		isCopied bool
	}{
		{"x: \"y\" # a comment\n# another\nproperties:\n  a:\n    - one\n    - \"2\"\n", true},
		{"description: |\n  on: off\n\n    more\n   \nb: >-\n  folded\n  text\n", true},
		{"a: plain text\n  over lines\nb: \"quoted\n  text\"\n", true},
		{"größe: 'ä: ö'\n\"a b\": 12\nc: {d: [e, -1, true, null]}\n", true},
		{"a: yes\n", false}, {"on: a\n", false}, {"a: 010\n", false}, {"a: 1.50\n", false}, {"a: 2001-01-01\n", false},
		{"a: ~\n", false}, {"a: 12345678901234567\n", false}, {"a: !!str 1\n", false}, {"a: 0x1F\n", false},
		{"a: ${b}\n", false}, {"a: b\r\nc: d\n", false}, {"a: |+\n  b\n", false}, {"a: True\n", false}, {"a: .5\n", false}, {"a:\n", false},
	} {
		for _, indent := range []string{" ", "  ", "    "} {
			have, want, copied, ok := buildBoth(t, crdWith("type: object\n"+c.lines, indent))
			if !ok {
				t.Errorf("%q cannot be built", c.lines)
				continue
			}
			if !reflect.DeepEqual(meaning(have), meaning(want)) {
				t.Errorf("%q: have\n%s\nwant\n%s", c.lines, have, want)
			}
			if copied != c.isCopied {
				t.Errorf("%q: copied %t", c.lines, copied)
			}
		}
	}
}

func FuzzACopiedSchemaMeansTheSame(f *testing.F) {
	for _, lines := range []string{"type: object\na: yes\n", "b: |\n  c\n\n d: e\n", "x: \"a\n b\"\n", "y: [1, 2.0, 0o7, ~]\n", "- a\n", "? a\n: b\n", "a: >2\n   b\n"} {
		f.Add(lines, uint8(2))
	}
	f.Add("0: 000000", uint8(2)) // the library rejects the key
	f.Add("! 0:", uint8(2))
	f.Add("A: >1", uint8(2))
	f.Fuzz(func(t *testing.T, lines string, indent uint8) {
		if strings.Contains(lines, "---") || strings.Contains(lines, "kind") {
			return
		}
		have, want, copied, ok := buildBoth(t, crdWith("type: object\n"+lines, strings.Repeat(" ", int(indent%6)+1)))
		if ok && copied && !reflect.DeepEqual(meaning(have), meaning(want)) {
			t.Errorf("have\n%s\nwant\n%s", have, want)
		}
	})
}
