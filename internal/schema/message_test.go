package schema_test

import (
	"strings"
	"testing"
)

// Messages have at most 99 characters. What does not fit goes to the help line.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ schema, document, message, help string }{
		{"properties: {a: {enum: [one, two]}}", "a: three", `must be one of "one", "two"; got "three"`, ""},
		{"properties: {a: {type: string, enum: [alphabetical, chronological, geographical, historical, logical, musical]}}",
			"a: z", `must be one of "alphabetical", "chronological", "geographical", … (6 allowed); got "z"`,
			`allowed: "alphabetical", "chronological", "geographical", "historical", "logical", "musical"`},
		{"properties: {a: {type: string, enum: [alphabetical, chronological, geographical, historical, logical, musical]}}",
			"a: musicals",
			`must be one of "alphabetical", "chronological", "geographical", … (6 allowed); got "musicals"`, `use "musical"`},
		{"properties: {a: {enum: [" + long + ", " + long + "y]}}", "a: " + long + "z",
			`must be one of 2 allowed values; got "` + long[:50] + `…"`, `allowed: "` + long[:50] + `…", "` + long[:50] + `…"`},
		{"properties: {a: {enum: [internal, internet-facing]}}", "a: " + long,
			`must be one of "internal", "internet-facing"; got "` + long[:20] + `…"`, ""},
		{"properties: {a: {enum: [internal, internet-facing]}}", "a: " + long[:47],
			`must be one of "internal", "internet-facing"; got "` + long[:47] + `"`, ""},
		{"properties: {a: {enum: [internal, internet-facing]}}", "a: " + long[:48],
			`must be one of "internal", "internet-facing"; got "` + long[:20] + `…"`, ""},
		{"properties: {a: {enum: [internal, internet-facing]}}", "a: [" + long + "]",
			`must be one of "internal", "internet-facing"; got ["` + long[:18] + `…`, ""},
		{"properties: {a: {type: string, enum: [alphabetical, chronological, geographical, historical, logical, musical]}}",
			"a: " + long, `must be one of "alphabetical", "chronological", … (6 allowed); got "` + long[:20] + `…"`,
			`allowed: "alphabetical", "chronological", "geographical", "historical", "logical", "musical"`},
		{"properties: {a: {type: string, pattern: '^b$'}}", "a: c", `must match the pattern ^b$, got "c"`, ""},
		{"properties: {a: {type: string, description: The letter., pattern: '^" + strings.Repeat("b|", 150) +
			"b$'}}", "a: c",
			`"c" does not match the pattern`, "the letter; the pattern is ^" + strings.Repeat("b|", 49) + "b…"},
	} {
		violations, _ := check(t, "type: object\n"+c.schema, c.document)
		if len(violations) != 1 || violations[0].Message != c.message {
			t.Errorf("%s: %s: have %v, want %q", c.schema, c.document, violations, c.message)
		} else if violations[0].Help != c.help {
			t.Errorf("%s: %s: have help %q, want %q", c.schema, c.document, violations[0].Help, c.help)
		}
	}
}
