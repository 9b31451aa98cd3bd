package definition

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// What a default costs counts as that of an object.
func TestRulesOnDefaultsAreLimited(t *testing.T) {
	for _, c := range []struct {
		name      string
		items     int
		allowance *cel.Allowance
		isCut     bool
	}{
		{"few items, late", 3, cel.Strict(), false},
		{"many items", 300, &cel.Allowance{}, false},
		{"many items, late", 300, cel.Strict(), true},
	} {
		items := strings.TrimSuffix(strings.Repeat("1, ", c.items), ", ")
		src := &source.Source{Name: "crd.yaml", Text: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          é:
            type: array
            maxItems: 300
            items: {type: integer}
            x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x + y > 0))"}]
            default: [` + items + "]\n"}
		tree := &manifest.Tree{}
		for part := range manifest.Parts(src) {
			if violations := tree.Read(src, part); len(violations) > 0 {
				t.Fatal(violations)
			}
		}
		found := Check(c.allowance, cel.Server{}, tree.Root(), manifest.Node{})
		isCut := len(found) == 1 && found[0].Rule == diag.ReaderLimit &&
			found[0].Place.Span.Start == strings.Index(src.Text, "default: [")
		if isCut != c.isCut || !isCut && len(found) > 0 {
			t.Errorf("%s: have %v", c.name, found)
		}
	}
}
