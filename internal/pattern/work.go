package pattern

import (
	"math"
	"regexp/syntax"
	"strings"
	"sync"
)

// Package regexp needs time in proportion to the length of the text and to the size of the expression, which a few
// characters with counts can make large: (a{1,100}){1,10} has 2,000 instructions, and looks at each of them for each
// character. Work is the product of both.

// stepsOfWork is how many instructions are looked at in the time of a unit of work.
const stepsOfWork = 16

// mostWork is the work beyond which no text is long enough to wait for.
const mostWork = math.MaxInt64 / 4

// Work returns how much work it is to look for an expression in a text of so many bytes, in units of 16 instructions
// looked at. An expression that is wrong needs none.
func Work(expr string, length int) int64 { return work(sizeOf(expr), length) }

func work(size int64, length int) int64 {
	if length > 0 && size > mostWork/int64(length) {
		return mostWork
	}
	return size * int64(length) / stepsOfWork
}

// sizeOf returns about how many instructions an expression has, at least one.
func sizeOf(expr string) int64 {
	if !strings.Contains(expr, "{") { // no part of it counts more than once
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

// Match is MatchString for a text from a stranger: the work counts against a budget. Beyond the budget only a table
// decides, which needs a step a byte; ok is false where there can be none.
func (p *Pattern) Match(text string, budget *int64) (matches, ok bool) {
	if work := work(p.size(), len(text)); work <= *budget {
		*budget -= work
		return p.MatchString(text), true
	}
	return p.forced().match(text)
}

// newSize returns the function that computes the size of an expression once.
func newSize(expr string) func() int64 { return sync.OnceValue(func() int64 { return sizeOf(expr) }) }
