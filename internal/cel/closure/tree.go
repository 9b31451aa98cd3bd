package closure

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// Tree returns an encoded expression as an AST of cel-go. The ids of its expressions count from 1 in the order in
// which they are encoded, which is that of [Expressions]. The target of a call is its first argument. The AST has
// neither positions nor the types of values, so [Encode] can encode it but no program can be planned from it.
func Tree(encoded string) (*ast.AST, error) {
	root, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	b := &treeBuilder{
		factory: ast.NewExprFactory(), types: map[int64]*types.Type{}, references: map[int64]*ast.ReferenceInfo{},
	}
	return ast.NewCheckedAST(ast.NewAST(b.expr(root), nil), b.types, b.references), nil
}

// Expressions returns an expression and those below it, in the order in which [Encode] encodes them.
func Expressions(a *ast.AST) []ast.Expr {
	w := &encoder{ast: a}
	w.expr(a.Expr())
	return w.order
}

type treeBuilder struct {
	factory    ast.ExprFactory
	types      map[int64]*types.Type // of names that are types
	references map[int64]*ast.ReferenceInfo
	last       int64 // the id of the last expression
}

func (b *treeBuilder) expr(e *expression) ast.Expr {
	b.last++
	id := b.last
	switch e.op {
	case opLiteral:
		return b.factory.NewLiteral(id, e.literal)
	case opVariable:
		return b.name(id, e)
	case opType:
		b.types[id] = types.TypeType
		return b.name(id, e)
	case opField:
		return b.factory.NewSelect(id, b.expr(e.args[0]), e.name)
	case opPresence:
		return b.factory.NewPresenceTest(id, b.expr(e.args[0]), e.name)
	case opCall:
		if e.overload != "" {
			b.references[id] = ast.NewFunctionReference(e.overload)
		}
		return b.factory.NewCall(id, e.name, b.exprs(e.args)...)
	case opList:
		return b.factory.NewList(id, b.exprs(e.args), e.optionals())
	case opMap:
		return b.factory.NewMap(id, b.entries(e))
	}
	args := b.exprs(e.args) // of a macro
	return b.factory.NewComprehensionTwoVar(id, args[0], e.names[0], e.names[1], e.names[2], args[1], args[2],
		args[3], args[4])
}

func (b *treeBuilder) exprs(list []*expression) []ast.Expr {
	built := make([]ast.Expr, len(list))
	for i, e := range list {
		built[i] = b.expr(e)
	}
	return built
}

// name returns a variable or a type.
func (b *treeBuilder) name(id int64, e *expression) ast.Expr {
	b.references[id] = ast.NewIdentReference(e.name, nil)
	return b.factory.NewIdent(id, e.name)
}

func (b *treeBuilder) entries(e *expression) []ast.EntryExpr {
	var entries []ast.EntryExpr
	for i := 0; i+1 < len(e.args); i += 2 {
		key, value := b.expr(e.args[i]), b.expr(e.args[i+1])
		entries = append(entries, b.factory.NewMapEntry(0, key, value, e.optional != nil && e.optional[i/2]))
	}
	return entries
}

// optionals returns the indices of the optional items of a list.
func (e *expression) optionals() (indices []int32) {
	for i, is := range e.optional {
		if is {
			indices = append(indices, int32(i))
		}
	}
	return indices
}
