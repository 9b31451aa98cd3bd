package blame

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/manifest"
)

// scope is a variable that a macro binds.
type scope struct {
	name string
	n    manifest.Node // of the item; not valid if it has none
	up   *scope
}

// bind adds variables for the body of a macro.
func (b *finder) bind(
	vars *cel.Activation, names []string, values []ref.Val, nodes []manifest.Node,
) (inner *cel.Activation, leave func()) {
	outer := b.scope
	for i, name := range names {
		if name != "" {
			b.scope = &scope{name: name, n: nodes[i], up: b.scope}
		}
	}
	return vars.Bind(names, values), func() { b.scope = outer }
}

// elements returns the elements of a macro's range: for each the values of its variables, and its node if the range
// is part of the document.
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

// itemNodes returns the nodes of the items of a list value, if it is a list of the document or the result of filter
// or map on one.
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
