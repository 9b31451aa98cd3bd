// Package pattern reports whether texts match regular expressions, as package regexp does, and faster for those that
// are asked for often.
//
// Schemas repeat a few expressions over thousands of values. One that has been matched some times is turned into a
// table: a deterministic automaton over the bytes of ASCII, which needs one step a byte. What no table can be made
// of, and texts beyond ASCII, package regexp decides.
package pattern

import (
	"regexp"
	"sync"
	"sync/atomic"
)

// Pattern is a regular expression (RE2 syntax, not anchored). It may be used from several goroutines.
type Pattern struct {
	expr    string
	compile func() (*regexp.Regexp, error)
	size    func() int64
	asked   atomic.Int32
	table   atomic.Pointer[table]
}

// New returns the pattern of an expression. Nothing is compiled before it is asked for.
func New(expr string) *Pattern {
	return &Pattern{
		expr: expr, size: newSize(expr),
		compile: sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(expr) }),
	}
}

// Err says what is wrong with the expression.
func (p *Pattern) Err() error {
	_, err := p.compile()
	return err
}

// tableAfter is how many texts are matched before a table is worth its making.
const tableAfter = 64

// MatchString reports whether the text holds a match; no text matches an expression that is wrong.
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

// Work returns how much work it is to match a text of so many bytes, as the function Work does.
func (p *Pattern) Work(length int) int64 { return work(p.size(), length) }

// forced returns the table, however often the pattern was asked.
func (p *Pattern) forced() *table {
	if t := p.table.Load(); t != nil {
		return t
	}
	t := newTable(p.expr)
	p.table.Store(t)
	return t
}
