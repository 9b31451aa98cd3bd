package derived

import (
	"encoding/json"
	"strconv"
	"testing"
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
