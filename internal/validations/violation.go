package validations

import (
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/diag"
)

// add records a violation at the field path if there is one, otherwise at the operand that made the rule false, or
// otherwise at the value that the rule applies to. The help names the other operands.
func (c *evaluation) add(p cursor, r *rule, fieldPath []string, vars *cel.Activation, v diag.Violation) {
	if c.overflow.Counts(c.result.Violations, v.Rule, v.Severity) {
		return
	}
	operands := blame.Distinct(c.blame.Find(r.expression, vars, p.variables()))
	switch {
	case len(fieldPath) > 0:
		target := blame.Operand{Node: p.n}
		for _, name := range fieldPath {
			target = target.Field(name)
			v.Path = v.Path.Field(name)
		}
		v.Place = target.Place()
	case len(operands) > 0 && !operands[0].IsOld:
		v.Place = operands[0].Place()
	}
	v.Help = blame.Help(operands)
	for _, o := range operands {
		if o.IsOld && !o.IsAbsent {
			v.Related = append(v.Related, diag.Related{Place: o.Node.Place(), Message: "was " + blame.ValueText(o.Node)})
			break
		}
	}
	if changed := changedLeaves(operands); len(changed) > 0 && len(fieldPath) == 0 {
		pointAtLeaves(&v, changed)
	}
	c.result.Violations = append(c.result.Violations, v)
}

// variables returns the nodes that the variables of rules stand for.
func (p *cursor) variables() []blame.Variable {
	return []blame.Variable{{Name: "self", Node: p.n}, {Name: "oldSelf", Node: p.old, IsOld: true}}
}

// report reports a false rule.
func (c *evaluation) report(p cursor, r *rule, vars *cel.Activation, message string) {
	v := p.n.Finding(diag.Violation{Rule: diag.CEL, Message: message, Reason: r.Reason})
	if v.Reason == "" {
		v.Reason = "FieldValueInvalid"
	}
	if r.usesOld && p.old.Valid() {
		v.Rule = diag.ImmutableChanged
	}
	c.add(p, r, r.description().fieldPath, vars, v)
}
