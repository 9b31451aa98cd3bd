package fields

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// guard says for which kinds a condition can be true, and for which it can be false.
type guard struct{ whenTrue, whenFalse Set }

func (g guard) when(is bool) Set {
	if is {
		return g.whenTrue
	}
	return g.whenFalse
}

// join returns the guard of a and b, or of a or b.
func (g guard) join(b guard, isAnd bool) guard {
	if isAnd {
		return guard{g.whenTrue & b.whenTrue, g.whenFalse | b.whenFalse}
	}
	return guard{g.whenTrue | b.whenTrue, g.whenFalse & b.whenFalse}
}

// guardOf returns for which of some kinds a condition can be true and false. What is not known can be both.
func (w *walker) guardOf(e ast.Expr, active Set, in *scope) guard {
	g, ok := w.guards[e.ID()]
	if !ok {
		silent := walker{Expression: w.Expression, isSilent: true}
		g = silent.newGuard(e, in)
		w.guards[e.ID()] = g
	}
	return guard{g.whenTrue & active, g.whenFalse & active}
}

func (w *walker) newGuard(e ast.Expr, in *scope) guard {
	both := guard{w.All, w.All}
	if w.left--; w.left < 0 {
		return both
	}
	switch e.Kind() {
	case ast.SelectKind:
		s := e.AsSelect()
		if isIdent(s.Operand(), "variables") {
			return w.guardOfVariable(s.FieldName())
		}
		if s.IsTestOnly() {
			return guard{w.present(e, w.eval(s.Operand(), w.All, in)), w.All}
		}
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case operators.LogicalNot:
			g := w.guardOf(c.Args()[0], w.All, in)
			return guard{g.whenFalse, g.whenTrue}
		case operators.LogicalAnd, operators.LogicalOr:
			g := w.guardOf(c.Args()[0], w.All, in)
			for _, arg := range c.Args()[1:] {
				g = g.join(w.guardOf(arg, w.All, in), c.FunctionName() == operators.LogicalAnd)
			}
			return g
		case operators.Equals:
			return w.compared(c.Args()[0], c.Args()[1])
		case operators.NotEquals:
			g := w.compared(c.Args()[0], c.Args()[1])
			return guard{g.whenFalse, g.whenTrue}
		case operators.In:
			if _, isText := textIn(c.Args()[0]); isText {
				return guard{w.present(e, w.eval(c.Args()[1], w.All, in)), w.All}
			}
			return w.contained(c.Args()[0], c.Args()[1])
		case "hasValue":
			if c.IsMemberFunction() {
				if kinds := w.some(w.eval(c.Target(), w.All, in)); kinds != 0 {
					return guard{kinds, w.All}
				}
			}
		}
	}
	return both
}

// guardOfVariable returns the guard of a variable of the policy.
func (w *walker) guardOfVariable(name string) guard {
	v, ok := w.variables[name]
	if !ok || v.isWithin {
		return guard{w.All, w.All}
	}
	v.isWithin = true
	defer func() { v.isWithin = false }()
	isTrue, isFalse := v.When(w.All)
	return guard{isTrue, isFalse}
}

// present returns the kinds for which a field may be there.
func (w *walker) present(e ast.Expr, of values) Set {
	if of == nil || anyList(of) {
		return w.All
	}
	kinds := w.some(w.field(e, of, w.All))
	if name, _, _ := namedField(e); kinds == 0 && w.isMisspelled(name, of) {
		return w.All
	}
	return kinds
}

// isMisspelled reports whether a name is nearly that of a field.
func (w *walker) isMisspelled(name string, of values) bool {
	near, _ := w.nearest.Name(name, namesOf(of, w.All))
	return areClose(near, name)
}

// some returns the kinds for which there may be a value.
func (w *walker) some(v values) (kinds Set) {
	for i := range w.kinds {
		if v.at(i).form != nothing {
			kinds |= 1 << i
		}
	}
	return kinds
}

// property is a property of a kind that an expression can compare with a text.
type property func(*Kind) string

// propertyOf returns the property of the kind that an expression reads.
func (w *walker) propertyOf(e ast.Expr) property {
	switch textOf(e) {
	case "object.kind", "oldObject.kind", "request.kind.kind":
		return func(k *Kind) string { return k.Name }
	case "request.resource.resource":
		return func(k *Kind) string { return k.Plural }
	case "object.apiVersion", "oldObject.apiVersion":
		return (*Kind).apiVersion
	case "request.kind.group", "request.resource.group":
		return func(k *Kind) string { return k.Group }
	}
	if e.Kind() == ast.SelectKind && isIdent(e.AsSelect().Operand(), "variables") {
		if v, ok := w.variables[e.AsSelect().FieldName()]; ok && v.tree != nil && !v.isWithin {
			v.isWithin = true
			defer func() { v.isWithin = false }()
			return w.propertyOf(v.tree.Expr())
		}
	}
	return nil
}

// compared returns the guard of a comparison of two expressions.
func (w *walker) compared(a, b ast.Expr) guard {
	if _, ok := textIn(a); ok {
		a, b = b, a
	}
	text, ok := textIn(b)
	if !ok {
		return guard{w.All, w.All}
	}
	return w.among(a, map[string]bool{text: true})
}

// contained returns the guard of the test whether a list has an expression.
func (w *walker) contained(e, list ast.Expr) guard {
	if list.Kind() != ast.ListKind {
		return guard{w.All, w.All}
	}
	texts := map[string]bool{}
	for _, item := range list.AsList().Elements() {
		text, ok := textIn(item)
		if !ok {
			return guard{w.All, w.All}
		}
		texts[text] = true
	}
	return w.among(e, texts)
}

// among returns the guard of the test whether an expression is one of some texts.
func (w *walker) among(e ast.Expr, texts map[string]bool) guard {
	p := w.propertyOf(e)
	if p == nil {
		return guard{w.All, w.All}
	}
	var g guard
	for i := range w.kinds {
		k := &w.kinds[i]
		switch {
		case k.Name == "": // may be any, unless kinds of Kubernetes are meant
			g.whenFalse |= 1 << i
			if !w.areKnown(p, texts) {
				g.whenTrue |= 1 << i
			}
		case texts[p(k)]:
			g.whenTrue |= 1 << i
		default:
			g.whenFalse |= 1 << i
		}
	}
	return g
}

// areKnown reports whether each text is that of a kind that is known.
func (w *walker) areKnown(p property, texts map[string]bool) bool {
	found := map[string]bool{}
	for i := range w.kinds {
		if text := p(&w.kinds[i]); w.kinds[i].Name != "" && texts[text] {
			found[text] = true
		}
	}
	return len(found) == len(texts)
}
