package manifest

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// RemoveEdits returns the edits that remove a field or an item, with the lines or the comma that belong to it. They are
// applied together. A map or list that loses its only child becomes {} or []. The dash of an item stays if its first
// field is removed.
//
// Comments about n are removed with it: on its lines, directly above it in its column, and indented below it. A comment
// above the first of several fields or items stays, as it may be about all of them, and so does one that holds a field or
// item. A suppression of n is always removed, because it would apply to the next field otherwise. Of the blank lines around
// n, those on one side stay.
//
// It returns nil if the document would not be the same without n: if n or a part of it has a tag or an anchor, comes
// from an alias, a merge key or a default, or if n is the root, its only field, or written in an unusual way.
func (n Node) RemoveEdits() []diag.Edit {
	if n = n.asWritten(); !n.Valid() {
		return nil
	}
	parent := n.Parent()
	if !parent.Valid() || n.i == 0 || !n.isSimple() || n.isSharedBelow() || !parent.holds(n) {
		return nil
	}
	if parent.Style() == Flow {
		return n.removeInFlow(parent)
	}
	return n.removeInBlock(parent)
}

// holds reports whether n is one of the fields or items that the text of a collection has, in the order of the text.
func (n Node) holds(child Node) bool {
	for c := range n.Children() {
		if c == child {
			return true
		}
	}
	return false
}

// isSharedBelow reports whether a node below n has a tag or an anchor, or is not written there.
func (n Node) isSharedBelow() bool {
	for c := range n.Children() {
		if !c.isSimple() || c.isSharedBelow() {
			return true
		}
	}
	return false
}

// start returns the offset of the key or dash of n, or of an item of a flow list. It returns -1 if more than white space is
// between a dash and its item.
func (n Node) start(parent Node) int {
	if parent.Type() == Map {
		return n.KeySpan().Start
	}
	if parent.Style() == Flow {
		return n.Span().Start
	}
	return dashBefore(n.tree.Source.Text, n.Span().Start)
}

// dashBefore returns the offset of the dash before an item, or -1.
func dashBefore(text string, item int) int {
	before := strings.TrimRight(text[:item], " \r\n")
	if !strings.HasSuffix(before, "-") {
		return -1
	}
	return len(before) - 1
}

// afterColon returns the offset after the colon of a field, or after the dash of an item of a block list. It returns -1
// if there is none.
func (n Node) afterColon() int {
	text := n.tree.Source.Text
	if n.KeySpan().End == 0 {
		return dashBefore(text, n.Span().Start) + 1
	}
	i := n.KeySpan().End
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	if i == len(text) || text[i] != ':' {
		return -1
	}
	return i + 1
}

// restOfLine returns the offset after the blanks and the comment that follow a value on its line, before its line break. It
// returns -1 if something else follows.
func restOfLine(text string, at int) int {
	if at > 0 && text[at-1] == '\n' { // a literal or folded scalar ends with its line
		return at - 1 - trailingCR(text[:at-1])
	}
	i := at
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	switch {
	case i == len(text):
		return i
	case text[i] == '#' && i > at:
		if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
			return i + end - trailingCR(text[:i+end])
		}
		return len(text)
	case text[i] == '\n' || strings.HasPrefix(text[i:], "\r\n"):
		return i
	}
	return -1
}

func trailingCR(text string) int {
	if strings.HasSuffix(text, "\r") {
		return 1
	}
	return 0
}

// lineUpTo returns the offset at which a line starts, and what is before an offset on it.
func lineUpTo(text string, at int) (start int, before string) {
	start = strings.LastIndexByte(text[:at], '\n') + 1
	return start, text[start:at]
}

func (n Node) removeInBlock(parent Node) []diag.Edit {
	text := n.tree.Source.Text
	start := n.start(parent)
	value := max(n.Span().End, n.KeySpan().End)
	if n.Type() == Null && n.Size() == 0 {
		value = max(n.afterColon(), value)
	}
	end := restOfLine(text, value)
	if start < 0 || end < 0 || value < start {
		return nil
	}
	line, before := lineUpTo(text, start)
	if strings.Trim(before, " \ufeff") != "" {
		return n.removeAfterDash(parent, source.Span{Start: start, End: end}, before, value)
	}
	lines := source.Span{Start: line + len(before) - len(strings.TrimLeft(before, "\ufeff")), End: end}
	suppressions, lines, ok := n.withComments(parent, lines, start-line)
	if !ok {
		return nil
	}
	removed := wholeLines(text, lines)
	if parent.Len() > 1 {
		return append(suppressions, n.edit(removed, ""))
	}
	colon := parent.afterColon()
	if parent.i == 0 || colon < 0 || colon > removed.Start {
		return nil
	}
	if colon == removed.Start {
		return append(suppressions, n.edit(removed, " "+parent.empty()))
	}
	return append(suppressions, n.edit(source.Span{Start: colon, End: colon}, " "+parent.empty()), n.edit(removed, ""))
}

// wholeLines returns a span with the line break after it. If the text ends without one, it is the line break before.
func wholeLines(text string, sp source.Span) source.Span {
	switch {
	case strings.HasPrefix(text[sp.End:], "\r\n"):
		sp.End += 2
	case strings.HasPrefix(text[sp.End:], "\n"):
		sp.End++
	case sp.Start > 0 && text[sp.Start-1] == '\n':
		sp.Start--
		sp.Start -= trailingCR(text[:sp.Start])
	}
	return sp
}

// removeAfterDash removes a field or item that follows the dash of an item on its line.
func (n Node) removeAfterDash(parent Node, sp source.Span, before string, value int) []diag.Edit {
	if strings.Trim(before, " -") != "" || !strings.HasSuffix(before, "- ") {
		return nil
	}
	next := n.Next()
	if !next.Valid() {
		if parent.Len() > 1 {
			return nil // fields that a key overrides, or a merge key
		}
		return []diag.Edit{n.edit(source.Span{Start: sp.Start, End: value}, parent.empty())}
	}
	text := n.tree.Source.Text
	to := next.start(parent)
	switch {
	case to < sp.End:
		return nil
	case strings.TrimLeft(text[sp.End:to], " \r\n") != "": // a comment between them, which would follow the dash
		dash := sp.Start - len(before) + len(strings.TrimRight(before, " "))
		return []diag.Edit{n.edit(source.Span{Start: dash, End: sp.End}, "")}
	}
	return []diag.Edit{n.edit(source.Span{Start: sp.Start, End: to}, "")}
}

// empty returns how an empty collection of the type of n is written.
func (n Node) empty() string {
	if n.Type() == List {
		return "[]"
	}
	return "{}"
}

func (n Node) removeInFlow(parent Node) []diag.Edit {
	text := n.tree.Source.Text
	sp := source.Span{Start: n.start(parent), End: n.Span().End}
	if n.KeySpan().End > 0 && n.Size() == 0 { // a key without a value, or one with a colon only
		return nil
	}
	next, prev := n.Next(), parent.childBefore(n)
	switch {
	case next.Valid():
		sp.End = next.start(parent)
	case prev.Valid():
		sp.Start = prev.Span().End
	default:
		sp = source.Span{Start: parent.Span().Start + 1, End: parent.Span().End - 1}
	}
	if sp.Start > n.start(parent) || sp.End < n.Span().End {
		return nil
	}
	if between := text[sp.Start:n.start(parent)] + text[n.Span().End:sp.End]; strings.Trim(between, ", \t\r\n") != "" {
		return n.removeFlowLine(parent, prev, next)
	}
	return []diag.Edit{n.edit(sp, "")}
}

// removeFlowLine removes a field or item of a flow collection with its line, which may end with a comment. If it is the
// last one, the comma before it goes, too.
func (n Node) removeFlowLine(parent, prev, next Node) []diag.Edit {
	text := n.tree.Source.Text
	line, before := lineUpTo(text, n.start(parent))
	value := n.Span().End
	if strings.HasPrefix(text[value:], ",") {
		value++
	}
	end := restOfLine(text, value)
	if end < 0 || strings.Trim(before, " \t") != "" || line <= parent.Span().Start || end >= parent.Span().End {
		return nil
	}
	edits := []diag.Edit{n.edit(wholeLines(text, source.Span{Start: line, End: end}), "")}
	if next.Valid() {
		return edits
	}
	comma := prev.Span().End
	if !prev.Valid() || !strings.HasPrefix(text[comma:], ",") {
		return nil
	}
	return append([]diag.Edit{n.edit(source.Span{Start: comma, End: comma + 1}, "")}, edits...)
}

// childBefore returns the child of n before another one. It is not valid if there is none.
func (n Node) childBefore(child Node) (prev Node) {
	for c := range n.Children() {
		if c == child {
			return prev
		}
		prev = c
	}
	return Node{}
}

// isSpace reports whether a character separates tokens on a line.
func isSpace(c byte) bool { return c == ' ' || c == '\t' }
