package closure

import (
	"math"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"

	"github.com/kindvet/kindvet/internal/pattern"
	"github.com/kindvet/kindvet/internal/schema"
)

// Operators and the functions that are common in rules are implemented here for the types that rules usually pass.
// Other types and other functions are passed on to cel-go's libraries.

// callTest compiles calls that return true or false. It returns nil for calls that may return something else.
func (c *compiler) callTest(e *expression) test {
	switch e.name {
	case operators.LogicalAnd:
		return c.junction(e, no)
	case operators.LogicalOr:
		return c.junction(e, yes)
	case operators.Conditional:
		return c.conditionalTest(e)
	case operators.LogicalNot:
		c.cost += costOfStep
		t := c.test(e.args[0])
		return func(f *Frame) truth { return t(f).not() }
	case operators.NotStrictlyFalse:
		c.cost += costOfStep
		t := c.test(e.args[0])
		return func(f *Frame) truth { return truthOf(t(f) != no) }
	case operators.Equals:
		return c.equals(e, false)
	case operators.NotEquals:
		return c.equals(e, true)
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return c.comparison(e)
	case operators.In:
		return c.membership(e)
	}
	if len(e.args) == 2 {
		return c.textTest(e)
	}
	if e.name == "hasValue" && len(e.args) == 1 {
		c.cost += costOfStep
		v, _ := c.code(e.args[0])
		return func(f *Frame) truth {
			x := v(f)
			if x.kind != kindOptional {
				return f.failedUnlessError(x)
			}
			return truthOf(x.bits != 0)
		}
	}
	return nil
}

// failedUnlessError leaves a value of an unexpected type to cel-go.
func (f *Frame) failedUnlessError(v value) truth {
	if v.kind != kindError {
		f.giveUp()
	}
	return failed
}

// textTest compiles the boolean functions of strings.
func (c *compiler) textTest(e *expression) test {
	var holds func(text, part string) bool
	cost := func(text, part string) int { return len(text) / 8 }
	switch e.overload {
	case overloads.StartsWithString:
		holds = strings.HasPrefix
	case overloads.EndsWithString:
		holds = strings.HasSuffix
	case overloads.ContainsString:
		holds = strings.Contains
		cost = func(text, part string) int { return (len(text)/8 + 1) * (len(part)/8 + 1) }
	case overloads.MatchesString, overloads.Matches:
		return c.matches(e)
	default:
		return nil
	}
	c.cost += costOfStep
	left, _ := c.code(e.args[0])
	right, _ := c.code(e.args[1])
	library := newLibraryCall(e)
	return func(f *Frame) truth {
		l, r := left(f).orText(), right(f).orText()
		if l.kind != kindString || r.kind != kindString {
			return library.call(f, l, r).truth()
		}
		f.spend(cost(l.text, r.text))
		return truthOf(holds(l.text, r.text))
	}
}

// matches compiles matches(). A literal pattern is compiled on first use.
func (c *compiler) matches(e *expression) test {
	expression, ok := constant(e.args[1])
	if !ok || expression.kind != kindString {
		return nil
	}
	c.cost += costOfStep
	left, _ := c.code(e.args[0])
	library := newLibraryCall(e)
	compiled := pattern.New(expression.text)
	cost := len(expression.text)/4 + 1
	return func(f *Frame) truth {
		l := left(f).orText()
		if l.kind != kindString {
			return library.call(f, l, expression).truth()
		}
		f.spend((len(l.text)/8 + 2) * cost)
		f.spend(int(min(compiled.Work(len(l.text)), maxCost)))
		if f.unsure {
			return failed
		}
		if compiled.MatchString(l.text) {
			return yes
		}
		if compiled.Err() != nil {
			return failed
		}
		return no
	}
}

// call compiles a call that returns a value of any type.
func (c *compiler) call(e *expression) (code, *schema.Schema) {
	switch e.name {
	case operators.Conditional:
		return c.conditional(e)
	case operators.Index, operators.OptIndex, operators.OptSelect:
		return c.index(e)
	}
	if t := c.callTest(e); t != nil {
		return func(f *Frame) value { return t(f).value() }, nil
	}
	if v := c.optional(e); v != nil {
		return v, nil
	}
	if v := c.native(e); v != nil {
		return v, nil
	}
	if v := c.network(e); v != nil {
		return v, nil
	}
	if v := c.text(e); v != nil {
		return v, nil
	}
	if v := c.quantity(e); v != nil {
		return v, nil
	}
	switch len(e.args) {
	case 1:
		return c.unary(e), nil
	case 2:
		return c.binary(e), nil
	}
	args := make([]code, len(e.args))
	for i, arg := range e.args {
		args[i], _ = c.code(arg)
	}
	library := newLibraryCall(e)
	return func(f *Frame) value {
		values := make([]value, len(args))
		for i, arg := range args {
			values[i] = arg(f)
		}
		return library.call(f, values...)
	}, nil
}

// optional compiles the functions of optionals. It returns nil for all other calls.
func (c *compiler) optional(e *expression) code {
	switch {
	case e.name == "optional.none" && len(e.args) == 0:
		return func(*Frame) value { return value{kind: kindOptional} }
	case e.name == "optional.of" && len(e.args) == 1:
		v, _ := c.code(e.args[0])
		return func(f *Frame) value {
			x := v(f)
			if x.kind == kindError {
				return x
			}
			return f.some(x)
		}
	case e.overload == "optional_value":
		v, _ := c.code(e.args[0])
		return func(f *Frame) value {
			switch x := v(f); {
			case x.kind == kindError || x.kind == kindOptional && x.bits == 0:
				return value{}
			case x.kind == kindOptional:
				return f.items[x.bits-1]
			}
			return f.giveUp()
		}
	case e.overload == "optional_or_optional", e.overload == "optional_orValue_value":
		left, _ := c.code(e.args[0])
		right, _ := c.code(e.args[1])
		isValue := e.name == "orValue"
		return func(f *Frame) value {
			switch l := left(f); {
			case l.kind != kindOptional:
				return value{}
			case l.bits == 0:
				return right(f)
			case isValue:
				return f.items[l.bits-1]
			default:
				return l
			}
		}
	}
	return nil
}

// unary compiles a call with one argument.
func (c *compiler) unary(e *expression) code {
	v, _ := c.code(e.args[0])
	library := newLibraryCall(e)
	switch e.name {
	case overloads.Size:
		return func(f *Frame) value {
			x := v(f)
			if n, ok := f.size(x); ok {
				f.spend(len(x.text) / 64)
				return integerOf(n)
			}
			return library.call(f, x)
		}
	case overloads.TypeConvertType:
		return func(f *Frame) value {
			x := v(f)
			if name := x.nameOfType(); name != "" {
				return typeOf(name)
			}
			return library.call(f, x)
		}
	case overloads.TypeConvertDyn:
		return v
	case operators.Negate:
		return func(f *Frame) value {
			switch x := v(f); {
			case x.kind == kindZero:
				return x
			case x.kind == kindInteger && x.integer() != math.MinInt64:
				return integerOf(-x.integer())
			case x.kind == kindDouble:
				return doubleOf(-x.double())
			default:
				return library.call(f, x)
			}
		}
	case overloads.TypeConvertBytes:
		return func(f *Frame) value {
			x := v(f)
			if x.kind == kindString {
				f.spend(len(x.text) / 8)
				return bytesOf(x.text)
			}
			return library.call(f, x)
		}
	case overloads.TypeConvertString:
		return func(f *Frame) value {
			switch x := v(f).orText(); x.kind {
			case kindString:
				return x
			case kindInteger:
				return stringOf(strconv.FormatInt(x.integer(), 10))
			default:
				return library.call(f, x)
			}
		}
	}
	return func(f *Frame) value { return library.call(f, v(f)) }
}
