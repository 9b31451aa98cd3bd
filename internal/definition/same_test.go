package definition

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Versions are compared in one walk. If each level were compared in both directions, the time would double with each
// level.
func TestDeepVersionsAreComparedInOneWalk(t *testing.T) {
	const depth = 90
	schema := strings.Repeat("{properties: {a: ", depth) + "{type: string}" + strings.Repeat("}}", depth)
	for _, c := range []struct {
		first, second string
		want          bool
	}{
		{schema, schema, true},
		{schema, strings.Replace(schema, "string", "integer", 1), false},
		{schema, strings.Replace(schema, "type: string", "", 1), false},
		{strings.Replace(schema, "type: string", "", 1), schema, false},
	} {
		src := &source.Source{Name: "crd.yaml", Text: "- schema: " + c.first + "\n- schema: " + c.second + "\n"}
		tree := &manifest.Tree{}
		for part := range manifest.Parts(src) {
			if faults := tree.Read(src, part); len(faults) > 0 {
				t.Fatal(faults)
			}
		}
		if have := areSame(tree.Root(), "schema"); have != c.want {
			t.Errorf("areSame(%s, %s) is %v", c.first, c.second, have)
		}
	}
}
