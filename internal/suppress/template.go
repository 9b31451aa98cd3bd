package suppress

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Template is a template that has suppressions in comments of the template language, such as
//
//	{{/* kindvet:ignore[rule] reason */}}
//
// The comments are not written to the output. Each one applies to the nodes that the template writes after it, as a
// comment of YAML would at that place.
type Template struct {
	src      *source.Source
	comments []templateComment
}

// templateComment is a comment with its braces.
type templateComment struct {
	span         source.Span
	line         source.Span // of the comment, if it is next to something
	isWholeFile  bool
	suppressions []Suppression
}

// MentionedInTemplate reports whether a template may hold suppressions in comments of the template language.
func MentionedInTemplate(text string) bool {
	return strings.Contains(text, programWord) && strings.Contains(text, "/*")
}

// FindInTemplate returns the suppressions in the comments of a template, and what is wrong with them. It returns nil
// if there are none.
func FindInTemplate(src *source.Source) (*Template, []diag.Violation) {
	if !MentionedInTemplate(src.Text) {
		return nil, nil
	}
	t := &Template{src: src}
	f := finder{src: src, isTemplate: true}
	for at := 0; ; {
		span, inner, ok := nextComment(src.Text, at)
		if !ok {
			break
		}
		at = span.End
		text := strings.TrimSpace(src.Text[inner.Start+1 : inner.End])
		if !isAttempt(text) {
			continue
		}
		before := len(f.found)
		f.comment(comment{start: inner.Start, end: inner.End}, nil)
		c := templateComment{
			span: span, isWholeFile: strings.HasPrefix(text, wholeFile), suppressions: slices.Clip(f.found[before:]),
		}
		line := src.Line(span.Start)
		rest := src.Text[line.Start:span.Start] + src.Text[span.End:max(span.End, line.End)]
		if strings.TrimSpace(rest) != "" {
			c.line = line
		}
		t.comments = append(t.comments, c)
	}
	if len(t.comments) == 0 {
		return nil, f.faults
	}
	return t, f.faults
}

// nextComment returns the next comment from an offset on, with its braces, and the part from its asterisk to the last
// character of its text.
func nextComment(text string, from int) (span, inner source.Span, ok bool) {
	for {
		i := strings.Index(text[from:], "{{")
		if i < 0 {
			return span, inner, false
		}
		start := from + i
		from = start + len("{{")
		rest := strings.TrimPrefix(text[from:], "- ")
		open := len(text) - len(rest)
		if !strings.HasPrefix(rest, "/*") {
			continue
		}
		size := strings.Index(rest, "*/")
		if size < len("/*") {
			continue
		}
		end := strings.Index(rest[size:], "}}")
		if end < 0 {
			return span, inner, false
		}
		return source.Span{Start: start, End: open + size + end + len("}}")},
			source.Span{Start: open + 1, End: open + size}, true
	}
}

// Templates are those of a chart. The zero value is ready.
type Templates struct {
	list []*Template
	work int
	// isReported means that the finding about too much work exists.
	isReported bool
}

// maxWork is the maximum number of bytes of outputs that are read for the places of nodes, and of bytes and nodes that
// are read for the scopes of comments. Each node may read the whole output, and each comment the whole template. Raise
// it if a chart that people check reaches half of it.
const maxWork = 1 << 30

// Clear removes the templates, for those of another render of the chart.
func (t *Templates) Clear() { t.list = nil }

// Add adds a template.
func (t *Templates) Add(one *Template) { t.list = append(t.list, one) }

// In returns the suppressions of templates that apply to an output. If the output has no Rendering, their scopes are
// lines of the templates. The first time that suppressions are ignored, because there is too much work, a fault says
// so.
func (t *Templates) In(src *source.Source) (list []Suppression, faults []diag.Violation) {
	if len(t.list) == 0 {
		return nil, nil
	}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		if !tree.Root().Valid() {
			continue
		}
		if t.work += tree.Len() * len(src.Text); t.work > maxWork {
			return list, t.ignored(t.list[0])
		}
		var all []writtenNode
		all = appendWritten(all, src, tree.Root())
		for _, one := range t.list {
			if t.work += len(one.comments) * (len(one.src.Text) + len(all)); t.work > maxWork {
				return list, t.ignored(one)
			}
			for i := range one.comments {
				for _, span := range one.scopes(&one.comments[i], all) {
					if src.Rendering != "" {
						list = appendScoped(list, &one.comments[i], src.Rendering, span)
						continue
					}
					if t.work += len(all); t.work > maxWork {
						return list, t.ignored(one)
					}
					list = one.appendLines(list, &one.comments[i], all, span)
				}
				if len(list) > maxSuppressions {
					return list, t.ignored(one)
				}
			}
		}
	}
	return list, nil
}

// ignored returns the finding that the suppressions of a template are ignored, unless there is one already.
func (t *Templates) ignored(one *Template) []diag.Violation {
	if t.isReported {
		return nil
	}
	t.isReported = true
	return []diag.Violation{tooMany(one.src.Place(one.comments[0].span),
		"too many suppressions for so long a template: this one and others of the chart are ignored")}
}

func appendScoped(list []Suppression, c *templateComment, rendering string, span source.Span) []Suppression {
	for _, s := range c.suppressions {
		s.rendering, s.scope = rendering, span
		list = append(list, s)
	}
	return list
}

// appendLines adds a suppression for each line of the template that wrote a node in a part of the output.
func (t *Template) appendLines(list []Suppression, c *templateComment, nodes []writtenNode,
	in source.Span) []Suppression {
	last := source.Span{Start: -1}
	for _, n := range nodes {
		if n.file != t.src || n.span.Start < in.Start || n.span.Start >= in.End {
			continue
		}
		if line := t.src.Line(n.at); line != last {
			last = line
			list = appendScoped(list, c, "", source.Span{Start: line.Start, End: line.End + 1})
		}
	}
	return list
}

// writtenNode is a node of an output.
type writtenNode struct {
	file *source.Source
	at   int         // where it is written in the file
	span source.Span // in the output, from its key to its end
	line source.Span // of the output
}

func appendWritten(list []writtenNode, src *source.Source, n manifest.Node) []writtenNode {
	begin := start(n)
	origin := src.Written(source.Span{Start: begin, End: begin + 1})
	list = append(list, writtenNode{
		origin.Source, origin.Span.Start, source.Span{Start: begin, End: max(n.Span().End, n.KeySpan().End) + 1},
		src.Line(begin),
	})
	for child := range n.Children() {
		list = appendWritten(list, src, child)
	}
	return list
}

// scopes returns the parts of an output that a comment applies to. A loop may write several.
func (t *Template) scopes(c *templateComment, nodes []writtenNode) (list []source.Span) {
	next := -1
	for _, n := range nodes {
		if n.file == t.src && n.at >= c.span.End && (next < 0 || n.at < next) {
			next = n.at
		}
	}
	isNext := next >= 0 && !leavesBlock(t.src.Text[c.span.End:next])
	for _, n := range nodes {
		if n.file != t.src {
			continue
		}
		switch isOnLine := n.at >= c.line.Start && n.at <= c.line.End; {
		case c.isWholeFile, c.line.End > 0 && isOnLine:
			list = appendLine(list, n.line)
		case c.line.End == 0 && isNext && n.at == next && (len(list) == 0 || n.span.Start >= list[len(list)-1].End):
			list = append(list, n.span)
		}
	}
	return list
}

// appendLine adds a line to spans in the order of the output. It extends the last span if that ends with or before the
// line.
func appendLine(list []source.Span, line source.Span) []source.Span {
	if last := len(list) - 1; last >= 0 && line.Start >= list[last].Start && line.Start <= list[last].End+1 {
		list[last].End = max(list[last].End, line.End)
		return list
	}
	return append(list, line)
}

// leavesBlock reports whether a part of a template leaves the block that it starts in.
func leavesBlock(text string) bool {
	depth := 0
	for {
		_, rest, ok := strings.Cut(text, "{{")
		if !ok {
			return false
		}
		text = rest
		word, _, _ := strings.Cut(strings.TrimLeft(strings.TrimPrefix(rest, "-"), " \t\r\n"), " ")
		switch word, _, _ = strings.Cut(strings.TrimRight(word, "-"), "}"); word {
		case "if", "with", "range", "define", "block":
			depth++
		case "end", "else":
			if depth == 0 {
				return true
			}
			if word == "end" {
				depth--
			}
		}
	}
}
