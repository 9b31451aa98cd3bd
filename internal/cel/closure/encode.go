package closure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// An encoded expression is the AST of a checked expression as one line of space-separated words in prefix notation.
// Closures are compiled from it, and embedded rules are stored in it. It keeps the expressions of the AST, with
// overloads and type names resolved. It does not keep the types, because they are not needed once an expression is
// checked.
//
//	v NAME                         a variable
//	t NAME                         a type, as int
//	. NAME operand                 operand.NAME
//	? NAME operand                 has(operand.NAME)
//	c FUNCTION OVERLOAD N args     a call, the target of a field call first; OVERLOAD is - if the arguments decide
//	l N items                      a list; an item after "o" is optional
//	m N keys and values            a map; a pair after "o" is optional
//	f ITEM SECOND RESULT range init condition step result
//	                               a macro; SECOND is - if it has only one variable
//	null true false i-1 u1 d1.5 s"text" b"bytes"
//	                               literals

// Version changes with the encoding and with the environment in which expressions are checked. Do not use
// expressions of another version.
const Version = "1"

// expression is one node of an encoded expression.
type expression struct {
	op       op
	name     string        // of a variable, type, field or function
	overload string        // of a call; "" if it depends on the types of the arguments
	names    []string      // of a macro: item, second ("" for none), result
	args     []*expression // of a macro: range, init, condition, step, result
	optional []bool        // of a list or map, by item or pair; nil if none is optional
	literal  ref.Val
}

type op uint8

const (
	opVariable op = iota + 1
	opType
	opField
	opPresence
	opCall
	opList
	opMap
	opMacro
	opLiteral
)

// Encode encodes a checked expression in the format that [Compile] reads.
func Encode(a *ast.AST) (string, error) {
	w := &encoder{ast: a}
	w.expr(a.Expr())
	return strings.Join(w.words, " "), w.err
}

type encoder struct {
	ast   *ast.AST
	words []string
	order []ast.Expr // the expressions, in the order of their words
	err   error
}

func (w *encoder) add(words ...string) {
	for _, word := range words {
		if word == "" || strings.ContainsAny(word, " \"\n") {
			w.err = fmt.Errorf("%q cannot be a word of an encoded expression", word)
		}
	}
	w.words = append(w.words, words...)
}

func (w *encoder) expr(e ast.Expr) {
	w.order = append(w.order, e)
	switch e.Kind() {
	case ast.LiteralKind:
		w.literal(e.AsLiteral())
	case ast.IdentKind:
		w.ident(e, e.AsIdent())
	case ast.SelectKind:
		w.field(e)
	case ast.CallKind:
		w.call(e)
	case ast.ListKind:
		w.list(e.AsList())
	case ast.MapKind:
		w.entries(e.AsMap())
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		w.add("f", c.IterVar(), orDash(c.IterVar2()), c.AccuVar())
		for _, part := range []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			w.expr(part)
		}
	default:
		w.err = errors.New("an expression of this kind cannot be encoded")
	}
}

// ident encodes a name that refers to a variable, a type or a constant.
func (w *encoder) ident(e ast.Expr, name string) {
	info, ok := w.ast.ReferenceMap()[e.ID()]
	switch {
	case ok && info.Value != nil:
		w.literal(info.Value)
	case ok && w.ast.GetType(e.ID()).Kind() == types.TypeKind:
		w.add("t", info.Name)
	case ok && info.Name != "":
		w.add("v", info.Name)
	default:
		w.add("v", name)
	}
}

func (w *encoder) field(e ast.Expr) {
	if _, ok := w.ast.ReferenceMap()[e.ID()]; ok { // a qualified name
		w.ident(e, "")
		return
	}
	s := e.AsSelect()
	word := "."
	if s.IsTestOnly() {
		word = "?"
	}
	w.add(word, s.FieldName())
	w.expr(s.Operand())
}

func (w *encoder) call(e ast.Expr) {
	c := e.AsCall()
	args := c.Args()
	if c.IsMemberFunction() {
		args = append([]ast.Expr{c.Target()}, args...)
	}
	overload := ""
	if info, ok := w.ast.ReferenceMap()[e.ID()]; ok && len(info.OverloadIDs) == 1 {
		overload = info.OverloadIDs[0]
	}
	w.add("c", c.FunctionName(), orDash(overload), strconv.Itoa(len(args)))
	for _, arg := range args {
		w.expr(arg)
	}
}

func (w *encoder) list(l ast.ListExpr) {
	w.add("l", strconv.Itoa(l.Size()))
	for i, item := range l.Elements() {
		if l.IsOptional(int32(i)) {
			w.add("o")
		}
		w.expr(item)
	}
}

func (w *encoder) entries(m ast.MapExpr) {
	w.add("m", strconv.Itoa(m.Size()))
	for _, e := range m.Entries() {
		entry := e.AsMapEntry()
		if entry.IsOptional() {
			w.add("o")
		}
		w.expr(entry.Key())
		w.expr(entry.Value())
	}
}

func (w *encoder) literal(v ref.Val) {
	switch v := v.(type) {
	case types.Null:
		w.add("null")
	case types.Bool:
		w.add(strconv.FormatBool(bool(v)))
	case types.Int:
		w.add("i" + strconv.FormatInt(int64(v), 10))
	case types.Uint:
		w.add("u" + strconv.FormatUint(uint64(v), 10))
	case types.Double:
		w.add("d" + strconv.FormatFloat(float64(v), 'g', -1, 64))
	case types.String:
		w.words = append(w.words, "s"+strconv.Quote(string(v)))
	case types.Bytes:
		w.words = append(w.words, "b"+strconv.Quote(string(v)))
	default:
		w.err = fmt.Errorf("a literal %T cannot be encoded", v)
	}
}

func orDash(name string) string {
	if name == "" {
		return "-"
	}
	return name
}

// Fields returns the names of the fields of a variable that an encoded expression reads. It returns false if the
// expression uses the variable in another way, too.
func Fields(encoded, variable string) (names []string, ok bool) {
	e, err := decode(encoded)
	if err != nil {
		return nil, false
	}
	return e.fields(variable, nil)
}

func (e *expression) fields(variable string, names []string) ([]string, bool) {
	switch {
	case e.isVariable(variable):
		return nil, false
	case (e.op == opField || e.op == opPresence) && e.args[0].isVariable(variable):
		name, ok := unescaped(e.name)
		if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
		return names, ok
	}
	ok := true
	for _, arg := range e.args {
		if names, ok = arg.fields(variable, names); !ok {
			return nil, false
		}
	}
	return names, true
}
