package schema_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kindvet/kindvet/internal/diag"
)

// A value is compared with each of a few allowed values and looked up among many, with the same result. In JSON, 1.0 is
// no integer.
func TestALongEnumAllowsWhatAShortOneAllows(t *testing.T) {
	const any = `, "x-kubernetes-preserve-unknown-fields": true`
	for _, c := range []struct{ schema, values, other, allowed, rejected string }{
		{`"type": "string"`, `"2"; "ä"; null`, `"v9"`, `"2"; "ä"`, `"9"; "v"; ""; "null"`},
		{`"type": "integer"`, "1; -2; 9007199254740993; 8.0", "77", "1; 1.0; -2; 8; 9007199254740993",
			"2; -1; 9007199254740992"},
		{`"type": "number"`, "1; 2.5; -0.0", "77", "1; 1.0; 2.5; 0; 0.0; 1.5", "2; 0.5; -1"}, // 1.5 is cut to an integer
		{`"type": "boolean"`, "true", "true", "true", "false"},
		// 50 is the code of 2
		{`"x-kubernetes-int-or-string": true`, `"2"; 3`, "77", `"2"; 3; 50`, `2; "3"; 51; -1; 1114112`},
		{`"type": "array", "items": {}`, `[]; [1, "a"]; [null]; [-0.0, 2.5]`, "[77]", `[]; [1, "a"]; [null]; [0.0, 2.5]`,
			`[1]; ["a", 1]; [1.0, "a"]; ["null"]; [[1, "a"]]; [0, 2.5]`},
		{`"type": "object"` + any, `{"a": 1, "b": {"c": "x"}}; {}; {"d": [true]}`, `{"e": 77}`,
			`{"b": {"c": "x"}, "a": 1}; {}; {"d": [true]}`,
			`{"a": 1}; {"a": 1.0, "b": {"c": "x"}}; {"a": 1, "b": {"c": "x"}, "d": 1}; {"d": ["true"]}; {"d": [false]}`},
	} {
		values := strings.Split(c.values, "; ")
		for _, size := range []int{len(values), 16, 17, 18} {
			definition := `{"type": "object", "properties": {"v": {` + c.schema + `, "enum": [` + strings.Join(values, ", ") +
				strings.Repeat(", "+c.other, size-len(values)) + "]}}}"
			for value := range strings.SplitSeq(c.allowed, "; ") {
				if violations, _ := check(t, definition, `{"v": `+value+"}"); len(violations) > 0 {
					t.Errorf("%s: %s among %d: have %s", c.schema, value, size, violations[0].Message)
				}
			}
			for value := range strings.SplitSeq(c.rejected, "; ") {
				violations, _ := check(t, definition, `{"v": `+value+"}")
				if len(violations) != 1 || violations[0].Rule != diag.NotInEnum {
					t.Errorf("%s: %s among %d: have %v", c.schema, value, size, violations)
				}
			}
		}
	}
}

// Values that are not strings, and those of the wrong type, are not compared with each allowed value either. Otherwise
// each of these takes more than 20 s.
func TestManyValuesAndALongEnumAreFast(t *testing.T) {
	const size = 60_000
	list := func(value func(i int) string) string {
		var b strings.Builder
		for i := range size {
			b.WriteString(value(i))
			b.WriteByte(',')
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	same := func(text string) func(int) string { return func(int) string { return text } }
	quoted := func(i int) string { return strconv.Quote("v" + strconv.Itoa(i)) }
	for _, c := range []struct {
		schema         string
		allowed, value func(i int) string
		isAllowed      bool
	}{
		{`"type": "integer"`, strconv.Itoa, same("59999"), true},
		{`"type": "array", "items": {}`, func(i int) string { return "[" + strconv.Itoa(i) + "]" }, same("[59999]"), true},
		{`"type": "string"`, quoted, quoted, true},
		{`"type": "string"`, quoted, same("true"), false},
		{`"type": "string"`, quoted, same("7"), false},
	} {
		definition := `{"type": "array", "items": {` + c.schema + `, "enum": [` + list(c.allowed) + "]}}"
		start := time.Now()
		violations, _ := check(t, definition, "["+list(c.value)+"]")
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %v", c.schema, took)
		}
		if isAllowed := len(violations) == 0; isAllowed != c.isAllowed {
			t.Errorf("%s: have %d violations", c.schema, len(violations))
		}
	}
}
