package expr

import (
	"strconv"
	"strings"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// add puts a violation at its place: at the field path if there is one, else at the operand that made the rule false, else at the
// value that the rule stands on. The other operands go into the help.
func (c *evaluation) add(p place, r *rule, fieldPath []string, vars *activation, v diag.Violation) {
	if c.overflow.Counts(c.result.Violations, v.Rule, v.Severity) {
		return
	}
	operands := c.blame.blame(p, r, vars)
	v.Place = c.place(p.n)
	switch {
	case len(fieldPath) > 0:
		target := operand{n: p.n}
		for _, name := range fieldPath {
			target = target.field(name)
			v.Path = string(manifest.AppendKey([]byte(v.Path), name))
		}
		v.Place = c.spanOf(target)
	case len(operands) > 0 && !operands[0].old:
		v.Place = c.spanOf(operands[0])
	}
	v.Help = helpOf(operands)
	for _, o := range operands {
		if o.old && !o.absent {
			v.Related = append(v.Related, diag.Related{Place: placeIn(o.n, o.n.MarkSpan()), Message: "was " + valueText(o.n)})
			break
		}
	}
	if changed := changedLeaves(operands); len(changed) > 0 && len(fieldPath) == 0 {
		pointAtLeaves(&v, changed)
	}
	c.result.Violations = append(c.result.Violations, v)
}

func (c *evaluation) place(n manifest.Node) source.Place { return placeIn(n, n.MarkSpan()) }

func placeIn(n manifest.Node, sp source.Span) source.Place { return n.Tree().Source.Place(sp) }

func (c *evaluation) spanOf(o operand) source.Place {
	if o.absent {
		return placeIn(o.n, o.n.HeadSpan())
	}
	return placeIn(o.n, o.n.MarkSpan())
}

// mostOperands is the most operands that a help line names.
const mostOperands = 4

// helpOf says what the operands were, and where.
func helpOf(operands []operand) string {
	var parts []string
	for _, o := range operands {
		if o.old || len(parts) == mostOperands {
			continue
		}
		switch {
		case o.absent:
			parts = append(parts, trimSelf(o.name)+" is absent")
		case o.n.Defaulted():
			parts = append(parts, trimSelf(o.name)+" is "+valueText(o.n)+" by default")
		default:
			at := placeIn(o.n, o.n.MarkSpan()).Start
			parts = append(parts, trimSelf(o.name)+" is "+valueText(o.n)+", at "+strconv.Itoa(at.Line)+":"+strconv.Itoa(at.Column))
		}
	}
	return strings.Join(parts, "; ")
}

func trimSelf(name string) string {
	if name == "self" {
		return "the value"
	}
	return strings.TrimPrefix(name, "self.")
}

func valueText(n manifest.Node) string {
	switch n.Type() {
	case manifest.Map:
		return "an object of " + diag.Count(n.Len(), "field")
	case manifest.List:
		return "a list of " + diag.Count(n.Len(), "item")
	}
	text := string(n.AppendJSON(nil))
	if n.Type() == manifest.Float && !n.Defaulted() {
		text = n.Raw() // 1.0, which is not 1 to a rule
	}
	return diag.Shorten(text)
}

// unescape turns the name that a rule uses into the key of the document.
func unescape(name string) string {
	if key, ok := apiservercel.Unescape(name); ok {
		return key
	}
	return name
}
