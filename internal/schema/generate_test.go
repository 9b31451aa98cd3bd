package schema

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/checktest"
)

// The server cuts generateName to 58 characters and appends five. The restrictions of a schema apply to the resulting
// name.
func TestTheNameMadeOfGenerateNameHasAtMost63Characters(t *testing.T) {
	s := compiled(t, &source.Source{Name: "schema.yaml", Text: "type: object\n" +
		"properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 62}}}}\n"})
	for size, want := range map[int]int{1: 0, 57: 0, 58: 1, 59: 1, 100: 1} {
		text := "apiVersion: g/v1\nkind: K\nmetadata: {generateName: " + strings.Repeat("a", size) + "}\n"
		root := checktest.Roots(t, &source.Source{Name: "a.yaml", Text: text})[0]
		violations := Check(root, s, Resource{}, manifest.Node{})
		name := root.At("metadata").TextAt("name")
		if len(violations) != want || len(name) != min(size, 58)+5 {
			t.Errorf("%d characters: name %q, findings %v, want %d", size, name, violations, want)
		}
	}
}

// The server looks neither at a dash at the end of generateName nor at the character before it, but it validates the
// name that it generates if there is none.
func TestTheEndOfGenerateName(t *testing.T) {
	s := compiled(t, &source.Source{Name: "schema.yaml", Text: "type: object\n"})
	for meta, want := range map[string]int{
		`generateName: "a-"`: 0, `generateName: "A-"`: 1, `generateName: "aB-"`: 1, `generateName: "a.-"`: 1,
		`generateName: "a_b-"`:        1,
		`name: a, generateName: "A-"`: 0, `name: a, generateName: "aB-"`: 0, `name: a, generateName: "a_b-"`: 1,
		`name: a, generateName: "-"`: 1,
	} {
		text := "apiVersion: g/v1\nkind: K\nmetadata: {" + meta + "}\n"
		root := checktest.Roots(t, &source.Source{Name: "a.yaml", Text: text})[0]
		if have := Check(root, s, Resource{}, manifest.Node{}); len(have) != want {
			t.Errorf("%s: %v, want %d", meta, have, want)
		}
	}
}

// The scale subresource reads replicas as a non-negative 32-bit number, and the selector as a string.
func TestScaleReadsItsFields(t *testing.T) {
	s := compiled(t, &source.Source{Name: "schema.yaml", Text: `type: object
properties:
  spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
  status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`})
	scale := Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas", LabelSelector: ".status.selector"}
	for text, want := range map[string]string{
		"spec: {replicas: 0}":                            "",
		"spec: {replicas: 2147483647}":                   "",
		"spec: {replicas: 2147483648}":                   "spec.replicas out-of-range",
		"spec: {replicas: -1}":                           "spec.replicas out-of-range",
		"spec: {replicas: many}":                         "spec.replicas wrong-type",
		"spec: {}":                                       "",
		"spec: {}\nstatus: {replicas: -1}":               "status.replicas out-of-range",
		"spec: {}\nstatus: {selector: {a: b}}":           "status.selector wrong-type",
		"spec: {}\nstatus: {selector: a=b}":              "",
		"spec: {replicas: -1}\nstatus: {replicas: many}": "spec.replicas out-of-range status.replicas wrong-type",
	} {
		src := &source.Source{Name: "a.yaml", Text: text + "\n"}
		var have []string
		for _, v := range Check(checktest.Roots(t, src)[0], s, Resource{Plain: true, Scale: scale}, manifest.Node{}) {
			have = append(have, v.Path.String()+" "+string(v.Rule))
		}
		if strings.Join(have, " ") != want {
			t.Errorf("%q: have %v, want %q", text, have, want)
		}
	}
}
