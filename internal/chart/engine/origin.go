package engine

import (
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

func reflectValue(v any) reflect.Value { return reflect.ValueOf(&v).Elem() }

// written is where a byte was written: in a file, by a literal text (then span is that byte) or by an action.
type written struct {
	file      *File
	span      source.Span
	isLiteral bool
	isGuess   bool           // something else may have written the same lines
	calls     []source.Place // the actions that included the file, from the outermost
	actions   []string       // the texts of all actions that led to the byte
}

// locate returns where the byte at an offset was written. It returns false if that is a text that is a value.
func (o *output) locate(at int) (written, bool) {
	i := sort.Search(len(o.marks), func(i int) bool { return o.marks[i].at > at }) - 1
	if i < 0 {
		return written{}, false
	}
	m, end := o.marks[i], len(o.text)
	if i+1 < len(o.marks) {
		end = o.marks[i+1].at
	} else {
		m.last = len(o.inner)
	}
	n := &o.engine.nodes[m.node]
	if n.kind == literal {
		offset := n.span.Start + min(at-m.at, n.span.End-n.span.Start)
		return written{file: n.file, span: source.Span{Start: offset, End: offset + 1}, isLiteral: true}, n.file != nil
	}
	if inner, offset, isGuess, ok := o.innerAt(n, m, o.text[m.at:end], at-m.at); ok {
		if w, ok := inner.locate(offset); ok {
			w.isGuess = w.isGuess || isGuess
			if n.file != nil {
				w.calls = append([]source.Place{n.file.Source.Place(n.span)}, w.calls...)
				w.actions = append(w.actions, n.text())
			}
			return w, true
		}
	}
	return written{file: n.file, span: n.span, actions: []string{n.text()}}, n.file != nil
}

// text returns the text of an action, or "" if it is in a value.
func (n *node) text() string {
	if n.file == nil {
		return ""
	}
	return n.file.Source.Text[n.span.Start:n.span.End]
}

// mostCompared is how many outputs are compared with what a variable holds. A loop may have thousands before an
// action, and the last ones are the most likely. Raise it if an output of a public chart has no place because of it.
const mostCompared = 200

// innerAt returns the output of an include or tpl that has the line of an offset in what an action wrote, and the
// offset there. It is a guess unless the action wrote all lines of the output, and no others.
func (o *output) innerAt(n *node, m mark, text string, at int) (inner *output, offset int, isGuess, ok bool) {
	own := o.inner[m.first:m.last]
	lines, line, column := linesAround(text, at)
	if line < 0 {
		return nil, 0, false, false
	}
	if inner, offset, ok = equalOutput(own, lines, line); !ok {
		isGuess = true
		inner, offset, ok = inOrder(own, lines, line)
	}
	if !ok && n.hasVariable {
		earlier := o.root().earlier
		if o.owner != nil {
			earlier = earlier[:min(o.ended, len(earlier))]
		}
		earlier = earlier[max(0, len(earlier)-mostCompared):]
		inner, offset, ok = equalOutput(earlier, lines, line)
	}
	return inner, offset + column, isGuess, ok
}

// textLine is a line that is not blank, without the blanks around it, and its offset.
type textLine struct {
	text string
	at   int
}

func linesOf(text string) (lines []textLine) {
	at := 0
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			lines = append(lines, textLine{trimmed, at + strings.Index(line, trimmed)})
		}
		at += len(line)
	}
	return lines
}

// linesAround returns the lines of a text, the number of the line at an offset, and the offset in it. The number is
// negative if the line is blank.
func linesAround(text string, at int) (lines []textLine, line, column int) {
	lines, line = linesOf(text), -1
	for i, l := range lines {
		if start := strings.LastIndexByte(text[:l.at], '\n') + 1; start <= at {
			line, column = i, min(max(at-l.at, 0), len(l.text)-1)
		}
	}
	if line >= 0 && strings.Contains(text[lines[line].at:max(lines[line].at, min(at, len(text)))], "\n") {
		line = -1
	}
	return lines, line, column
}

// equalOutput returns the last output that has exactly the given lines, and the offset of one of them.
func equalOutput(outputs []*output, lines []textLine, line int) (*output, int, bool) {
	for _, o := range slices.Backward(outputs) {
		own := linesOf(o.text)
		if slices.EqualFunc(own, lines, func(a, b textLine) bool { return a.text == b.text }) {
			return o, own[line].at, true
		}
	}
	return nil, 0, false
}

// inOrder compares lines with those of outputs, one after the other, and returns where one of them is.
func inOrder(outputs []*output, lines []textLine, line int) (*output, int, bool) {
	type ownLine struct {
		textLine
		output *output
	}
	var own []ownLine
	for _, o := range outputs {
		for _, l := range linesOf(o.text) {
			own = append(own, ownLine{l, o})
		}
	}
	next := 0
	for i, l := range lines[:line+1] {
		found := slices.IndexFunc(own[next:], func(x ownLine) bool { return x.text == l.text })
		if found < 0 {
			continue
		}
		next += found + 1
		if i == line {
			return own[next-1].output, own[next-1].at, true
		}
	}
	return nil, 0, false
}

// cut is a piece that was removed from an output: its offset in the rest, and its size.
type cut struct{ at, size int }

// withoutMissing removes what text/template writes for missing values, as Helm does.
func (o *output) withoutMissing() (text string, cuts []cut) {
	var kept strings.Builder
	rest := o.text
	for {
		i := strings.Index(rest, noValue)
		if i < 0 {
			kept.WriteString(rest)
			return kept.String(), cuts
		}
		kept.WriteString(rest[:i])
		cuts = append(cuts, cut{kept.Len(), len(noValue)})
		rest = rest[i+len(noValue):]
	}
}

// before returns an offset as it was before the cuts.
func before(cuts []cut, at int) int {
	moved := at
	for _, c := range cuts {
		if c.at > at {
			break
		}
		moved += c.size
	}
	return moved
}

// spanOf returns the smallest span of a template that wrote the given part of the output. It returns false if no
// template did.
func (o *output) spanOf(sp source.Span) (written, bool) {
	at := min(sp.Start, max(len(o.text)-1, 0))
	first, ok := o.locate(at)
	if !ok || sp.End <= sp.Start+1 {
		if first.isLiteral && sp.End <= sp.Start {
			first.span.End = first.span.Start
		}
		return first, ok
	}
	last, ok := o.locate(min(sp.End, len(o.text)) - 1)
	first.isGuess = first.isGuess || last.isGuess
	if ok && last.file == first.file && last.span.End > first.span.Start && last.span.Start >= first.span.Start {
		first.span.End = last.span.End
	} else if first.isLiteral {
		line := first.file.Source.Line(first.span.Start)
		first.span.End = max(first.span.End, min(line.End, first.span.Start+sp.End-sp.Start))
	}
	return first, true
}
