package expr

import (
	"math"
	"slices"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// operand is a node of the document that a rule has read, by the name that the rule calls it.
type operand struct {
	name string
	n    manifest.Node
	// absent says that n lacks what the rule asked for, so that n stands in for it.
	absent bool
	// old says that the node belongs to the state before the update.
	old bool
}

// blamer finds out which operands decided a rule. It walks the rule's AST the way the evaluation went, and has the values of
// subexpressions evaluated once more; nothing of it is run for a rule that is true.
type blamer struct {
	rule  *rule
	place place
	scope *scope
	steps int               // what is left of the subexpressions that it may look at
	cost  int64             // what is left of the cost of evaluating them
	meter environment.Meter // what is left of the work of evaluating them

	isCoarse bool // it evaluates nothing
}

// scope is a variable that a macro binds.
type scope struct {
	name  string
	value ref.Val
	n     manifest.Node // of the item, or not valid
	up    *scope
}

// maxBlameSteps is the most subexpressions that are looked at to blame one rule. A rule over a list of thousands of items is evaluated again
// for each; beyond this many the whole list is blamed.
const maxBlameSteps = 20000

// blameCost and blameWork are the most that finding out whom to blame may cost, for all rules of one document. A server knows no blame, so
// that it has a budget of its own.
const (
	blameCost = celconfig.PerCallLimit
	blameWork = environment.WorkBudget / 4
)

// blameBudget is what is left of the cost and the work of blame, for all rules of one document.
type blameBudget struct{ cost, work int64 }

func newBlameBudget() blameBudget { return blameBudget{blameCost, blameWork} }

// blamer returns a blamer that may take half of what is left.
func (l *blameBudget) blamer(r *rule, p place) *blamer {
	return &blamer{rule: r, place: p, steps: maxBlameSteps, cost: l.cost / 2, meter: environment.Meter{Left: l.work / 2}}
}

// pay takes out of the budget what a blamer has used.
func (l *blameBudget) pay(b *blamer) {
	l.cost -= l.cost/2 - b.cost
	l.work -= l.work/2 - b.meter.Left
}

// isExhausted says that nothing is left to evaluate anything with.
func (b *blamer) isExhausted() bool { return b.steps < 0 || b.cost <= 0 || b.meter.Left <= 0 }

// blame returns the operands that made a rule false, the guiltiest first.
func (l *blameBudget) blame(p place, r *rule, vars *activation) (operands []operand) {
	b := l.blamer(r, p)
	for _, o := range b.guilty(r.judge().ast.Expr(), b.metered(vars), false) {
		if len(operands) == mostBlamed {
			break
		}
		if !slices.ContainsFunc(operands, func(x operand) bool { return x.n == o.n && x.name == o.name }) {
			operands = append(operands, o)
		}
	}
	l.pay(b)
	return operands
}

// mostBlamed is the most operands that are told apart; a message names few of them.
const mostBlamed = 100

// metered returns variables whose evaluation takes its work out of the blamer's meter.
func (b *blamer) metered(vars *activation) *activation {
	inner := *vars
	inner.meter = &b.meter
	return &inner
}

// whole returns what a list or map in the document is, without looking into it.
func (b *blamer) whole(e ast.Expr, vars *activation) []operand {
	coarse := &blamer{rule: b.rule, place: b.place, scope: b.scope, steps: mostBlamed, isCoarse: true}
	return coarse.operands(e, vars)
}

// guilty returns the operands that gave an expression of type bool the value it should not have had; unwanted is that value.
func (b *blamer) guilty(e ast.Expr, vars *activation, unwanted bool) []operand {
	if b.steps--; b.steps < 0 {
		return nil
	}
	switch e.Kind() {
	case ast.CallKind:
		return b.guiltyCall(e, vars, unwanted)
	case ast.ComprehensionKind:
		return b.guiltyMacro(e, vars, unwanted)
	case ast.SelectKind:
		if s := e.AsSelect(); s.IsTestOnly() {
			return b.guiltyPresence(s, vars)
		}
	}
	return b.operands(e, vars)
}

func (b *blamer) guiltyCall(e ast.Expr, vars *activation, unwanted bool) []operand {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalNot:
		return b.guilty(args[0], vars, !unwanted)
	case operators.LogicalAnd, operators.LogicalOr:
		return b.guiltyJunction(args, vars, unwanted)
	case operators.Conditional:
		branch := args[2]
		if b.eval(args[0], vars) == types.True {
			branch = args[1]
		}
		if found := b.guilty(branch, vars, unwanted); len(found) > 0 {
			return found
		}
		return b.operands(args[0], vars)
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		// Of two members out of order the right one is marked: it is measured against the left one.
		left, right := b.operands(args[0], vars), b.operands(args[1], vars)
		return append(right, left...)
	case operators.In:
		if found := b.operands(args[0], vars); len(found) > 0 {
			return append(found, b.operands(args[1], vars)...)
		}
		return b.operands(args[1], vars)
	}
	return b.operands(e, vars)
}

// guiltyJunction blames those sides of && or || that have the unwanted value; where one alone decides, the others are innocent. Equally
// guilty sides come in the order of the file, those that are there before those that are not.
func (b *blamer) guiltyJunction(args []ast.Expr, vars *activation, unwanted bool) []operand {
	var sides [][]operand
	for _, arg := range args {
		if v := b.eval(arg, vars); v != types.Bool(unwanted) && !types.IsError(v) {
			continue
		}
		if found := b.guilty(arg, vars, unwanted); len(found) > 0 {
			sides = append(sides, found)
		}
	}
	slices.SortStableFunc(sides, func(x, y []operand) int {
		switch {
		case x[0].old != y[0].old:
			return order(x[0].old)
		case x[0].absent != y[0].absent:
			return order(x[0].absent)
		}
		return x[0].n.Span().Start - y[0].n.Span().Start
	})
	return slices.Concat(sides...)
}

// order puts what is true last.
func order(last bool) int {
	if last {
		return 1
	}
	return -1
}

// guiltyPresence blames the field that has() asked for, or what lacks it.
func (b *blamer) guiltyPresence(s ast.SelectExpr, vars *activation) []operand {
	var found []operand
	for _, o := range b.operands(s.Operand(), vars) {
		found = append(found, o.field(s.FieldName()))
	}
	return found
}

// field is what the operand has under a name of a rule, or the operand itself if it lacks it.
func (o operand) field(name string) operand {
	name = unescape(name)
	o.name += "." + name
	if o.absent || o.n.Type() != manifest.Map {
		return o
	}
	if f, ok := o.n.Field(name); ok {
		o.n = f
	} else {
		o.absent = true
	}
	return o
}

// operands returns the nodes that an expression reads, in the order of reading.
func (b *blamer) operands(e ast.Expr, vars *activation) []operand {
	if b.steps--; b.steps < 0 {
		return nil
	}
	switch e.Kind() {
	case ast.IdentKind:
		return b.variable(e.AsIdent())
	case ast.SelectKind:
		return b.guiltyPresence(e.AsSelect(), vars)
	case ast.CallKind:
		return b.callOperands(e, vars)
	case ast.ComprehensionKind:
		return b.macroOperands(e, vars)
	case ast.ListKind:
		return b.allOperands(e.AsList().Elements(), vars)
	case ast.MapKind:
		var found []operand
		for _, entry := range e.AsMap().Entries() {
			found = append(found, b.operands(entry.AsMapEntry().Value(), vars)...)
		}
		return found
	}
	return nil
}

func (b *blamer) allOperands(list []ast.Expr, vars *activation) []operand {
	var found []operand
	for _, e := range list {
		found = append(found, b.operands(e, vars)...)
	}
	return found
}

func (b *blamer) variable(name string) []operand {
	for s := b.scope; s != nil; s = s.up {
		if s.name == name {
			if !s.n.Valid() {
				return nil
			}
			return []operand{{name: name, n: s.n}}
		}
	}
	switch {
	case name == "self":
		return []operand{{name: name, n: b.place.n}}
	case name == "oldSelf" && b.place.old.Valid():
		return []operand{{name: name, n: b.place.old, old: true}}
	}
	return nil
}

func (b *blamer) callOperands(e ast.Expr, vars *activation) []operand {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.Index, operators.OptIndex:
		return b.indexed(args[0], args[1], vars)
	case operators.OptSelect:
		var found []operand
		if name, ok := args[1].AsLiteral().(types.String); ok && args[1].Kind() == ast.LiteralKind {
			for _, o := range b.operands(args[0], vars) {
				found = append(found, o.field(string(name)))
			}
		}
		return found
	case operators.Conditional:
		branch := args[2]
		if b.eval(args[0], vars) == types.True {
			branch = args[1]
		}
		if found := b.operands(branch, vars); len(found) > 0 {
			return found
		}
		return b.operands(args[0], vars)
	}
	var found []operand
	if call.IsMemberFunction() {
		found = b.operands(call.Target(), vars)
	}
	return append(found, b.allOperands(args, vars)...)
}

// indexed returns the items that an index picks.
func (b *blamer) indexed(of, index ast.Expr, vars *activation) []operand {
	var found []operand
	key := b.eval(index, vars)
	for _, o := range b.operands(of, vars) {
		switch k := key.(type) {
		case types.Int:
			o.name += "[" + strconv.FormatInt(int64(k), 10) + "]"
			if item, ok := o.n.Item(int(k)); ok && k >= 0 && !o.absent {
				o.n = item
			} else {
				o.absent = true
			}
		case types.String:
			o.name += "[" + strconv.Quote(string(k)) + "]"
			if f, ok := o.n.Field(string(k)); ok && !o.absent {
				o.n = f
			} else {
				o.absent = true
			}
		}
		found = append(found, o)
	}
	return found
}

// eval evaluates a subexpression with the variables at hand.
func (b *blamer) eval(e ast.Expr, vars *activation) ref.Val {
	if b.isExhausted() {
		return types.NewErr("not evaluated")
	}
	program, err := b.rule.judge().part(e)
	if err != nil {
		return types.WrapErr(err)
	}
	out, details, err := program.Eval(vars)
	b.cost -= 1 + costOf(details)
	if err != nil {
		return types.WrapErr(err)
	}
	return out
}

// costOf is what an evaluation has cost.
func costOf(details *cel.EvalDetails) int64 {
	cost := details.ActualCost()
	if cost == nil {
		return 0
	}
	return int64(min(*cost, math.MaxInt64/2))
}

// part returns the program of a subexpression.
func (j *judge) part(e ast.Expr) (cel.Program, error) {
	if p, ok := j.parts.Load(e.ID()); ok {
		return p.(cel.Program), nil
	}
	sub := ast.NewCheckedAST(ast.NewAST(e, j.ast.SourceInfo()), j.ast.TypeMap(), j.ast.ReferenceMap())
	p, err := j.env.PlanProgram(sub, append(environment.Limits(&library.CostEstimator{}), cel.CostLimit(blameCost/16))...)
	if err != nil {
		return nil, err
	}
	j.parts.Store(e.ID(), p)
	return p, nil
}

// bind adds variables for the body of a macro.
func (b *blamer) bind(vars *activation, names []string, values []ref.Val, nodes []manifest.Node) (*activation, func()) {
	outer := b.scope
	bound := make(map[string]ref.Val, len(vars.bound)+len(names))
	for k, v := range vars.bound {
		bound[k] = v
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		bound[name] = values[i]
		b.scope = &scope{name: name, value: values[i], n: nodes[i], up: b.scope}
	}
	return &activation{self: vars.self, old: vars.old, bound: bound, meter: vars.meter}, func() { b.scope = outer }
}

// elements returns what a macro goes through: for each the values of its variables, and the node where the range is part of the
// document.
func (b *blamer) elements(c ast.ComprehensionExpr, vars *activation) []element {
	over := b.eval(c.IterRange(), vars)
	switch v := over.(type) {
	case traits.Lister:
		b.cost -= adapter.SizeOf(v)
		nodes := b.itemNodes(c.IterRange(), v, vars)
		var list []element
		for i := types.Int(0); i < v.Size().(types.Int); i++ {
			el := element{key: i, value: v.Get(i)}
			if int(i) < len(nodes) {
				el.n = nodes[i]
			}
			list = append(list, el)
		}
		return list
	case traits.Mapper:
		b.cost -= adapter.SizeOf(v)
		var list []element
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			el := element{key: key, value: v.Get(key), isMap: true}
			if o, ok := v.(*adapter.Object); ok {
				if f, ok := o.Field(string(key.(types.String))); ok {
					el.n = f
				}
			}
			list = append(list, el)
		}
		return list
	}
	return nil
}

type element struct {
	key, value ref.Val
	n          manifest.Node
	isMap      bool
}

// itemNodes pairs the items of a list value with nodes, where it is a list of the document or what filter and map left of one.
func (b *blamer) itemNodes(e ast.Expr, v traits.Lister, vars *activation) []manifest.Node {
	var nodes []manifest.Node
	if l, ok := v.(*adapter.List); ok && l.Node.Valid() {
		for item := range l.Node.Children() {
			nodes = append(nodes, item)
		}
		return nodes
	}
	for i := types.Int(0); i < v.Size().(types.Int); i++ {
		if o, ok := v.Get(i).(*adapter.Object); ok {
			nodes = append(nodes, o.Node)
		}
	}
	if types.Int(len(nodes)) == v.Size() {
		return nodes
	}
	nodes = nodes[:0]
	if e.Kind() == ast.ComprehensionKind || e.Kind() == ast.ListKind {
		for _, o := range b.operands(e, vars) {
			nodes = append(nodes, o.n)
		}
	}
	if types.Int(len(nodes)) != v.Size() {
		return nil
	}
	return nodes
}

// report takes a false rule as a violation.
func (c *evaluation) report(p place, r *rule, vars *activation, message string) {
	v := diag.Violation{Rule: diag.CEL, Severity: diag.Error, Message: message, Reason: r.Reason, Path: p.n.Path()}
	if v.Reason == "" {
		v.Reason = "FieldValueInvalid"
	}
	if r.usesOld && p.old.Valid() {
		v.Rule = diag.ImmutableChanged
	}
	c.add(p, r, parseFieldPath(r.FieldPath), vars, v)
}
