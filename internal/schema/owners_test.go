package schema_test

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// Since Kubernetes 1.37, an empty field of an owner reference is a missing value, without which no rules of a custom
// resource are evaluated.
func TestAnEmptyFieldOfAnOwnerIsMissingSince137(t *testing.T) {
	s, violations := schema.Compile(manifesttest.Root(t, "type: object\nproperties: {spec: {type: object}}\n"), false)
	if len(violations) > 0 {
		t.Fatal(violations)
	}
	for minor, isMissing := range map[int]bool{29: false, 36: false, 37: true, 0: true} {
		root := manifesttest.Root(t, "apiVersion: example.com/v1\nkind: Widget\n"+
			"metadata: {name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: web, uid: \"\"}]}\nspec: {}\n")
		have := schema.Check(root, s, schema.Resource{Kubernetes: minor}, manifest.Node{})
		if len(have) != 1 || (have[0].Reason == "FieldValueRequired") != isMissing || root.IsBlocked() != isMissing {
			t.Errorf("1.%d: have %v, blocked %v, want blocked %v", minor, have, root.IsBlocked(), isMissing)
		}
	}
}
