package definition

import (
	"slices"
	"strconv"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/validations"
)

// defaultOf validates the default of a schema against that schema, which must be valid apart from it
// (apiextensions-apiserver, defaulting.ValidateDefaults).
func (w *walker) defaultOf(s *schema.Schema, here place) {
	n := s.Default
	if !n.Valid() {
		return
	}
	var violations []diag.Violation
	switch {
	case here.resource != nil:
		violations = schema.CheckDefaultInMeta(n, s, resourceWith(here.resource, n), w.server.Minor)
		for i := range violations {
			if violations[i].Place.File != n.Tree().Source.Name { // in the synthetic resource
				violations[i].Place, violations[i].Path = n.Place(), n.Path()
			}
		}
	default:
		violations = schema.CheckDefault(n, s, here.level == rootLevel, w.server.Minor)
	}
	if len(violations) == 0 && w.compile {
		violations = validations.CheckDefault(w.share, n, s, here.level == rootLevel || s.Embedded)
	}
	for _, v := range violations {
		if v.Rule == diag.ReaderLimit {
			w.add(n, v)
			continue
		}
		v.Message = "the default violates its schema: " + v.Message
		if here.anyField {
			v.Severity, v.Help = diag.Warning,
				"the server does not validate defaults below additionalProperties, but applies them"
		}
		w.add(n, v)
	}
}

// madeUp is the source name of synthetic resources, which no file holds.
const madeUp = "a resource with the default"

// resourceWith makes a resource that has only an apiVersion, a kind, and a default at the end of the given steps
// (defaulting.SurroundingObjectFunc). The step "" stands for an item.
func resourceWith(steps []string, n manifest.Node) manifest.Node {
	value := n.AppendJSON(nil)
	for _, step := range slices.Backward(steps[1:]) {
		if step == "" {
			value = append(append([]byte{'['}, value...), ']')
			continue
		}
		value = append(append(strconv.AppendQuote([]byte{'{'}, step), ':'), append(value, '}')...)
	}
	text := []byte("{")
	for _, name := range []string{"apiVersion", "kind"} {
		if steps[0] != name {
			text = append(text, strconv.Quote(name)+`: "Validation", `...)
		}
	}
	text = append(append(strconv.AppendQuote(text, steps[0]), ':'), append(value, '}')...)
	src := &source.Source{Name: madeUp, Text: string(text)}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if violations := tree.Read(src, part); len(violations) > 0 {
			panic("JSON that was made from a tree can be read: " + violations[0].Message)
		}
	}
	return tree.Root()
}
