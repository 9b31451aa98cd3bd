package schema

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// The message and the help of a violation name the unknown field that it follows from, and only such a field.
func TestDerivedViolationsNameTheUnknownField(t *testing.T) {
	s := compiled(t, &source.Source{Name: "schema.yaml", Text: `
type: object
properties:
  needs: {type: object, required: [target], properties: {target: {type: string}, targets: {type: string}}}
  least: {type: object, minProperties: 2, properties: {alpha: {type: string}, beta: {type: string}}}
  choice: {type: object, properties: {alpha: {type: string}, beta: {type: string}}, anyOf: [{required: [alpha]}, {required: [beta]}]}
`})
	native := nativeType(t, "v1.Widget", &Compiler{})
	for _, c := range []struct{ text, want string }{
		{"needs: {targt: x}", `required field "target" is missing, because "targt" is unknown; rename "targt" to "target"`},
		{"needs: {other: x}", `required field "target" is missing`},
		{"needs: {targetss: x}", `required field "target" is missing`}, // it is nearer to another field
		{
			"needs: {targt: x, target: null}",
			`required field "target" is null; set a value: the API server drops nulls, so the field is missing`,
		},
		{
			"least: {alpa: x, beta: x}",
			`must have at least 2 fields, got 1, because "alpa" is unknown; rename "alpa" to "alpha"`,
		},
		{"least: {c: x, d: x}", `must have at least 2 fields, got 0, because "c" is unknown; known fields: alpha, beta`},
		{"least: {c: x}", `must have at least 2 fields, got 0; known fields: alpha, beta`},
		{"choice: {bta: x}", `none of "alpha", "beta" is set, because "bta" is unknown; rename "bta" to "beta"`},
		{"choice: {other: x}", `none of "alpha", "beta" is set; set at least one of "alpha", "beta"`},
		{"{apiVersion: v1, kind: Widget, metadta: {name: a}, spec: {parts: [{name: a}]}}",
			`required field "name" is missing, because "metadta" is unknown; rename "metadta" to "metadata"`},
		{"{apiVersion: v1, kind: Widget, metadata: {nam: a}, spec: {parts: [{name: a}]}}",
			`required field "name" is missing, because "nam" is unknown; rename "nam" to "name"`},
	} {
		resource, of := Resource{Plain: true, NoMetadata: true}, s
		if strings.HasPrefix(c.text, "{") {
			resource, of = Resource{Native: true, Namespaced: true}, native
		}
		root := trees(t, &source.Source{Name: "a.yaml", Text: c.text + "\n"})[0].Root()
		var have []string
		for _, v := range Check(root, of, resource, manifest.Node{}) {
			if v.Rule == diag.UnknownField {
				continue
			}
			text := v.Message
			if v.Help != "" {
				text += "; " + v.Help
			}
			have = append(have, text)
		}
		if len(have) != 1 || have[0] != c.want {
			t.Errorf("%s:\n have %q\n want %q", c.text, have, c.want)
		}
	}
}
