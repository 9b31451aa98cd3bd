package closure

import (
	"errors"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// decode reads an encoded expression.
func decode(text string) (*expression, error) {
	p := &decoder{rest: text}
	e := p.expr()
	if p.rest != "" {
		p.fail("more than one expression")
	}
	return e, p.err
}

type decoder struct {
	rest string
	err  error
}

func (p *decoder) fail(what string) {
	if p.err == nil {
		p.err = errors.New("encoded expression: " + what)
	}
	p.rest = ""
}

// word returns the next word. A quoted literal may contain spaces.
func (p *decoder) word() string {
	if len(p.rest) > 1 && p.rest[1] == '"' {
		quoted, err := strconv.QuotedPrefix(p.rest[1:])
		if err != nil {
			p.fail("unterminated quote")
			return ""
		}
		word := p.rest[:1+len(quoted)]
		p.rest = strings.TrimPrefix(p.rest[len(word):], " ")
		return word
	}
	var word string
	if word, p.rest, _ = strings.Cut(p.rest, " "); word == "" {
		p.fail("unexpected end")
	}
	return word
}

func (p *decoder) name() string {
	if word := p.word(); word != "-" {
		return word
	}
	return ""
}

func (p *decoder) count() int {
	n, err := strconv.Atoi(p.word())
	if err != nil || n < 0 || n > len(p.rest) {
		p.fail("invalid number of arguments")
		return 0
	}
	return n
}

func (p *decoder) expr() *expression {
	switch word := p.word(); word {
	case "v":
		return &expression{op: opVariable, name: p.word()}
	case "t":
		return &expression{op: opType, name: p.word()}
	case ".":
		return &expression{op: opField, name: p.word(), args: p.exprs(1)}
	case "?":
		return &expression{op: opPresence, name: p.word(), args: p.exprs(1)}
	case "c":
		e := &expression{op: opCall, name: p.word(), overload: p.name()}
		e.args = p.exprs(p.count())
		return e
	case "l":
		return p.items(opList, 1)
	case "m":
		return p.items(opMap, 2)
	case "f":
		return &expression{op: opMacro, names: []string{p.word(), p.name(), p.word()}, args: p.exprs(5)}
	default:
		return &expression{op: opLiteral, literal: p.literal(word)}
	}
}

func (p *decoder) exprs(n int) []*expression {
	list := make([]*expression, n)
	for i := range list {
		list[i] = p.expr()
	}
	return list
}

// items reads a list, or a map, which has two expressions per item.
func (p *decoder) items(o op, size int) *expression {
	e := &expression{op: o}
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

func (p *decoder) literal(word string) ref.Val {
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
		p.fail("invalid word: " + word)
	}
	return v
}
