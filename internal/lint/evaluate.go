package lint

import (
	"errors"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// The variables of expressions, by number.
const (
	// variableSelf is the value that the rule looks at, variableObject the resource that holds it,
	// variableOldObject that resource before the update; null if there is none.
	variableSelf = iota
	variableObject
	variableOldObject
	// variableSource says how self is written.
	variableSource
	// variableObjects are what a rule over a set of documents has gathered.
	variableObjects
	variableCount
)

// scope holds the variables of all expressions. They see values as they are written.
var scope = cel.NewEnvironment(
	cel.Variable{Name: "self", Type: cel.Dyn()},
	cel.Variable{Name: "object", Type: cel.Dyn()},
	cel.Variable{Name: "oldObject", Type: cel.Dyn(), IsNullable: true},
	cel.Variable{Name: "source", Type: cel.DynMap(), Fields: []string{"raw", "style", "tag", "key", "between"}},
	cel.Variable{Name: "objects", Type: cel.DynList()},
)

// The signatures of checks and of messages. What is known only when an expression is evaluated passes.
var (
	checkSignature   = cel.Signature{Environment: scope, Result: cel.Bool, AllowDyn: true}
	messageSignature = cel.Signature{Environment: scope, Result: cel.String, AllowDyn: true}
)

// variables are what an expression is evaluated over. They are for one goroutine, and best used again for the
// next expression.
type variables struct {
	arguments [variableCount]cel.Argument
	budget    *budget
	source    [5]string
	frame     closure.Frame
}

// self is the value that the rule looks at.
func (v *variables) self() manifest.Node { return v.arguments[variableSelf].Node }

// setSource says how self is written.
func (v *variables) setSource() {
	v.source = sourceOf(v.self())
	v.arguments[variableSource].Strings = v.source[:]
}

// budget is what is left of the cost and work that the expressions of one document, or of one set of
// documents, may cause, and that of finding the operands responsible. It counts steps of evaluation and not
// time, so that a report does not depend on the machine.
type budget struct {
	cost  int64
	work  environment.Meter
	blame blame.Budget
}

// reset makes the budget that of so many other documents. For one it is as large as what a server grants the
// rules of an object.
func (b *budget) reset(documents int64) {
	*b = budget{
		cost:  documents * cel.CostBudget,
		work:  environment.Meter{Left: documents * environment.WorkBudget},
		blame: blame.NewBudget(),
	}
}

// isExhausted reports whether nothing is left: no further expression is evaluated.
func (b *budget) isExhausted() bool { return b.cost <= 0 || b.work.Left <= 0 }

var (
	// errBudget means that an expression was not evaluated because the budget is used up.
	errBudget = errors.New("the rules of the document need too many steps")
	// errCost means that the evaluation of an expression was ended because it takes more steps than an API
	// server allows.
	errCost = errors.New("it takes more steps than an API server allows for one expression")
	// errResult means that an expression gave a value of another type.
	errResult = errors.New("no such overload")
)

// isTrue evaluates a check. The error says why there is no answer, as when a field is absent.
func isTrue(e *cel.Expression, v *variables) (bool, error) {
	if v.budget.isExhausted() {
		return false, errBudget
	}
	if e.IsCovered() {
		outcome := e.Verdict(&v.frame, v.arguments[:])
		v.budget.cost -= v.frame.Cost()
		switch {
		case outcome == closure.True || outcome == closure.False:
			return outcome == closure.True, nil
		case v.frame.CostsTooMuch():
			return false, errCost
		}
	}
	result, err := eval(e, v)
	return result.IsTrue(), err
}

// text evaluates a messageExpression.
func text(e *cel.Expression, v *variables) (string, error) {
	if v.budget.isExhausted() {
		return "", errBudget
	}
	result, err := eval(e, v)
	if err != nil {
		return "", err
	}
	text, ok := result.Text()
	if !ok {
		return "", errResult
	}
	return strings.Join(strings.Fields(text), " "), nil
}

// eval evaluates an expression by cel-go.
func eval(e *cel.Expression, v *variables) (cel.Evaluated, error) {
	result := e.Eval(e.Activate(v.arguments[:], &v.budget.work))
	v.budget.cost -= max(result.Cost, 0)
	switch result.Err {
	case cel.ErrCost:
		return result, errCost
	case cel.ErrWork:
		return result, errBudget
	}
	return result, result.Err
}

// finding is the part of a document that violates a rule.
type finding struct {
	// node is that part; where something is absent, what lacks it.
	node manifest.Node
	// place is what to mark, help names the operands and their values.
	place source.Place
	help  string
	// related has the places of the old values that were read.
	related []diag.Related
}

// responsible returns the operand that made a check false, if that is self or a part of it; otherwise self.
func responsible(e *cel.Expression, v *variables) finding {
	self := v.self()
	nodes := []blame.Variable{
		{Name: "self", Node: self},
		{Name: "object", Node: v.arguments[variableObject].Node},
		{Name: "oldObject", Node: v.arguments[variableOldObject].Node},
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
	return finding{node: decided.Node, place: decided.Place(), help: blame.Help(operands), related: related}
}

// isWithin reports whether a node is another one of its tree, or below it.
func isWithin(n, above manifest.Node) bool {
	for ; n.Valid(); n = n.Parent() {
		if n == above {
			return true
		}
	}
	return false
}
