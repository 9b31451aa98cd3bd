package schema

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// A violation that follows from a misspelled field is not reported next to that field. If it follows from a field that
// resembles no other, or that the object allows, its message and help name that field.
func TestOneMistakeIsOneViolation(t *testing.T) {
	s := compiled(t, &source.Source{Name: "schema.yaml", Text: `
type: object
properties:
  needs: {type: object, required: [target], properties: {target: {type: string}, targets: {type: string}}}
  open: {type: object, required: [target], properties: {target: {type: string}}, x-kubernetes-preserve-unknown-fields: true}
  least: {type: object, minProperties: 2, properties: {alpha: {type: string}, beta: {type: string}}}
  choice: {type: object, properties: {alpha: {type: string}, beta: {type: string}}, anyOf: [{required: [alpha]}, {required: [beta]}]}
`})
	for _, c := range []struct{ text, want string }{
		{"needs: {targt: x}", ""},
		{"needs: {Target: x}", ""},
		{"open: {Target: x}", `required field "target" is missing, because "Target" is unknown; rename "Target" to "target"`},
		{"open: {targt: x}", `required field "target" is missing, because "targt" is unknown; rename "targt" to "target"`},
		{"open: {targetss: x}", `required field "target" is missing`},
		{"open: {targt: x, target: null}",
			`required field "target" is null; set a value: the API server drops nulls, so the field is missing`},
		{"needs: {other: x}", `required field "target" is missing`},
		{"needs: {targetss: x}", `required field "target" is missing`}, // it is nearer to another field
		{
			"needs: {targt: x, target: null}",
			`required field "target" is null; set a value: the API server drops nulls, so the field is missing`,
		},
		{"least: {alpa: x, beta: x}", ""},
		{"least: {alpa: x}", `must have at least 2 fields, got 0; known fields: alpha, beta`},
		{"least: {c: x, d: x}", `must have at least 2 fields, got 0, because "c" is unknown; known fields: alpha, beta`},
		{"least: {c: x}", `must have at least 2 fields, got 0; known fields: alpha, beta`},
		{"choice: {bta: x}", ""},
		{"choice: {other: x}", `none of "alpha", "beta" is set; set at least one of "alpha", "beta"`},
	} {
		root := manifesttest.Root(t, c.text+"\n")
		var have []string
		for _, v := range Check(root, s, Resource{Plain: true, NoMetadata: true}, manifest.Node{}) {
			if v.Rule == diag.UnknownField {
				continue
			}
			text := v.Message
			if v.Help != "" {
				text += "; " + v.Help
			}
			have = append(have, text)
		}
		if strings.Join(have, "\n") != c.want {
			t.Errorf("%s:\n have %q\n want %q", c.text, have, c.want)
		}
	}
}
