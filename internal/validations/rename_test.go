package validations

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

const renamedSchema = `
type: object
properties:
  store: {type: string}
  deep:
    type: object
    properties:
      store: {type: string}
      other: {type: string}
  list:
    type: array
    items:
      type: object
      properties:
        store: {type: string}
        in: {type: string}
  map:
    type: object
    additionalProperties: {type: object, properties: {store: {type: string}}}
  labels:
    type: object
    additionalProperties: {type: string}
`

// Only fields of the renamed object change. Strings, map keys, variables, functions, and fields with the same name
// elsewhere do not.
func TestRenameFollowsTheTypes(t *testing.T) {
	src := &source.Source{Name: "schema.yaml", Text: renamedSchema}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatal(vs[0].Message)
		}
	}
	s, _ := schema.Compile(tree.Root(), true)
	list, _ := s.Property("list")
	deep, _ := s.Property("deep")
	mapped, _ := s.Property("map")
	objects := map[*schema.Schema]bool{list.Items: true, deep: true, mapped.Additional: true}
	renamed := func(holder *schema.Schema, member string) (string, bool) {
		switch {
		case objects[holder] && member == "store":
			return "s3-location", true
		case holder == list.Items && member == "in":
			return "into", true
		}
		return "", false
	}
	for _, c := range []struct{ rule, want string }{
		{"self.store == 'a'", "self.store == 'a'"},
		{"self.deep.store == self.store", "self.deep.s3__dash__location == self.store"},
		{"has(self.deep.store) && has(self.store)", "has(self.deep.s3__dash__location) && has(self.store)"},
		{"self.list.all(store, has(store.store) && store . store != 'store.store')",
			"self.list.all(store, has(store.s3__dash__location) && store . s3__dash__location != 'store.store')"},
		{
			"self.list.exists(x, x.__in__ == 'é.store' || x.store == 'é')",
			"self.list.exists(x, x.into == 'é.store' || x.s3__dash__location == 'é')",
		},
		{"self.map['store'].store == self.labels.store", "self.map['store'].s3__dash__location == self.labels.store"},
		{
			"self.deep.?store.orValue('') == self.?deep.store.orValue('')",
			"self.deep.?s3__dash__location.orValue('') == self.?deep.s3__dash__location.orValue('')",
		},
		{"self.deep.store == oldSelf.deep.store", "self.deep.s3__dash__location == oldSelf.deep.s3__dash__location"},
		{"self.list.map(x, x.store).size() == 1", "self.list.map(x, x.s3__dash__location).size() == 1"},
		{"// self.deep.store\nself.deep.\n  store == ''", "// self.deep.store\nself.deep.\n  s3__dash__location == ''"},
		{"", ""},
	} {
		have, _, _, err := Rename(&schema.Rule{Rule: c.rule}, s, false, renamed)
		if err != nil || have != c.want {
			t.Errorf("%s\n have %s %v\n want %s", c.rule, have, err, c.want)
		}
	}
	r := schema.Rule{Rule: "true", MessageExpression: "'store ' + self.deep.store", FieldPath: ".deep.store"}
	_, message, path, err := Rename(&r, s, false, renamed)
	if want := "'store ' + self.deep.s3__dash__location"; err != nil || message != want || path != ".deep.s3-location" {
		t.Errorf("have %s, %s, %v; want %s, .deep.s3-location", message, path, err, want)
	}
}
