package schema

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// Quoting is offered only if the resulting string is valid: otherwise the value would still be rejected.
func TestANumberIsQuotedOnlyIfTheStringIsValid(t *testing.T) {
	for _, c := range []struct {
		schema, value string
		want          bool
	}{
		{"type: string", "10", true},
		{"type: string, enum: ['10', '11']", "10", true},
		{"type: string, enum: ['100', '11']", "10", false},
		{"type: string, maxLength: 2", "10", true},
		{"type: string, maxLength: 1", "10", false},
		{"type: string, minLength: 2", "10", true},
		{"type: string, minLength: 3", "10", false},
		{"type: string, pattern: '^1'", "10", true},
		{"type: string, pattern: '^2'", "10", false},
		{"type: string, format: date", "10", false},
	} {
		s := compiled(t, &source.Source{Text: "type: object\nproperties:\n  a: {" + c.schema + "}\n"})
		for _, root := range manifesttest.Roots(t, "a: "+c.value+"\n") {
			violations := Check(root, s, Resource{Plain: true}, manifest.Node{})
			if len(violations) != 1 || (len(violations[0].Fixes) == 1) != c.want {
				t.Errorf("%s, %s: have %+v, want a fix: %v", c.schema, c.value, violations, c.want)
			}
		}
	}
}
