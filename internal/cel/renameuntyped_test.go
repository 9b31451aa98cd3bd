package cel

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

const untypedSchema = `
type: object
properties:
  store: {type: string}
  spec:
    type: object
    properties:
      store: {type: string}
      list:
        type: array
        items: {type: object, properties: {store: {type: string}}}
      map:
        type: object
        additionalProperties: {type: object, properties: {store: {type: string}}}
      labels: {type: object, additionalProperties: {type: string}}
`

// Fields are followed through every construct that leads from a variable to a value.
func TestRenameUntypedFieldsFollowsValues(t *testing.T) {
	src := &source.Source{Name: "schema.yaml", Text: untypedSchema}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatal(vs[0].Message)
		}
	}
	s, _ := schema.Compile(tree.Root(), true)
	renamed := func(holder *schema.Schema, field string) (string, bool) {
		_, isField := holder.Property(field)
		return "in-s3", isField && holder != s && field == "store"
	}
	variables := map[string]*schema.Schema{"object": s, "oldObject": s}
	for _, c := range []struct{ text, want string }{
		{"object.store == object.spec.store", "object.store == object.spec.in__dash__s3"},
		{
			"!has(object.spec.store) || oldObject.spec.store != 'spec.store'",
			"!has(object.spec.in__dash__s3) || oldObject.spec.in__dash__s3 != 'spec.store'",
		},
		{"object.spec.list.all(v1, v1.store == '')", "object.spec.list.all(v1, v1.in__dash__s3 == '')"},
		{
			"object.spec.list.filter(a, has(a.store)).map(b, b.store).size() > 0",
			"object.spec.list.filter(a, has(a.in__dash__s3)).map(b, b.in__dash__s3).size() > 0",
		},
		{
			"object.spec.list.map(a, [a]).all(b, b[0].store == '')",
			"object.spec.list.map(a, [a]).all(b, b[0].in__dash__s3 == '')",
		},
		{
			"object.spec.map.all(k, object.spec.map[k].store == k)",
			"object.spec.map.all(k, object.spec.map[k].in__dash__s3 == k)",
		},
		{"object.spec.map.all(k, v, v.store == k)", "object.spec.map.all(k, v, v.in__dash__s3 == k)"},
		{
			"object.spec.list.exists_one(a, [1].all(b, a.store != ''))",
			"object.spec.list.exists_one(a, [1].all(b, a.in__dash__s3 != ''))",
		},
		{
			"(true ? object.spec.list : []).all(a, a.store == '')",
			"(true ? object.spec.list : []).all(a, a.in__dash__s3 == '')",
		},
		{"([] + object.spec.list).all(a, a.store == '')", "([] + object.spec.list).all(a, a.in__dash__s3 == '')"},
		{"object.?spec.?store.orValue('') == object.spec.?list[0].store.orValue('')",
			"object.?spec.?in__dash__s3.orValue('') == object.spec.?list[0].in__dash__s3.orValue('')"},
		{"type(object.spec.list[0].store) == string", "type(object.spec.list[0].in__dash__s3) == string"},
		{"{'store': object.spec.store}.store == ''", "{'store': object.spec.in__dash__s3}.store == ''"},
		{"object.spec.labels.store == ''", "object.spec.labels.store == ''"},
		{"other.store == ''", "other.store == ''"},
	} {
		if have, err := RenameUntypedFields(c.text, variables, renamed); err != nil || have != c.want {
			t.Errorf("%s\n have %s, %v\n want %s", c.text, have, err, c.want)
		}
	}
	if _, err := RenameUntypedFields("object.", variables, renamed); err == nil {
		t.Error("an expression that cannot be parsed has no error")
	}
}
