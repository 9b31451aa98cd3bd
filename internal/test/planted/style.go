package planted

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// form is how a document is written.
type form uint8

const (
	block form = iota
	flow
	jsonLine     // on one line
	indentedJSON // a line for each field and item
)

// style is how a document and what is around it are written.
type style struct {
	form form
	// step is the indentation. isCompact puts the dashes of a list below its key without one. flowFrom is the depth from
	// which a block document has flow collections; 0 means none.
	step      string
	isCompact bool
	flowFrom  int
	// pad is the white space inside of braces. quote is the one of strings that need none; 0 means none.
	pad        string
	quote      byte
	quotesKeys bool
	isLiteral  bool // strings of several lines are literal scalars

	lineBreak                           string
	hasMark, isCut                      bool // a byte order mark, no line break at the end
	hasCommentsAbove, hasCommentsBehind bool
	hasAnchors                          bool
	before, after                       []string // the lines of other documents
}

// drawStyle returns a style. Each part of it is rare enough to meet the common ones in others.
func drawStyle(r *rand.Rand) style {
	s := style{
		form: []form{block, block, block, block, flow, jsonLine, indentedJSON}[r.IntN(7)], step: []string{"  ", "    "}[r.IntN(2)],
		isCompact: r.IntN(2) == 0, pad: []string{"", "", " "}[r.IntN(3)], lineBreak: []string{"\n", "\n", "\r\n"}[r.IntN(3)],
		hasMark: r.IntN(8) == 0, isCut: r.IntN(5) == 0, hasCommentsAbove: r.IntN(3) == 0, hasCommentsBehind: r.IntN(3) == 0,
		hasAnchors: r.IntN(4) == 0, isLiteral: r.IntN(2) == 0,
	}
	if r.IntN(3) == 0 {
		s.flowFrom = 1 + r.IntN(4)
	}
	if r.IntN(3) == 0 {
		s.quote = []byte{'\'', '"'}[r.IntN(2)]
		s.quotesKeys = r.IntN(2) == 0
	}
	if s.form == jsonLine || s.form == indentedJSON {
		s.quote, s.quotesKeys, s.hasAnchors, s.hasCommentsAbove, s.hasCommentsBehind = '"', true, false, false, false
		s.step = []string{"  ", "    ", "\t"}[r.IntN(3)]
		return s
	}
	other := []string{"# a document", "apiVersion: v1", "kind: ConfigMap", "metadata: {name: other}", "data:", "    a:   'b'   # c", "", ""}
	switch r.IntN(6) {
	case 0:
		s.before = append(other, "---")
	case 1:
		s.after = append([]string{"---"}, other...)
	case 2:
		s.before, s.after = []string{"# ä comment", "---"}, []string{"--- # nothing", "# the end"}
	case 3:
		s.before, s.after = []string{"%YAML 1.1", "---"}, []string{"..."}
	}
	return s
}

// String lists what a style has.
func (s style) String() string {
	parts := []string{[]string{"block", "flow", "JSON", "indented JSON"}[s.form], fmt.Sprintf("step %q", s.step)}
	for _, p := range []struct {
		is   bool
		name string
	}{
		{s.isCompact, "compact"}, {s.flowFrom > 0, "flow inside"}, {s.quote != 0, "quotes"}, {s.isLiteral, "literals"},
		{s.lineBreak != "\n", "CRLF"}, {s.hasMark, "BOM"}, {s.isCut, "no last line break"}, {s.hasCommentsAbove, "comments above"},
		{s.hasCommentsBehind, "comments behind"}, {s.hasAnchors, "anchors"}, {len(s.before)+len(s.after) > 0, "documents"},
	} {
		if p.is {
			parts = append(parts, p.name)
		}
	}
	return strings.Join(parts, ", ")
}
