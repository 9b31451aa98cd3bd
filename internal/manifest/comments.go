package manifest

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// IgnoreWord starts a comment that suppresses findings. Without more letters, it is about the next field, item or document.
const IgnoreWord = "kindvet:ignore"

// isSuppression reports whether a comment is about the next field or item.
func isSuppression(comment string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(comment, "# \t"), IgnoreWord)
	return ok && !strings.HasPrefix(rest, "-")
}

// fieldInComment matches a comment that holds a field or an item.
var fieldInComment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^#+ *(- |"?[a-z][A-Za-z0-9_./-]*"?:( |$))`)
})

// withComments extends the lines of n, without their last line break, by the comments and blank lines that go with it.
// column is that of its key or dash. The edits remove suppressions further above. It returns false if the text before n
// would not be the same.
func (n Node) withComments(parent Node, lines source.Span, column int) ([]diag.Edit, source.Span, bool) {
	text := n.tree.Source.Text
	prev, isOnly, from := parent.childBefore(n), parent.Len() == 1, 0
	if prev.Valid() {
		if from = max(prev.Span().End, prev.KeySpan().End); from > lines.Start {
			return nil, lines, true
		}
	}
	above := n.commentsAbove(parent, prev, linesAbove(text, from, lines.Start), column)
	var edits []diag.Edit
	for _, l := range above {
		if l = wholeLines(text, l); l.End == lines.Start {
			lines.Start = l.Start
		} else {
			edits = append(edits, n.edit(l, ""))
		}
	}
	if n.Len() > 0 && n.Style() != Flow {
		below := lineBelow(text, lines.End)
		for isCommentLine(text, below) && indentation(text, below) > column {
			lines.End = below.End
			below = lineBelow(text, lines.End)
		}
	}
	if isOnly {
		return edits, lines, true
	}
	var last Node
	if prev.Valid() {
		last = prev.lastLeaf()
	}
	isBlock := last.Valid() && (last.Style() == Literal || last.Style() == Folded)
	blank := linesAbove(text, from, lines.Start)
	isBelow := isBlankLine(text, lineBelow(text, lines.End))
	switch {
	case n.Next().Valid() && isBelow && (len(blank) > 0 && isBlankLine(text, blank[0]) || !prev.Valid() && len(blank) == 0):
		for below := lineBelow(text, lines.End); isBlankLine(text, below); below = lineBelow(text, lines.End) {
			lines.End = below.End
		}
		isBelow = false
	case !n.Next().Valid() && !isBlock && !isCommentLine(text, lineBelow(text, lines.End)):
		for _, l := range blank {
			if !isBlankLine(text, l) {
				break
			}
			lines.Start = l.Start
		}
	}
	return edits, lines, !isBelow || !isBlock || !keepsLines(last.Raw())
}

// commentsAbove returns the lines of comments that go with n, from the last to the first.
func (n Node) commentsAbove(parent, prev Node, above []source.Span, column int) (list []source.Span) {
	if parent.i == 0 && !prev.Valid() {
		return nil // they are about the document
	}
	text := n.tree.Source.Text
	isAbout := prev.Valid() || parent.Len() == 1
	for _, l := range above {
		comment := strings.TrimSpace(text[l.Start:l.End])
		isAbout = isAbout && isCommentLine(text, l) && indentation(text, l) == column && !fieldInComment().MatchString(comment)
		if isAbout || isSuppression(comment) {
			list = append(list, l)
		}
	}
	return list
}

// linesAbove returns the comments and blank lines above an offset and not before another one, without line breaks, from
// the last to the first.
func linesAbove(text string, from, at int) (list []source.Span) {
	for at > from {
		end := at - 1 - trailingCR(text[:at-1])
		start, _ := lineUpTo(text, end)
		l := source.Span{Start: start, End: end}
		if start < from || !isCommentLine(text, l) && !isBlankLine(text, l) {
			break
		}
		list = append(list, l)
		at = start
	}
	return list
}

// lineBelow returns the line after the one that ends at an offset, without its line break. It is not valid if there is none.
func lineBelow(text string, end int) source.Span {
	start := wholeLines(text, source.Span{Start: end, End: end}).End
	if start <= end || start == len(text) {
		return source.Span{Start: -1}
	}
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		return source.Span{Start: start, End: start + i - trailingCR(text[start:start+i])}
	}
	return source.Span{Start: start, End: len(text)}
}

func isBlankLine(text string, l source.Span) bool {
	return l.Start >= 0 && strings.Trim(text[l.Start:l.End], " \t") == ""
}

func isCommentLine(text string, l source.Span) bool {
	return l.Start >= 0 && strings.HasPrefix(strings.TrimLeft(text[l.Start:l.End], " \t"), "#")
}

// indentation returns the number of spaces before the text of a line.
func indentation(text string, l source.Span) int {
	return l.End - l.Start - len(strings.TrimLeft(text[l.Start:l.End], " "))
}
