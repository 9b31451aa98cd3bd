package adapter_test

import (
	"testing"

	"github.com/google/cel-go/common/types"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// A field is visible under its escaped name if the schema declares it, and an error if its value has another type.
func TestObjectsShowTheFieldsOfTheirSchema(t *testing.T) {
	s := celtest.CompileSchema(t,
		"type: object\nproperties: {a: {type: integer}, b-c: {type: string}, d: {type: integer}, e: {type: string}}\n")
	o := adapter.ValueOf(celtest.Object("a.yaml", "{a: 1, b-c: x, d: wrong, e: null, undeclared: 1}"),
		s).(*adapter.Object)
	for name, want := range map[string]string{
		"a": "1", "b__dash__c": "x", "d": "invalid data, expected int, got string", "e": "", "undeclared": "", "none": "",
	} {
		have := ""
		if v, ok := o.Find(types.String(name)); ok {
			have, _ = v.ConvertToType(types.StringType).Value().(string)
			if err, ok := v.(*types.Err); ok {
				have = err.Error()
			}
		}
		if have != want {
			t.Errorf("%s: have %q, want %q", name, have, want)
		}
	}
}

// Lists of type set are equal in any order, other lists only in the same one.
func TestListsCompareAsTheirType(t *testing.T) {
	for listType, want := range map[string]types.Bool{"set": true, "atomic": false} {
		s := celtest.CompileSchema(t, "type: array\nx-kubernetes-list-type: "+listType+"\nitems: {type: string}\n")
		x, y := adapter.ValueOf(celtest.Object("a.yaml", "[a, b]"), s),
			adapter.ValueOf(celtest.Object("b.yaml", "[b, a]"), s)
		if have := x.Equal(y); have != want {
			t.Errorf("%s: have %v, want %v", listType, have, want)
		}
	}
}
