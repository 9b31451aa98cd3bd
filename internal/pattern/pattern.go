// Package pattern matches texts against regular expressions with the same results as package regexp, but faster for
// expressions that are used often.
//
// Schemas apply a few expressions to thousands of values. After some matches, an expression is compiled into a table:
// a deterministic automaton over ASCII bytes that needs one step per byte. Package regexp handles expressions for
// which there is no table, and texts that are not ASCII.
//
// Measured with BenchmarkMatch: a match takes 0.3 µs in the table and 3.5 µs in package regexp, and a table takes 150 µs
// to make. So a table pays after about 50 matches. Decide anew if package regexp gets tables of its own.
package pattern

import (
	"regexp"
	"sync"
	"sync/atomic"
)

// Pattern is a regular expression (RE2 syntax, not anchored). It is safe for concurrent use.
type Pattern struct {
	expr    string
	compile func() (*regexp.Regexp, error)
	size    func() int64
	asked   atomic.Int32
	table   atomic.Pointer[table]
}

// New returns the pattern for an expression. The expression is compiled on first use.
func New(expr string) *Pattern {
	return &Pattern{
		expr: expr, size: newSize(expr),
		compile: sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(expr) }),
	}
}

// Err returns the error in the expression, or nil if it is valid.
func (p *Pattern) Err() error {
	_, err := p.compile()
	return err
}

// tableAfter is the number of matches after which it is worth making a table.
const tableAfter = 64

// MatchString reports whether text contains a match. An invalid expression matches nothing.
func (p *Pattern) MatchString(text string) bool {
	if t := p.table.Load(); t != nil {
		if matches, ok := t.match(text); ok {
			return matches
		}
	} else if p.asked.Add(1) == tableAfter {
		p.table.Store(newTable(p.expr))
	}
	re, err := p.compile()
	return err == nil && re.MatchString(text)
}

// Work returns the work of matching a text of length bytes, in the unit of the function [Work].
func (p *Pattern) Work(length int) int64 { return work(p.size(), length) }

// forced returns the table. It makes the table even if the pattern has not been used often.
func (p *Pattern) forced() *table {
	if t := p.table.Load(); t != nil {
		return t
	}
	t := newTable(p.expr)
	p.table.Store(t)
	return t
}
