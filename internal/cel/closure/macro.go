package closure

import (
	"math"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/kindvet/kindvet/internal/schema"
)

// Macros arrive as the comprehensions into which cel-go's parser expands them. all, exists, exists_one, filter and
// map are recognized by their shape (macroOf does the same on the AST) and run as loops. All others are folded step
// by step as the comprehension says.

// The parts of an encoded macro.
const (
	partRange = iota
	partInit
	partCondition
	partStep
	partResult
)

// isVariable reports whether an expression consists only of the variable with this name.
func (e *expression) isVariable(name string) bool { return e.op == opVariable && e.name == name }

func (e *expression) isCall(function string) bool { return e.op == opCall && e.name == function }

func (e *expression) isLiteral(v any) bool { return e.op == opLiteral && any(e.literal) == v }

// quantifier recognizes all and exists. They start from true or false and stop at the opposite value.
func (e *expression) quantifier() (predicate *expression, all, ok bool) {
	result, step := e.names[2], e.args[partStep]
	if step.op != opCall || len(step.args) != 2 || !step.args[0].isVariable(result) ||
		!e.args[partResult].isVariable(result) {
		return nil, false, false
	}
	condition := e.args[partCondition]
	if !condition.isCall(operators.NotStrictlyFalse) {
		return nil, false, false
	}
	goesOn := condition.args[0]
	switch {
	case step.name == operators.LogicalAnd && e.args[partInit].isLiteral(types.True) && goesOn.isVariable(result):
		return step.args[1], true, true
	case step.name == operators.LogicalOr && e.args[partInit].isLiteral(types.False) &&
		goesOn.isCall(operators.LogicalNot) && goesOn.args[0].isVariable(result):
		return step.args[1], false, true
	}
	return nil, false, false
}

// count recognizes exists_one, which counts from 0 and requires 1.
func (e *expression) count() (predicate *expression, ok bool) {
	name, step, result := e.names[2], e.args[partStep], e.args[partResult]
	if !step.isCall(operators.Conditional) || !step.args[2].isVariable(name) || !step.args[1].isCall(operators.Add) ||
		!e.args[partInit].isLiteral(types.IntZero) || !e.args[partCondition].isLiteral(types.True) ||
		!result.isCall(operators.Equals) {
		return nil, false
	}
	isCount := step.args[1].args[0].isVariable(name) && step.args[1].args[1].isLiteral(types.IntOne) &&
		result.args[0].isVariable(name) && result.args[1].isLiteral(types.IntOne)
	return step.args[0], isCount
}

// collection recognizes map, filter and transformList, which append an item for each element that meets a
// condition. A nil condition is always met.
func (e *expression) collection() (item, condition *expression, ok bool) {
	result, step := e.names[2], e.args[partStep]
	if !e.args[partResult].isVariable(result) || !e.args[partCondition].isLiteral(types.True) ||
		e.args[partInit].op != opList || len(e.args[partInit].args) != 0 {
		return nil, nil, false
	}
	if step.isCall(operators.Conditional) && step.args[2].isVariable(result) {
		condition, step = step.args[0], step.args[1]
	}
	if !step.isCall(operators.Add) || !step.args[0].isVariable(result) {
		return nil, nil, false
	}
	if added := step.args[1]; added.op == opList && len(added.args) == 1 && added.optional == nil {
		return added.args[0], condition, true
	}
	return nil, nil, false
}

// round compiles the body of a loop and returns the cost of one iteration. That cost is not added to the cost of
// the whole.
func (c *compiler) round(compile func()) int64 {
	outer := c.cost
	c.cost = costOfStep * 8 // the condition and the step around the body
	compile()
	cost := c.cost
	c.cost = outer
	return cost
}

// macroTest compiles all, exists and exists_one. It returns nil for every other macro.
func (c *compiler) macroTest(e *expression) test {
	if predicate, all, ok := e.quantifier(); ok {
		l, holds := c.predicate(e, predicate)
		return quantified(l, holds, all)
	}
	if predicate, ok := e.count(); ok {
		l, holds := c.predicate(e, predicate)
		return counted(l, holds)
	}
	return nil
}

// predicate compiles the range and the predicate of a macro.
func (c *compiler) predicate(e, predicate *expression) (l loop, holds test) {
	c.cost += 4 * costOfStep
	scope, slots := c.scope, c.slots
	l = c.open(e)
	l.cost = c.round(func() { holds = c.test(predicate) })
	c.leave(scope, slots)
	return l, holds
}

// quantified runs all and exists. An item that decides the result takes precedence over errors.
func quantified(l loop, holds test, all bool) test {
	stop, end := yes, no
	if all {
		stop, end = no, yes
	}
	return func(f *Frame) truth {
		r, ok := f.iterate(l.over(f))
		if !ok {
			return failed
		}
		outcome, mark := end, f.mark()
		for r.next(f, &l) {
			switch t := holds(f); t {
			case stop:
				return stop
			case failed:
				outcome = failed
			}
			f.release(mark)
		}
		return outcome
	}
}

// counted runs exists_one. It stops at the first error.
func counted(l loop, holds test) test {
	return func(f *Frame) truth {
		r, ok := f.iterate(l.over(f))
		if !ok {
			return failed
		}
		n, mark := 0, f.mark()
		for r.next(f, &l) {
			switch holds(f) {
			case yes:
				n++
			case failed:
				n = math.MinInt
			}
			f.release(mark)
		}
		if n < 0 {
			return failed
		}
		return truthOf(n == 1)
	}
}

// macro compiles every macro that does not return a bool.
func (c *compiler) macro(e *expression) (code, *schema.Schema) {
	if t := c.macroTest(e); t != nil {
		return func(f *Frame) value { return t(f).value() }, nil
	}
	if item, condition, ok := e.collection(); ok {
		c.cost += 2*costOfStep + costOfList
		return c.collect(e, item, condition)
	}
	return c.fold(e)
}

// collect compiles map, filter and transformList.
func (c *compiler) collect(e, item, condition *expression) (code, *schema.Schema) {
	scope, slots := c.scope, c.slots
	l := c.open(e)
	var keep test
	var make code
	l.cost = c.round(func() {
		c.cost += costOfList
		if condition != nil {
			keep = c.test(condition)
		}
		make, _ = c.code(item)
	})
	c.leave(scope, slots)
	if item.isVariable(e.names[0]) && keep != nil {
		return filtered(l, keep), nil
	}
	return func(f *Frame) value {
		r, ok := f.iterate(l.over(f))
		if !ok {
			return value{}
		}
		var items []value
		failed := false
		for r.next(f, &l) {
			if keep != nil {
				switch t := keep(f); t {
				case no:
					continue
				case yes:
				default:
					failed = true
					continue
				}
			}
			v := make(f)
			failed = failed || v.kind == kindError
			items = append(items, v)
		}
		if failed {
			return value{}
		}
		return f.made(items)
	}, nil
}

// filtered runs filter. The items that it keeps are in the frame's memory.
func filtered(l loop, keep test) code {
	return func(f *Frame) value {
		r, ok := f.iterate(l.over(f))
		if !ok {
			return value{}
		}
		start, failed := len(f.items), false
		for r.next(f, &l) {
			mark := f.mark()
			switch t := keep(f); t {
			case yes:
				f.release(mark)
				f.items = append(f.items, f.slots[l.first])
			case no:
				f.release(mark)
			default:
				f.release(mark)
				failed = true
			}
		}
		if failed {
			return value{}
		}
		return f.made(f.items[start:len(f.items):len(f.items)])
	}
}

// fold compiles a macro of any other shape, such as transformMap or the expansion of optMap.
func (c *compiler) fold(e *expression) (code, *schema.Schema) {
	scope, slots := c.scope, c.slots
	init, s := c.code(e.args[partInit])
	l := c.open(e)
	// The result hides the other variables: they are out of scope at the end.
	result := c.bind(e.names[2], s)
	var goesOn test
	var step code
	l.cost = c.round(func() {
		goesOn = c.test(e.args[partCondition])
		step, _ = c.code(e.args[partStep])
	})
	c.scope = &binding{name: e.names[2], slot: result, schema: s, up: scope}
	end, endSchema := c.code(e.args[partResult])
	c.leave(scope, slots)
	if e.args[partRange].op == opList && len(e.args[partRange].args) == 0 {
		return func(f *Frame) value {
			f.slots[result] = init(f)
			return end(f)
		}, endSchema
	}
	return func(f *Frame) value {
		r, ok := f.iterate(l.over(f))
		if !ok {
			return value{}
		}
		f.slots[result] = init(f)
		for r.next(f, &l) {
			if goesOn(f) == no {
				break
			}
			f.slots[result] = step(f)
		}
		return end(f)
	}, nil
}
