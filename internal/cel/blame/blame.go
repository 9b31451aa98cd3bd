// Package blame finds the operands that made an expression false.
//
// It walks the checked expression the way the evaluation went, and evaluates subexpressions once more where it needs their values.
// Nothing of it runs for an expression that is true. A server knows no blame, so its cost has a budget of its own; where that is
// used up, a list or map is responsible as a whole.
package blame

import (
	"slices"
	"strconv"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Operand is a node of the document that an expression has read.
type Operand struct {
	// Name is what the expression calls the node.
	Name string
	Node manifest.Node
	// IsAbsent means that Node lacks what the expression asked for.
	IsAbsent bool
	// IsOld means that the node belongs to the object before an update.
	IsOld bool
}

// Variable is a variable whose value is a node.
type Variable struct {
	Name string
	// Node is the value; not valid where the variable has none.
	Node manifest.Node
	// IsOld means that the value belongs to the object before an update.
	IsOld bool
}

// finder walks one expression.
type finder struct {
	expression *cel.Expression
	variables  []Variable
	scope      *scope
	steps      int               // what is left of the subexpressions that it may look at
	cost       int64             // what is left of the cost of evaluating them
	meter      environment.Meter // what is left of the work of evaluating them

	isCoarse bool // it evaluates nothing
}

// scope is a variable that a macro binds.
type scope struct {
	name string
	n    manifest.Node // of the item, or not valid
	up   *scope
}

// maxSteps is the most subexpressions that are looked at for one expression. One over a list of thousands of items is evaluated again
// for each; beyond this many the whole list is responsible.
const maxSteps = 20000

// costLimit and workLimit are the most that finding operands may cost, for all expressions of one document.
const (
	costLimit = cel.CallCostLimit
	workLimit = environment.WorkBudget / 4
)

// Budget is what is left of the cost and the work of finding operands, for all expressions of one document. It counts steps and not
// time, so that a report does not depend on the machine.
type Budget struct{ cost, work int64 }

// NewBudget returns the budget of a document.
func NewBudget() Budget { return Budget{costLimit, workLimit} }

// Find returns the operands that made an expression false, the responsible one first; an operand may be in it more than once. It takes
// at most half of what is left of the budget.
func (l *Budget) Find(e *cel.Expression, vars *cel.Activation, variables []Variable) []Operand {
	root := e.Root()
	if root == nil {
		return nil
	}
	b := &finder{
		expression: e, variables: variables, steps: maxSteps, cost: l.cost / 2, meter: environment.Meter{Left: l.work / 2},
	}
	found := b.deciding(root, vars.WithMeter(&b.meter), false)
	l.cost -= l.cost/2 - b.cost
	l.work -= l.work/2 - b.meter.Left
	return found
}

// MaxDistinct is the most operands that are told apart; a message names few of them.
const MaxDistinct = 100

// Distinct returns each of the operands once.
func Distinct(operands []Operand) (list []Operand) {
	for _, o := range operands {
		if len(list) == MaxDistinct {
			break
		}
		if !o.IsIn(list) {
			list = append(list, o)
		}
	}
	return list
}

// IsIn reports whether a list has the operand under the same name.
func (o Operand) IsIn(list []Operand) bool {
	return slices.ContainsFunc(list, func(x Operand) bool { return x.Node == o.Node && x.Name == o.Name })
}

// isExhausted reports whether nothing is left to evaluate anything with.
func (b *finder) isExhausted() bool { return b.steps < 0 || b.cost <= 0 || b.meter.Left <= 0 }

// whole returns what a list or map in the document is, without looking into it.
func (b *finder) whole(e ast.Expr, vars *cel.Activation) []Operand {
	coarse := &finder{expression: b.expression, variables: b.variables, scope: b.scope, steps: MaxDistinct, isCoarse: true}
	return coarse.operands(e, vars)
}

// deciding returns the operands that gave an expression of type bool the value it should not have had; unwanted is that value.
func (b *finder) deciding(e ast.Expr, vars *cel.Activation, unwanted bool) []Operand {
	if b.steps--; b.steps < 0 {
		return nil
	}
	switch e.Kind() {
	case ast.CallKind:
		return b.decidingCall(e, vars, unwanted)
	case ast.ComprehensionKind:
		return b.decidingMacro(e, vars, unwanted)
	case ast.SelectKind:
		if s := e.AsSelect(); s.IsTestOnly() {
			return b.presenceOperands(s, vars)
		}
	}
	return b.operands(e, vars)
}

func (b *finder) decidingCall(e ast.Expr, vars *cel.Activation, unwanted bool) []Operand {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalNot:
		return b.deciding(args[0], vars, !unwanted)
	case operators.LogicalAnd, operators.LogicalOr:
		return b.decidingJunction(args, vars, unwanted)
	case operators.Conditional:
		branch := args[2]
		if b.eval(args[0], vars) == types.True {
			branch = args[1]
		}
		if found := b.deciding(branch, vars, unwanted); len(found) > 0 {
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

// decidingJunction returns the operands of those sides of && or || that have the unwanted value: where one alone decides, the others
// are not responsible. Sides that are equally responsible come in the order of the file, those that are there before absent ones.
func (b *finder) decidingJunction(args []ast.Expr, vars *cel.Activation, unwanted bool) []Operand {
	var sides [][]Operand
	for _, arg := range args {
		if v := b.eval(arg, vars); v != types.Bool(unwanted) && !types.IsError(v) {
			continue
		}
		if found := b.deciding(arg, vars, unwanted); len(found) > 0 {
			sides = append(sides, found)
		}
	}
	slices.SortStableFunc(sides, func(x, y []Operand) int {
		switch {
		case x[0].IsOld != y[0].IsOld:
			return order(x[0].IsOld)
		case x[0].IsAbsent != y[0].IsAbsent:
			return order(x[0].IsAbsent)
		}
		return x[0].Node.Span().Start - y[0].Node.Span().Start
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

// presenceOperands returns the field that has() asked for, or what lacks it.
func (b *finder) presenceOperands(s ast.SelectExpr, vars *cel.Activation) []Operand {
	var found []Operand
	for _, o := range b.operands(s.Operand(), vars) {
		found = append(found, o.Field(s.FieldName()))
	}
	return found
}

// field is what the operand has under a name of a rule, or the operand itself if it lacks it.
func (o Operand) Field(name string) Operand {
	name = cel.Unescape(name)
	o.Name += "." + name
	if o.IsAbsent || o.Node.Type() != manifest.Map {
		return o
	}
	if f, ok := o.Node.Field(name); ok {
		o.Node = f
	} else {
		o.IsAbsent = true
	}
	return o
}

// operands returns the nodes that an expression reads, in the order of reading.
func (b *finder) operands(e ast.Expr, vars *cel.Activation) []Operand {
	if b.steps--; b.steps < 0 {
		return nil
	}
	switch e.Kind() {
	case ast.IdentKind:
		return b.variable(e.AsIdent())
	case ast.SelectKind:
		return b.presenceOperands(e.AsSelect(), vars)
	case ast.CallKind:
		return b.callOperands(e, vars)
	case ast.ComprehensionKind:
		return b.macroOperands(e, vars)
	case ast.ListKind:
		return b.allOperands(e.AsList().Elements(), vars)
	case ast.MapKind:
		var found []Operand
		for _, entry := range e.AsMap().Entries() {
			found = append(found, b.operands(entry.AsMapEntry().Value(), vars)...)
		}
		return found
	}
	return nil
}

func (b *finder) allOperands(list []ast.Expr, vars *cel.Activation) []Operand {
	var found []Operand
	for _, e := range list {
		found = append(found, b.operands(e, vars)...)
	}
	return found
}

func (b *finder) variable(name string) []Operand {
	for s := b.scope; s != nil; s = s.up {
		if s.name == name {
			if !s.n.Valid() {
				return nil
			}
			return []Operand{{Name: name, Node: s.n}}
		}
	}
	for _, v := range b.variables {
		if v.Name == name && v.Node.Valid() {
			return []Operand{{Name: name, Node: v.Node, IsOld: v.IsOld}}
		}
	}
	return nil
}

func (b *finder) callOperands(e ast.Expr, vars *cel.Activation) []Operand {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.Index, operators.OptIndex:
		return b.indexed(args[0], args[1], vars)
	case operators.OptSelect:
		var found []Operand
		if name, ok := args[1].AsLiteral().(types.String); ok && args[1].Kind() == ast.LiteralKind {
			for _, o := range b.operands(args[0], vars) {
				found = append(found, o.Field(string(name)))
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
	var found []Operand
	if call.IsMemberFunction() {
		found = b.operands(call.Target(), vars)
	}
	return append(found, b.allOperands(args, vars)...)
}

// indexed returns the items that an index picks.
func (b *finder) indexed(of, index ast.Expr, vars *cel.Activation) []Operand {
	var found []Operand
	key := b.eval(index, vars)
	for _, o := range b.operands(of, vars) {
		switch k := key.(type) {
		case types.Int:
			o.Name += "[" + strconv.FormatInt(int64(k), 10) + "]"
			if item, ok := o.Node.Item(int(k)); ok && k >= 0 && !o.IsAbsent {
				o.Node = item
			} else {
				o.IsAbsent = true
			}
		case types.String:
			o.Name += "[" + strconv.Quote(string(k)) + "]"
			if f, ok := o.Node.Field(string(k)); ok && !o.IsAbsent {
				o.Node = f
			} else {
				o.IsAbsent = true
			}
		}
		found = append(found, o)
	}
	return found
}

// eval evaluates a subexpression with the variables at hand.
func (b *finder) eval(e ast.Expr, vars *cel.Activation) ref.Val {
	if b.isExhausted() {
		return types.NewErr("not evaluated")
	}
	v, cost := b.expression.EvalPart(e, costLimit/16, vars)
	b.cost -= 1 + cost
	return v
}

// bind adds variables for the body of a macro.
func (b *finder) bind(vars *cel.Activation, names []string, values []ref.Val, nodes []manifest.Node) (*cel.Activation, func()) {
	outer := b.scope
	for i, name := range names {
		if name != "" {
			b.scope = &scope{name: name, n: nodes[i], up: b.scope}
		}
	}
	return vars.Bind(names, values), func() { b.scope = outer }
}

// elements returns what a macro goes through: for each the values of its variables, and the node where the range is part of the
// document.
func (b *finder) elements(c ast.ComprehensionExpr, vars *cel.Activation) []element {
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
func (b *finder) itemNodes(e ast.Expr, v traits.Lister, vars *cel.Activation) []manifest.Node {
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
			nodes = append(nodes, o.Node)
		}
	}
	if types.Int(len(nodes)) != v.Size() {
		return nil
	}
	return nodes
}
