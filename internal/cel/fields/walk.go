package fields

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// walker follows values through an expression.
type walker struct {
	*Expression
	isSilent bool // nothing is reported
}

// scope is a variable of a macro and those around it.
type scope struct {
	name   string
	value  values
	around *scope
}

func (s *scope) find(name string) (values, bool) {
	for ; s != nil; s = s.around {
		if s.name == name {
			return s.value, true
		}
	}
	return nil, false
}

// eval returns the value of an expression for some kinds, for which it is evaluated, and reports the fields that it names and none of
// them has.
func (w *walker) eval(e ast.Expr, active Set, in *scope) values {
	if w.left -= 1 + len(w.kinds)/8; w.left < 0 {
		return nil
	}
	switch e.Kind() {
	case ast.IdentKind:
		return w.ident(e.AsIdent(), in)
	case ast.SelectKind:
		s := e.AsSelect()
		if isIdent(s.Operand(), "variables") {
			if v, ok := w.variables[s.FieldName()]; ok {
				return v.valueOf()
			}
			return nil
		}
		return w.field(e, w.eval(s.Operand(), active, in), active)
	case ast.CallKind:
		return w.call(e, active, in)
	case ast.ListKind:
		items := same(value{form: nothing}, len(w.kinds))
		for _, item := range e.AsList().Elements() {
			items = eitherOf(items, w.eval(item, active, in))
		}
		return items.mapped(func(v value) value { return value{form: listed, items: &v} })
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			w.eval(entry.AsMapEntry().Key(), active, in)
			w.eval(entry.AsMapEntry().Value(), active, in)
		}
		if e.AsMap().Size() == 0 {
			return same(value{form: nothing}, len(w.kinds))
		}
	case ast.StructKind:
		for _, f := range e.AsStruct().Fields() {
			w.eval(f.AsStructField().Value(), active, in)
		}
	case ast.ComprehensionKind:
		return w.comprehension(e.AsComprehension(), active, in)
	case ast.LiteralKind:
		if e.AsLiteral() == types.NullValue {
			return same(value{form: nothing}, len(w.kinds))
		}
	}
	return nil
}

func (w *walker) ident(name string, in *scope) values {
	if v, ok := in.find(name); ok {
		return v
	}
	switch name {
	case "object", "oldObject":
		return w.roots
	case "params":
		return w.params
	}
	return nil
}

// field returns the value of the field that an expression names, and reports it if no kind has it.
func (w *walker) field(e ast.Expr, of values, active Set) values {
	name, operand, _ := namedField(e)
	if of == nil {
		return nil
	}
	out := make(values, len(w.kinds))
	var lost Set
	isFound := false
	for i := range out {
		if !active.Has(i) {
			out[i] = value{form: nothing}
			continue
		}
		var isLost bool
		if out[i], isLost = of[i].field(name, w.meta); isLost {
			lost |= 1 << i
		}
		isFound = isFound || out[i].form != nothing
	}
	if lost != 0 && !isFound && !w.isSilent {
		w.report(Unknown{
			Name: name, Path: textOf(operand) + "." + name, Offset: w.offsetOf(e, operand, name), Kinds: lost,
			isProbe: isProbe(e),
		}, of)
	}
	return out
}

// namedField returns the name and the object of a field that an expression selects, by a dot, an index or the operator in.
func namedField(e ast.Expr) (name string, operand ast.Expr, ok bool) {
	if e.Kind() == ast.SelectKind {
		name, operand = e.AsSelect().FieldName(), e.AsSelect().Operand()
		return name, operand, true
	}
	if e.Kind() != ast.CallKind {
		return "", nil, false
	}
	c := e.AsCall()
	switch c.FunctionName() {
	case operators.OptSelect, operators.Index, operators.OptIndex:
		name, ok = textIn(c.Args()[1])
		return name, c.Args()[0], ok
	case operators.In:
		name, ok = textIn(c.Args()[0])
		return name, c.Args()[1], ok
	}
	return "", nil, false
}

// isProbe reports whether an expression only asks for a field: if there is none, it does not fail.
func isProbe(e ast.Expr) bool {
	if e.Kind() == ast.SelectKind {
		return e.AsSelect().IsTestOnly()
	}
	return e.AsCall().FunctionName() != operators.Index
}

func textIn(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().Value().(string)
	return text, ok
}

func isIndex(c ast.CallExpr) bool {
	return c.FunctionName() == operators.Index || c.FunctionName() == operators.OptIndex
}

func isIdent(e ast.Expr, name string) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name }

// offsetOf returns the offset of the name of a field in the text, in bytes, or -1.
func (w *walker) offsetOf(e, operand ast.Expr, name string) int {
	at := e
	isTest := e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly()
	switch {
	case isTest:
		at = operand // has() is at its word
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.In:
		at = e.AsCall().Args()[0]
	case e.Kind() == ast.CallKind:
		at = e.AsCall().Args()[1]
	}
	r, ok := w.tree.SourceInfo().GetOffsetRange(at.ID())
	if !ok {
		return -1
	}
	from := runeOffset(w.text, int(r.Start))
	if isTest {
		last := ""
		if inner, _, ok := namedField(operand); ok {
			last = inner
		} else if operand.Kind() == ast.IdentKind {
			last = operand.AsIdent()
		}
		if last != "" {
			if i := nameOffset(w.text, last, from); i >= 0 {
				from = i + len(last)
			}
		}
	}
	return nameOffset(w.text, name, from)
}

func (w *walker) call(e ast.Expr, active Set, in *scope) values {
	c := e.AsCall()
	switch c.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr:
		isAnd := c.FunctionName() == operators.LogicalAnd
		for i, arg := range c.Args() {
			within := active
			for j, other := range c.Args() {
				if i != j {
					within &= w.guardOf(other, active, in).when(isAnd)
				}
			}
			w.eval(arg, within, in)
		}
		return nil
	case operators.Conditional:
		w.eval(c.Args()[0], active, in)
		g := w.guardOf(c.Args()[0], active, in)
		return eitherOf(w.only(c.Args()[1], g.whenTrue, in), w.only(c.Args()[2], g.whenFalse, in))
	}
	args := make([]values, len(c.Args()))
	for i, arg := range c.Args() {
		args[i] = w.eval(arg, active, in)
	}
	var target values
	if c.IsMemberFunction() {
		target = w.eval(c.Target(), active, in)
	}
	return w.result(e, target, args, active)
}

// only returns the value of an expression that is evaluated only for some kinds.
func (w *walker) only(e ast.Expr, active Set, in *scope) values {
	v := w.eval(e, active, in)
	if active == w.All {
		return v
	}
	out := same(value{form: nothing}, len(w.kinds))
	for i := range out {
		if active.Has(i) {
			out[i] = v.at(i)
		}
	}
	return out
}

// result returns the value of a call.
func (w *walker) result(e ast.Expr, target values, args []values, active Set) values {
	c := e.AsCall()
	switch c.FunctionName() {
	case operators.OptSelect, operators.In:
		if _, _, ok := namedField(e); ok && (c.FunctionName() != operators.In || !anyList(args[1])) {
			if c.FunctionName() == operators.In {
				w.field(e, args[1], active)
				return nil
			}
			return w.field(e, args[0], active)
		}
	case operators.Index, operators.OptIndex:
		if _, _, ok := namedField(e); ok {
			return w.field(e, args[0], active)
		}
		return args[0].mapped(value.item) // nothing is known of a field with a computed name
	case operators.Add:
		if anyList(args[0]) && anyList(args[1]) {
			return eitherOf(args[0], args[1])
		}
	case "orValue", "or":
		if len(args) == 1 {
			return eitherOf(target, args[0])
		}
	case "value", "distinct", "sort", "reverse", "slice":
		return target
	case "first", "last":
		return target.mapped(value.item)
	case "flatten":
		return target.mapped(func(v value) value {
			items := v.item()
			if items.isList() {
				items = items.item()
			}
			return value{form: listed, items: &items}
		})
	case "optional.of", "optional.ofNonZeroValue", "dyn":
		if len(args) == 1 {
			return args[0]
		}
	case "optional.none":
		return same(value{form: nothing}, len(w.kinds))
	}
	return nil
}

// anyList reports whether a value is a list for some kind.
func anyList(v values) bool {
	for i := range v {
		if v[i].isList() {
			return true
		}
	}
	return false
}

// comprehension follows a macro, such as all, exists, filter, map and optMap.
func (w *walker) comprehension(c ast.ComprehensionExpr, active Set, in *scope) values {
	of := w.eval(c.IterRange(), active, in)
	items := of.mapped(func(v value) value {
		if v.form == nothing || v.isList() {
			return v.item()
		}
		return value{} // the key of a map
	})
	within := &scope{name: c.IterVar(), value: items, around: in}
	if c.HasIterVar2() {
		within.value = nil // an index or a key
		within = &scope{name: c.IterVar2(), value: of.mapped(value.item), around: within}
	}
	first := w.eval(c.AccuInit(), active, in)
	step := w.eval(c.LoopStep(), active, &scope{name: c.AccuVar(), value: first, around: within})
	return w.eval(c.Result(), active, &scope{name: c.AccuVar(), value: eitherOf(first, step), around: in})
}
