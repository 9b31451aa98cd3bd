package derived

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// schemaOf returns the schema of a field in a simple schema as JSON; "" if kro rejects it.
func schemaOf(written string, others object) string {
	t, ok := newTypes(others)
	if !ok {
		return ""
	}
	f, ok := t.field(written)
	if !ok {
		return ""
	}
	text, _ := json.Marshal(f.schema)
	return string(text)
}

func TestFieldsOfASimpleSchema(t *testing.T) {
	for written, want := range map[string]string{
		"string":                          `{"type":"string"}`,
		" float ":                         `{"type":"number"}`,
		"object":                          `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`,
		"[]map[string]integer":            `{"items":{"additionalProperties":{"type":"integer"},"type":"object"},"type":"array"}`,
		"integer | default=3":             `{"default":3,"type":"integer"}`,
		"string | default=3":              `{"default":"3","type":"string"}`,
		`string | default="a b"`:          `{"default":"a b","type":"string"}`,
		`string | default="\"ä\""`:        `{"default":"\"ä\"","type":"string"}`,
		"integer | minimum=1 maximum=2":   `{"maximum":2,"minimum":1,"type":"integer"}`,
		"integer | enum=\"1, 2\"":         `{"enum":[1,2],"type":"integer"}`,
		"[]string | uniqueItems=true":     `{"items":{"type":"string"},"type":"array","x-kubernetes-list-type":"set"}`,
		`[]string | default=["a", "b"]`:   `{"default":["a","b"],"items":{"type":"string"},"type":"array"}`,
		"string | immutable=true":         `{"type":"string","x-kubernetes-validations":[{"message":"field is immutable","rule":"self == oldSelf"}]}`,
		`string | validation="self != a"`: `{"type":"string","x-kubernetes-validations":[{"message":"validation failed","rule":"self != a"}]}`,
		"Port":                            `{"properties":{"number":{"type":"integer"}},"required":["number"],"type":"object"}`,
		"":                                "",
		"Unknown":                         "",
		"string | nothing=1":              "",
		"string | required":               "",
		"integer | default=a":             "",
		"map[integer]string":              "",
		"string | required=perhaps":       "",
	} {
		if have := schemaOf(written, object{"Port": object{"number": "integer | required=true"}}); have != want {
			t.Errorf("%s: %s, want %s", written, have, want)
		}
	}
}

func TestATypeThatContainsItselfIsRejected(t *testing.T) {
	if have := schemaOf("string", object{"A": object{"b": "B"}, "B": object{"a": "[]A"}}); have != "" {
		t.Error(have)
	}
}

func TestATypeIsRequiredIfItSaysSo(t *testing.T) {
	types, _ := newTypes(object{"Name": "string | required=true"})
	f, _ := types.fields(object{"name": "Name", "other": "string"})
	if text, _ := json.Marshal(f.schema["required"]); string(text) != `["name"]` {
		t.Error(string(text))
	}
}

// A field that is required has no default, and an object with other defaults has one, so that they apply.
func TestAnObjectOfDefaultsHasADefault(t *testing.T) {
	for written, want := range map[string]string{
		"integer | default=1":               `{"default":{},"properties":{"a":{"default":1,"type":"integer"}},"type":"object"}`,
		"integer":                           `{"properties":{"a":{"type":"integer"}},"type":"object"}`,
		"integer | default=1 required=true": `{"properties":{"a":{"default":1,"type":"integer"}},"required":["a"],"type":"object"}`,
	} {
		types, _ := newTypes(nil)
		f, _ := types.fields(object{"a": written})
		if have, _ := json.Marshal(f.schema); string(have) != want {
			t.Errorf("%s: %s, want %s", written, have, want)
		}
	}
}

func TestNestingHasALimit(t *testing.T) {
	deep := "string"
	for range maxTypeNesting {
		deep = "[]" + deep
	}
	if schemaOf(deep, nil) == "" || schemaOf("[]"+deep, nil) != "" {
		t.Error("the limit differs")
	}
}

// Each type refers twice to the one before.
func TestTypesHaveALimit(t *testing.T) {
	types := object{"T0": "string"}
	for i := range 13 {
		below := "T" + strconv.Itoa(i)
		types["T"+strconv.Itoa(i+1)] = object{"a": below, "b": below}
	}
	if _, ok := newTypes(types); !ok {
		t.Error("2^14 fields are rejected")
	}
	types["T14"] = object{"a": "T13", "b": "T13"}
	if _, ok := newTypes(types); ok {
		t.Error("2^15 fields are not rejected")
	}
}

// A type with a long text may be that of many fields.
func TestTextsHaveALimit(t *testing.T) {
	for _, long := range []any{
		"string | description=" + strings.Repeat("ä", 10_000), object{strings.Repeat("ä", 10_000): "string"},
	} {
		types, ok := newTypes(object{"Long": long})
		fields := object{}
		for i := range 140 {
			fields[strconv.Itoa(i)] = "Long"
		}
		if _, isAllowed := types.fields(fields); !ok || !isAllowed {
			t.Error("140 texts of 20 KB are rejected")
		}
		for i := range 150 {
			fields[strconv.Itoa(i)] = "Long"
		}
		if _, isAllowed := types.fields(fields); isAllowed {
			t.Error("150 texts of 20 KB are not rejected")
		}
	}
}

// The first type of a chain is read first, so all others are read within it.
func TestAChainOfTypesHasALimit(t *testing.T) {
	types := object{}
	for i := range maxSimpleDepth - 1 {
		types[fmt.Sprintf("T%04d", i)] = fmt.Sprintf("T%04d", i+1)
	}
	last := fmt.Sprintf("T%04d", maxSimpleDepth-1)
	types[last] = "string"
	if _, ok := newTypes(types); !ok {
		t.Errorf("%d types are rejected", maxSimpleDepth)
	}
	types[last] = object{"a": "string"}
	if _, ok := newTypes(types); ok {
		t.Errorf("%d types with a field are not rejected", maxSimpleDepth)
	}
}

func TestListsOfMarkersHaveALimit(t *testing.T) {
	for _, marker := range []string{" listMapKey=a", " validation=a", " immutable=true"} {
		most := "[]string |" + strings.Repeat(marker, maxListed)
		if schemaOf(most, nil) == "" || schemaOf(most+marker, nil) != "" {
			t.Errorf("%s: the limit differs", marker)
		}
		types := object{"T": "string |" + strings.Repeat(marker, maxListed)}
		if schemaOf("T", types) == "" || schemaOf("T |"+marker, types) != "" {
			t.Errorf("%s: the limit of a list that a type has differs", marker)
		}
	}
}

// Otherwise this takes minutes.
func TestAMarkerMayHaveManySpacesBeforeItsValue(t *testing.T) {
	start := time.Now()
	if have := splitMarkers(strings.Repeat("a ", 5_000_000) + "= b"); len(have) != 2 {
		t.Errorf("%d markers", len(have))
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestMarkersAreSplitAtSpaces(t *testing.T) {
	for text, want := range map[string]string{
		`a=1 b=2`:              `["a=1" "b=2"]`,
		` a =1  b= 2`:          `["a =1" "b=" "2"]`,
		`a="b c=d" e={"f": 1}`: `["a=\"b c=d\"" "e={\"f\": 1}"]`,
		`a="\" b" c=[1, [2]]`:  `["a=\"\\\" b\"" "c=[1, [2]]"]`,
		``:                     `[]`,
	} {
		if have := fmt.Sprintf("%q", splitMarkers(text)); have != want {
			t.Errorf("%s: %s, want %s", text, have, want)
		}
	}
}

// Two fields of a type with lists add to copies of them.
func TestMarkersOfAFieldDoNotChangeItsType(t *testing.T) {
	types, _ := newTypes(object{"T": "[]string | listMapKey=a listMapKey=b listMapKey=c"})
	f, _ := types.fields(object{"x": "T | listMapKey=x default=[]", "y": "T | listMapKey=y", "z": "T"})
	text, _ := json.Marshal(at(f.schema, "properties"))
	for _, want := range []string{`["a","b","c","x"]`, `["a","b","c","y"]`, `["a","b","c"]`} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("%s: want %s", text, want)
		}
	}
	if strings.Count(string(text), "default") != 1 {
		t.Errorf("%s", text)
	}
}
