package adapter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// Each expression has its outcome with cel-go, which reads the document only through values of this package.
func TestExpressionsHaveTheirOutcome(t *testing.T) {
	list, arguments := celtest.Expressions(t)
	for _, e := range list {
		r := e.Eval(e.Activate(arguments, &environment.Meter{Left: environment.WorkBudget}))
		have := "error"
		if r.IsTrue() || r.IsFalse() {
			have = fmt.Sprint(r.IsTrue())
		}
		if have != e.Want {
			t.Errorf("%s: have %s (%v), want %s", e.Text, have, r.Err, e.Want)
		}
	}
}

const (
	atomicList = "type: array\nitems: {type: integer}\n"
	setList    = "type: array\nx-kubernetes-list-type: set\nitems: {type: integer}\n"
	timeSet    = "type: array\nx-kubernetes-list-type: set\nitems: {type: string, format: date-time}\n"
	mapList    = "type: array\nx-kubernetes-list-type: map\nx-kubernetes-list-map-keys: [a, b]\n" +
		"items: {type: object, properties: {a: {type: integer}, b: {type: integer}, v: {type: integer}}}\n"
	openObject = "type: object\nx-kubernetes-preserve-unknown-fields: true\n" +
		"properties: {a: {type: integer}, b: {type: integer, nullable: true}}\n"
	labels = "type: object\nadditionalProperties: {type: integer}\n"
)

func valueOf(t *testing.T, schema, text string) ref.Val {
	t.Helper()
	return adapter.ValueOf(celtest.Object("a.yaml", text), celtest.CompileSchema(t, schema))
}

// text returns a value as a text, or the message of an error.
func text(v ref.Val) string {
	if err, ok := v.(*types.Err); ok {
		return err.Error()
	}
	return fmt.Sprint(v.Value())
}

func TestValuesAreEqualAsTheirSchemasSay(t *testing.T) {
	for _, c := range []struct{ schema, a, b, want string }{
		{atomicList, "[1, 2]", "[1, 2]", "true"},
		{atomicList, "[1, 2]", "[1, 3]", "false"},
		{atomicList, "[1, 2]", "[2, 1]", "false"},
		{atomicList, "[1, 2]", "[1]", "false"},
		{atomicList, "[1]", "[1, 2]", "false"},
		{setList, "[1, 2]", "[2, 1]", "true"},
		{setList, "[1, 2]", "[1, 3]", "false"},
		{setList, "[1, 2]", "[1, 1]", "false"},
		{setList, "[1, 1]", "[1, 1]", "true"},
		{timeSet, "['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']", "['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z']", "true"},
		{setList, "[1, 2]", "[1, 2, 3]", "false"},
		{mapList, "[{a: 1, b: 1, v: 5}, {a: 1, b: 2, v: 6}]", "[{a: 1, b: 2, v: 6}, {a: 1, b: 1, v: 5}]", "true"},
		{mapList, "[{a: 1, b: 1, v: 5}, {a: 1, b: 2, v: 6}]", "[{a: 1, b: 2, v: 5}, {a: 1, b: 1, v: 6}]", "false"},
		{mapList, "[{a: 1, b: 1, v: 5}]", "[{a: 1, b: 2, v: 5}]", "false"},
		{mapList, "[{a: 1, v: 5}]", "[{a: 1, v: 5}]", "true"}, // the second key has no value
		{openObject, "{a: 1, x: 1}", "{a: 1, x: 1}", "true"},
		{openObject, "{a: 1, x: 1}", "{a: 1, x: 2}", "false"},
		{openObject, "{a: 1, x: 1}", "{a: 1, y: 1}", "true"}, // as upstream
		{openObject, "{a: 1}", "{a: 2}", "false"},
		{openObject, "{a: 1}", "{a: 1, b: 1}", "false"},
		{openObject, "{a: 1, b: 1}", "{a: 1}", "false"},
		{openObject, "{a: 1}", "{b: 1}", "false"},
		{labels, "{a: 1, b: 2}", "{b: 2, a: 1}", "true"},
		{labels, "{a: 1}", "{b: 1}", "false"},
		{labels, "{a: 1}", "{a: 1, b: 1}", "false"},
	} {
		if have := text(valueOf(t, c.schema, c.a).Equal(valueOf(t, c.schema, c.b))); have != c.want {
			t.Errorf("%s and %s with the schema\n%shave %s, want %s", c.a, c.b, c.schema, have, c.want)
		}
	}
}

func TestListsAreAddedAsTheirType(t *testing.T) {
	for _, c := range []struct{ schema, a, b, want string }{
		{atomicList, "[1, 2]", "[2, 3]", "[1 2 2 3]"},
		{setList, "[1, 2]", "[2, 3, 3]", "[1 2 3]"},
		{mapList, "[{a: 1, b: 1, v: 5}, {a: 1, b: 2, v: 6}]", "[{a: 1, b: 2, v: 7}, {a: 2, b: 2, v: 8}]",
			"[map[a:1 b:1 v:5] map[a:1 b:2 v:7] map[a:2 b:2 v:8]]"},
	} {
		sum := valueOf(t, c.schema, c.a).(traits.Adder).Add(valueOf(t, c.schema, c.b))
		if have := text(sum); have != c.want {
			t.Errorf("%s and %s: have %s, want %s", c.a, c.b, have, c.want)
		}
		again := text(sum.(traits.Adder).Add(valueOf(t, c.schema, c.b))) // a sum is a list of the same type
		if c.schema != atomicList && again != c.want {
			t.Errorf("%s and twice %s: have %s", c.a, c.b, again)
		}
	}
}

func TestItemsAreFoundWithinTheirBounds(t *testing.T) {
	list := valueOf(t, atomicList, "[1, x, 3]").(traits.Lister)
	for range 2 { // before and after all values have been made
		for index, want := range map[int]string{
			-1: "index out of bounds: -1", 0: "1", 1: "invalid data, expected int, got string", 2: "3",
			3: "index out of bounds: 3",
		} {
			if have := text(list.Get(types.Int(index))); have != want {
				t.Errorf("%d: have %s, want %s", index, have, want)
			}
		}
		for value, want := range map[int]string{1: "true", 3: "true", 4: "invalid data, expected int, got string"} {
			if have := text(list.Contains(types.Int(value))); have != want {
				t.Errorf("%d in the list: have %s, want %s", value, have, want)
			}
		}
	}
}

func TestNullAndUndeclaredFieldsAreNotSeen(t *testing.T) {
	if have := text(valueOf(t, "type: integer\n", "null")); !strings.Contains(have, "nullable=false") {
		t.Errorf("null is %s", have)
	}
	if have := valueOf(t, "type: integer\nnullable: true\n", "null"); have != types.NullValue {
		t.Errorf("nullable null is %s", text(have))
	}
	o := valueOf(t, openObject, "{a: 1, b: null, x: 1}").(*adapter.Object)
	keys := ""
	for it := o.Iterator(); it.HasNext() == types.True; {
		keys += text(it.Next()) + " "
	}
	if keys != "a b " {
		t.Errorf("a loop sees %s", keys)
	}
	for name, want := range map[string]types.Bool{"a": true, "b": false, "x": false} {
		if have := o.Contains(types.String(name)); have != want {
			t.Errorf("has %s: %v", name, have)
		}
	}
}

// What an expression makes weighs as much as its texts and items, up to a limit.
func TestMadeValuesHaveAWeight(t *testing.T) {
	long := types.String(strings.Repeat("x", 6400))
	for _, c := range []struct {
		value ref.Val
		limit int64
		want  int64
	}{
		{types.Int(1), 1000, 1},
		{long, 1000, 101},
		{types.Bytes(long), 1000, 101},
		{types.OptionalOf(long), 1000, 102},
		{types.DefaultTypeAdapter.NativeToValue([]ref.Val{long, long}), 1000, 203},
		{types.DefaultTypeAdapter.NativeToValue([]ref.Val{long, long, long}), 150, 203}, // ends beyond the limit
		{types.DefaultTypeAdapter.NativeToValue(map[string]ref.Val{"k": long}), 1000, 103},
		{valueOf(t, atomicList, "[1, 2, 3]"), 1000, 7}, // of 9 bytes
	} {
		if have := adapter.Weigh(c.value, c.limit); have != c.want {
			t.Errorf("%.40s: have %d, want %d", text(c.value), have, c.want)
		}
	}
}
