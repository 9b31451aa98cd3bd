package definition

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// A rule that is evaluated for each of many items may use the name of the object only if the server knows how long it is.
func TestNamesHaveALengthSinceKubernetes137(t *testing.T) {
	text := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              items: {type: array, maxItems: 1000, items: {type: string, maxLength: 10}}
        x-kubernetes-validations:
        - rule: self.spec.items.all(i, self.metadata.name.contains(i))
`
	for minor, want := range map[int]bool{30: false, 36: false, 37: true, 0: true} {
		found := Check(nil, cel.Server{Minor: minor}, manifesttest.Root(t, text), manifest.Node{})
		isCheap := true
		for _, v := range found {
			isCheap = isCheap && !strings.Contains(v.Message, "cost")
		}
		if isCheap != want {
			t.Errorf("1.%d: the rule is cheap enough: have %v, want %v", minor, isCheap, want)
		}
	}
}
