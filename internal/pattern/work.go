package pattern

import (
	"math"
	"regexp/syntax"
	"strings"
	"sync"
)

// Package regexp takes time proportional to the length of the text times the size of the expression. A few characters
// with counts can make an expression large: (a{1,100}){1,10} has 2,000 instructions, and each of them is visited for
// each character. Work is the product of both.

// stepsOfWork is the number of instructions visited per unit of work.
const stepsOfWork = 16

// mostWork is an upper bound of work; no text may take that long.
const mostWork = math.MaxInt64 / 4

// Work returns the work of searching a text of length bytes for an expression, in units of 16 visited instructions.
// The result means nothing if the expression is invalid.
func Work(expr string, length int) int64 { return work(sizeOf(expr), length) }

func work(size int64, length int) int64 {
	if length > 0 && size > mostWork/int64(length) {
		return mostWork
	}
	return size * int64(length) / stepsOfWork
}

// sizeOf returns the approximate number of instructions of an expression, at least one.
func sizeOf(expr string) int64 {
	if !strings.Contains(expr, "{") { // no part of it is repeated
		return int64(len(expr)) + 1
	}
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return 1
	}
	return sizeOfParsed(parsed) + 1
}

func sizeOfParsed(re *syntax.Regexp) int64 {
	size := int64(1)
	switch re.Op {
	case syntax.OpLiteral:
		size = int64(len(re.Rune))
	case syntax.OpConcat:
		size = 0
	case syntax.OpRepeat:
		if re.Min == re.Max {
			size = 0
		}
	}
	for _, sub := range re.Sub {
		size += sizeOfParsed(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= int64(max(re.Min, re.Max, 1))
	}
	return min(size, mostWork/1000) // package regexp allows no larger count
}

// Match is like [Pattern.MatchString], for untrusted text: it deducts the work from budget. If the budget is too
// small, it uses a table, which takes one step per byte. ok is false if there is no table.
func (p *Pattern) Match(text string, budget *int64) (matches, ok bool) {
	if work := work(p.size(), len(text)); work <= *budget {
		*budget -= work
		return p.MatchString(text), true
	}
	return p.forced().match(text)
}

// newSize returns a function that computes the size of expr once.
func newSize(expr string) func() int64 { return sync.OnceValue(func() int64 { return sizeOf(expr) }) }
