package blame

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Operand is a node of the document that an expression has read.
type Operand struct {
	Node manifest.Node
	// IsAbsent means that Node lacks what the expression asked for. Missing is the path from Node to it.
	IsAbsent bool
	Missing  diag.Path
	// IsOld means that the node belongs to the object before an update.
	IsOld bool
	// Cause is the id of the smallest boolean part of the expression that has the unwanted value because of the operand.
	Cause int64
}

// MaxDistinct is the maximum number of operands that Distinct returns. A message names only a few of them. A rule
// about a list may have thousands, and each is compared with those before it.
const MaxDistinct = 100

// Distinct returns the operands without duplicates.
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

// IsIn reports whether a list contains the operand.
func (o Operand) IsIn(list []Operand) bool {
	return slices.ContainsFunc(list, func(x Operand) bool {
		return x.Node == o.Node && x.IsAbsent == o.IsAbsent && slices.Equal(x.Missing, o.Missing)
	})
}

// Path returns the path of the operand in its document.
func (o Operand) Path() diag.Path { return slices.Concat(o.Node.Path(), o.Missing) }

// whole returns the operands of an expression that is a list or map of the document, without visiting their
// contents.
func (b *finder) whole(e ast.Expr, vars *cel.Activation) []Operand {
	coarse := &finder{
		expression: b.expression, variables: b.variables, scope: b.scope, steps: MaxDistinct, isCoarse: true,
	}
	return coarse.operands(e, vars)
}

// presenceOperands returns the field that has() asked for, or the node that lacks it.
func (b *finder) presenceOperands(s ast.SelectExpr, vars *cel.Activation) []Operand {
	var found []Operand
	for _, o := range b.operands(s.Operand(), vars) {
		found = append(found, o.Field(s.FieldName()))
	}
	return found
}

// Field returns the field of the operand by its name in a rule. If the field is absent, the result is the operand with
// the path of the field in Missing. If the node is not a map, the operand is returned unchanged.
func (o Operand) Field(name string) Operand {
	name = cel.Unescape(name)
	if o.IsAbsent {
		o.Missing = o.Missing.Field(name)
		return o
	}
	if o.Node.Type() != manifest.Map {
		return o
	}
	return o.field(name)
}

func (o Operand) field(name string) Operand {
	if f, ok := o.Node.Field(name); ok && !o.IsAbsent {
		o.Node = f
	} else {
		o.IsAbsent, o.Missing = true, o.Missing.Field(name)
	}
	return o
}

func (o Operand) item(i int) Operand {
	if item, ok := o.Node.Item(i); ok && i >= 0 && !o.IsAbsent {
		o.Node = item
	} else {
		o.IsAbsent, o.Missing = true, o.Missing.Item(i)
	}
	return o
}

// operands returns the nodes that an expression reads, in the order in which it reads them.
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
			return []Operand{b.operand(s.n)}
		}
	}
	for _, v := range b.variables {
		if v.Name == name && v.Node.Valid() {
			return []Operand{{Node: v.Node, IsOld: v.IsOld}}
		}
	}
	return nil
}

// operand returns the operand of an item that a macro has bound.
func (b *finder) operand(n manifest.Node) Operand {
	return Operand{Node: n, IsOld: slices.ContainsFunc(b.variables, func(v Variable) bool {
		return v.IsOld && v.Node.Valid() && v.Node.Tree() == n.Tree()
	})}
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

// indexed returns the items that an index selects.
func (b *finder) indexed(of, index ast.Expr, vars *cel.Activation) []Operand {
	var found []Operand
	key := b.eval(index, vars)
	for _, o := range b.operands(of, vars) {
		switch k := key.(type) {
		case types.Int:
			o = o.item(int(k))
		case types.String:
			o = o.field(string(k))
		}
		found = append(found, o)
	}
	return found
}
