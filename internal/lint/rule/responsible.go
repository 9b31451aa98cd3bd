package rule

import (
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Finding is the part of a document that violates a rule.
type Finding struct {
	// Node is the offending part, or the parent if something is absent.
	Node manifest.Node
	// Place is what to mark. Help names the operands and their values.
	Place source.Place
	Help  string
	// Related contains the places of the old values that were read.
	Related []diag.Related
}

// Responsible returns the operand that made a check false if that is self or a part of it. Otherwise it returns
// self. The finding has a help only if it needs one.
func (v *Variables) Responsible(e *cel.Expression, needsHelp bool) Finding {
	self := v.arguments[variableSelf].Node
	nodes := []blame.Variable{
		{Name: "self", Node: self},
		{Name: "object", Node: v.arguments[variableObject].Node},
		{Name: "oldObject", Node: v.arguments[variableOldObject].Node},
		{Name: "pod", Node: v.arguments[variablePod].Node},
	}
	vars := e.Activate(v.arguments[:], &v.budget.work)
	var operands []blame.Operand
	var related []diag.Related
	for _, o := range v.budget.blame.Find(e, vars, nodes) {
		switch {
		case len(operands) == blame.MaxDistinct:
		case o.IsIn(operands):
		case o.Node.Tree() == self.Tree():
			operands = append(operands, o)
		case !o.IsAbsent && len(related) < blame.MaxNamed:
			was := diag.Related{Place: o.Node.Place(), Message: "was " + blame.ValueText(o.Node)}
			related = append(related, was)
		}
	}
	decided := blame.Operand{Node: self}
	for _, o := range operands {
		if isWithin(o.Node, self) {
			decided = o
			break
		}
	}
	f := Finding{Node: decided.Node, Place: decided.Place(), Related: related}
	if needsHelp {
		f.Help = blame.Help(operands)
	}
	return f
}

// isWithin reports whether a node is the other node or below it.
func isWithin(n, above manifest.Node) bool {
	for ; n.Valid(); n = n.Parent() {
		if n == above {
			return true
		}
	}
	return false
}
