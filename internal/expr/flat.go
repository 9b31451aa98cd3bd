package expr

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// The flat form is a checked expression as one line of words in prefix notation: what closures are compiled from, and what the embedded
// rules ship as. Of the AST it keeps the expressions, with overloads and type names resolved; types themselves have done their work
// when an expression is checked.
//
//	v NAME                         a variable
//	t NAME                         a type, as int
//	. NAME operand                 operand.NAME
//	? NAME operand                 has(operand.NAME)
//	c FUNCTION OVERLOAD N args     a call, the target of a member call first; OVERLOAD is - where only the arguments can tell
//	l N items                      a list; an item after "o" is optional
//	m N keys and values            a map; a pair after "o" is optional
//	f ITEM SECOND RESULT range init condition step result
//	                               a macro; SECOND is - where it has one variable
//	null true false i-1 u1 d1.5 s"text" b"bytes"
//	                               literals

// FlatVersion is raised when the flat form changes, or the environment in which rules are checked, so that rules in an older form are
// not taken for rules in this one.
const FlatVersion = "1"

// form is one expression of the flat form.
type form struct {
	op       op
	name     string   // of a variable, type, field or function
	overload string   // of a call; "" where only the arguments can tell
	names    []string // of a macro: item, second ("" for none), result
	args     []*form  // of a macro: range, init, condition, step, result
	optional []bool   // for lists and maps, by item or pair; nil where none is
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

// flatten writes a checked expression in the flat form.
func flatten(a *ast.AST) (string, error) {
	w := &flatWriter{ast: a}
	w.expr(a.Expr())
	return strings.Join(w.words, " "), w.err
}

type flatWriter struct {
	ast   *ast.AST
	words []string
	err   error
}

func (w *flatWriter) add(words ...string) {
	for _, word := range words {
		if word == "" || strings.ContainsAny(word, " \"\n") {
			w.err = fmt.Errorf("%q cannot be a word of the flat form", word)
		}
	}
	w.words = append(w.words, words...)
}

func (w *flatWriter) expr(e ast.Expr) {
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
		w.err = errors.New("the flat form has no such expression")
	}
}

// ident writes a name that stands for a variable, a type or a constant.
func (w *flatWriter) ident(e ast.Expr, name string) {
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

func (w *flatWriter) field(e ast.Expr) {
	if _, ok := w.ast.ReferenceMap()[e.ID()]; ok { // a name with dots
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

func (w *flatWriter) call(e ast.Expr) {
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

func (w *flatWriter) list(l ast.ListExpr) {
	w.add("l", strconv.Itoa(l.Size()))
	for i, item := range l.Elements() {
		if l.IsOptional(int32(i)) {
			w.add("o")
		}
		w.expr(item)
	}
}

func (w *flatWriter) entries(m ast.MapExpr) {
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

func (w *flatWriter) literal(v ref.Val) {
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
		w.err = fmt.Errorf("the flat form has no literal %T", v)
	}
}

func orDash(name string) string {
	if name == "" {
		return "-"
	}
	return name
}

// parseFlat reads the flat form.
func parseFlat(text string) (*form, error) {
	p := &flatParser{rest: text}
	e := p.expr()
	if p.rest != "" {
		p.fail("more words than one expression")
	}
	return e, p.err
}

type flatParser struct {
	rest string
	err  error
}

func (p *flatParser) fail(what string) {
	if p.err == nil {
		p.err = errors.New("flat form: " + what)
	}
	p.rest = ""
}

// word returns the next word; a literal with quotes may hold spaces.
func (p *flatParser) word() string {
	if len(p.rest) > 1 && p.rest[1] == '"' {
		quoted, err := strconv.QuotedPrefix(p.rest[1:])
		if err != nil {
			p.fail("a quote does not end")
			return ""
		}
		word := p.rest[:1+len(quoted)]
		p.rest = strings.TrimPrefix(p.rest[len(word):], " ")
		return word
	}
	var word string
	if word, p.rest, _ = strings.Cut(p.rest, " "); word == "" {
		p.fail("ends early")
	}
	return word
}

func (p *flatParser) name() string {
	if word := p.word(); word != "-" {
		return word
	}
	return ""
}

func (p *flatParser) count() int {
	n, err := strconv.Atoi(p.word())
	if err != nil || n < 0 || n > len(p.rest) {
		p.fail("a number of arguments is none")
		return 0
	}
	return n
}

func (p *flatParser) expr() *form {
	switch word := p.word(); word {
	case "v":
		return &form{op: opVariable, name: p.word()}
	case "t":
		return &form{op: opType, name: p.word()}
	case ".":
		return &form{op: opField, name: p.word(), args: p.exprs(1)}
	case "?":
		return &form{op: opPresence, name: p.word(), args: p.exprs(1)}
	case "c":
		e := &form{op: opCall, name: p.word(), overload: p.name()}
		e.args = p.exprs(p.count())
		return e
	case "l":
		return p.items(opList, 1)
	case "m":
		return p.items(opMap, 2)
	case "f":
		return &form{op: opMacro, names: []string{p.word(), p.name(), p.word()}, args: p.exprs(5)}
	default:
		return &form{op: opLiteral, literal: p.literal(word)}
	}
}

func (p *flatParser) exprs(n int) []*form {
	list := make([]*form, n)
	for i := range list {
		list[i] = p.expr()
	}
	return list
}

// items reads a list, or a map, which has two expressions for each of its items.
func (p *flatParser) items(o op, size int) *form {
	e := &form{op: o}
	n := p.count()
	for i := range n {
		if strings.HasPrefix(p.rest, "o ") {
			if e.optional == nil {
				e.optional = make([]bool, n)
			}
			e.optional[i] = p.word() == "o"
		}
		e.args = append(e.args, p.exprs(size)...)
	}
	return e
}

func (p *flatParser) literal(word string) ref.Val {
	switch word {
	case "null":
		return types.NullValue
	case "true":
		return types.True
	case "false":
		return types.False
	case "":
		return nil
	}
	var v ref.Val
	var err error
	switch rest := word[1:]; word[0] {
	case 'i':
		var i int64
		i, err = strconv.ParseInt(rest, 10, 64)
		v = types.Int(i)
	case 'u':
		var u uint64
		u, err = strconv.ParseUint(rest, 10, 64)
		v = types.Uint(u)
	case 'd':
		var d float64
		d, err = strconv.ParseFloat(rest, 64)
		v = types.Double(d)
	case 's':
		var s string
		s, err = strconv.Unquote(rest)
		v = types.String(s)
	case 'b':
		var s string
		s, err = strconv.Unquote(rest)
		v = types.Bytes(s)
	default:
		err = strconv.ErrSyntax
	}
	if err != nil {
		p.fail("a word is none: " + word)
	}
	return v
}
