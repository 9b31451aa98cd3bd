package closure

import (
	"cmp"
	"math"
	"strings"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"

	"github.com/kindvet/kindvet/internal/schema"
)

// junction compiles && and ||. If either side has the deciding value, an error on the other side does not matter.
func (c *compiler) junction(e *expression, decides truth) test {
	c.cost += costOfStep
	terms := make([]test, len(e.args))
	for i, arg := range e.args {
		terms[i] = c.test(arg)
	}
	if len(terms) == 2 {
		left, right := terms[0], terms[1]
		return func(f *Frame) truth {
			l := left(f)
			if l == decides {
				return l
			}
			if r := right(f); r == decides || l != failed {
				return r
			}
			return failed
		}
	}
	return func(f *Frame) truth {
		outcome := decides.not()
		for _, term := range terms {
			switch t := term(f); t {
			case decides:
				return decides
			case failed:
				outcome = failed
			}
		}
		return outcome
	}
}

func (c *compiler) conditionalTest(e *expression) test {
	c.cost += costOfStep
	condition, then, otherwise := c.test(e.args[0]), c.test(e.args[1]), c.test(e.args[2])
	return func(f *Frame) truth {
		switch condition(f) {
		case yes:
			return then(f)
		case no:
			return otherwise(f)
		}
		return failed
	}
}

func (c *compiler) conditional(e *expression) (code, *schema.Schema) {
	condition := c.test(e.args[0])
	then, s := c.code(e.args[1])
	otherwise, other := c.code(e.args[2])
	if s != other {
		s = nil
	}
	return func(f *Frame) value {
		switch condition(f) {
		case yes:
			return then(f)
		case no:
			return otherwise(f)
		}
		return value{}
	}, s
}

// equals compiles == and !=.
func (c *compiler) equals(e *expression, negated bool) test {
	c.cost += costOfStep
	left, _ := c.code(e.args[0])
	wanted := truthOf(!negated)
	if text, ok := constant(e.args[1]); ok && text.kind == kindString {
		return equalsText(left, text.text, wanted)
	}
	right, _ := c.code(e.args[1])
	return func(f *Frame) truth {
		l, r := left(f), right(f)
		if l.kind == kindError || r.kind == kindError {
			return failed
		}
		switch t := f.equal(l, r); {
		case negated:
			return truthOf(t != yes)
		default:
			return t
		}
	}
}

// equalsText compiles a comparison with a string literal.
func equalsText(left code, text string, wanted truth) test {
	cost := len(text) / 8
	literal := stringOf(text)
	return func(f *Frame) truth {
		l := left(f)
		switch l.kind {
		case kindString:
			f.spend(cost)
			if (l.text == text) == (wanted == yes) {
				return yes
			}
			return no
		case kindError:
			return failed
		}
		t := f.equal(l, literal)
		if wanted == no {
			return truthOf(t != yes)
		}
		return t
	}
}

// comparison compiles <, <=, > and >=.
func (c *compiler) comparison(e *expression) test {
	c.cost += costOfStep
	left, _ := c.code(e.args[0])
	right, _ := c.code(e.args[1])
	library := newLibraryCall(e)
	holds := orderOf(e.name)
	return func(f *Frame) truth {
		l, r := alike(left(f), right(f))
		switch {
		case l.kind == kindInteger && r.kind == kindInteger:
			return truthOf(holds(cmp.Compare(l.integer(), r.integer())))
		case l.kind == kindDouble && r.kind == kindDouble && !math.IsNaN(l.double()) && !math.IsNaN(r.double()):
			return truthOf(holds(cmp.Compare(l.double(), r.double())))
		case l.kind == r.kind && (l.kind == kindString || l.kind == kindBytes):
			f.spend(min(len(l.text), len(r.text)) / 8)
			return truthOf(holds(strings.Compare(l.text, r.text)))
		}
		return library.call(f, l, r).truth()
	}
}

func orderOf(operator string) func(int) bool {
	switch operator {
	case operators.Less:
		return func(o int) bool { return o < 0 }
	case operators.LessEquals:
		return func(o int) bool { return o <= 0 }
	case operators.Greater:
		return func(o int) bool { return o > 0 }
	}
	return func(o int) bool { return o >= 0 }
}

// membership compiles the in operator.
func (c *compiler) membership(e *expression) test {
	c.cost += costOfStep
	switch items, ok := constants(e.args[1]); {
	case ok && len(items) == 0 && e.overload == overloads.InList:
		return func(*Frame) truth { return no } // cel-go does not evaluate the left side either
	case ok && areStrings(items):
		return c.membershipOf(e, items)
	}
	left, _ := c.code(e.args[0])
	right, _ := c.code(e.args[1])
	library := newLibraryCall(e)
	return func(f *Frame) truth {
		l, r := left(f), right(f)
		switch {
		case l.kind == kindError || r.kind == kindError:
			return failed
		case r.kind == kindZero:
			return no
		case r.kind == kindObject && l.kind == kindZero:
			_, found := f.member(r, "")
			return truthOf(found)
		case r.kind == kindObject && l.kind == kindString:
			x, found := f.member(r, l.text)
			if found && x.kind == kindError {
				return failed
			}
			return truthOf(found)
		case r.kind == kindList:
			return f.isItem(l, r)
		case r.kind == kindItems:
			return f.isAmong(l, f.lists[r.bits])
		}
		return library.call(f, l, r).truth()
	}
}

// isAmong reports whether the value equals one of the items. If they cannot be compared, it leaves the decision to
// cel-go (baseList.Contains, concatList.Contains).
func (f *Frame) isAmong(v value, items []value) truth {
	f.spend(len(items))
	for _, item := range items {
		switch f.same(v, item) {
		case yes:
			return yes
		case failed:
			f.giveUp()
			return failed
		}
	}
	return no
}

// membershipOf compiles the in operator for a list of string literals.
func (c *compiler) membershipOf(e *expression, items []value) test {
	c.cost += int64(len(items)) + costOfList
	left, _ := c.code(e.args[0])
	right := c.list(e.args[1])
	library := newLibraryCall(e)
	return func(f *Frame) truth {
		l := left(f).orText()
		if l.kind != kindString {
			return library.call(f, l, right(f)).truth()
		}
		for i := range items {
			if items[i].text == l.text {
				return yes
			}
		}
		return no
	}
}

func areStrings(items []value) bool {
	for _, item := range items {
		if item.kind != kindString {
			return false
		}
	}
	return true
}

// isItem reports whether a list of the document has an item that equals the value (list.Contains).
func (f *Frame) isItem(v, list value) truth {
	f.spend(list.node.Len())
	outcome := no
	for n := list.node.First(); n.Valid(); n = n.Next() {
		item := f.of(n, list.schema.Items)
		if item.kind == kindError {
			outcome = failed
			continue
		}
		switch f.same(item, v) {
		case yes:
			return yes
		case failed:
			outcome = failed
		}
	}
	return outcome
}
