package manifest

import (
	"encoding/json"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// AddFieldEdits returns the edits that add a field to the map n, in the style of its siblings: on lines of its own with
// their indentation, or after a comma. value is JSON on one line; an object has a line for each field if its siblings have.
// The field follows a sibling; if that is not valid, it becomes the last one. A null that is not written, as in "key:",
// becomes a map with the field on the next line.
//
// It returns nil if n is not a map or null, has a field with that key, is shared or not written, or is written in an
// unusual way.
func (n Node) AddFieldEdits(after Node, key, value string) []diag.Edit {
	src := &source.Source{Text: value}
	tree := &Tree{}
	for part := range Parts(src) {
		tree.Read(src, part)
	}
	return n.AddPathEdits(after, []string{key}, tree.Root())
}

// AddPathEdits is like [Node.AddFieldEdits] for a value at a path of fields, of which none exists. The value is a node of
// another tree.
func (n Node) AddPathEdits(after Node, path []string, value Node) []diag.Edit {
	if n.Type() == Map {
		if f, isSet := n.Field(path[0]); isSet && !f.Defaulted() {
			return nil
		}
		if _, isNull := n.DroppedNull(path[0]); isNull {
			return nil
		}
	} else if n.Type() != Null {
		return nil
	}
	return n.insert(after, func(like style) string { return like.field(path, value) })
}

// AddItemEdits returns the edits that add an item to the list n, as [Node.AddFieldEdits] does for fields.
func (n Node) AddItemEdits(after Node, value string) []diag.Edit {
	if n.Type() != List && n.Type() != Null {
		return nil
	}
	return n.insert(after, func(like style) string {
		if like.isFlow {
			return like.value(value)
		}
		return "- " + like.value(value)
	})
}

// style says how the siblings of something new are written.
type style struct{ isFlow, isQuoted bool }

// text returns how a string is written.
func (s style) text(text string) string {
	if !s.isQuoted && (isPlainInFlow(text) || !s.isFlow && isPlainText(text)) {
		return text
	}
	return string(appendJSONString(nil, text))
}

// value returns how a value is written, which is given as JSON.
func (s style) value(value string) string {
	var text string
	if s.isQuoted || json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return s.text(text)
}

// field returns how a value at a path of fields is written, which may take several lines.
func (s style) field(path []string, value Node) string {
	var b strings.Builder
	if s.isFlow || s.isQuoted {
		for i, key := range path {
			if i > 0 {
				b.WriteString("{")
			}
			b.WriteString(s.text(key) + ": ")
		}
		return b.String() + s.flow(value) + strings.Repeat("}", len(path)-1)
	}
	indent := ""
	for i, key := range path {
		if i > 0 {
			indent += "  "
			b.WriteString("\n" + indent)
		}
		b.WriteString(s.text(key) + ":")
	}
	return b.String() + strings.ReplaceAll(s.block(value), "\n", "\n"+indent)
}

// block returns how a value of a field is written in block style, with what separates it from the colon. Lists are in flow
// style.
func (s style) block(n Node) string {
	var b strings.Builder
	switch {
	case n.Type() == Map && n.Len() > 0:
		for c := range n.Children() {
			b.WriteString("\n  " + s.text(c.Key()) + ":" + strings.ReplaceAll(s.block(c), "\n", "\n  "))
		}
		return b.String()
	case n.Type() == List:
		return " " + style{isFlow: true}.flow(n)
	}
	return " " + s.value(string(n.AppendJSON(nil)))
}

// flow returns how a value is written in flow style.
func (s style) flow(n Node) string {
	if n.Type() != Map && n.Type() != List {
		return s.value(string(n.AppendJSON(nil)))
	}
	var parts []string
	for c := range n.Children() {
		if n.Type() == Map {
			parts = append(parts, s.text(c.Key())+": "+s.flow(c))
		} else {
			parts = append(parts, s.flow(c))
		}
	}
	if n.Type() == Map {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (n Node) insert(after Node, written func(style) string) []diag.Edit {
	if n = n.asWritten(); !n.Valid() {
		return nil
	}
	if after.Valid() {
		after = after.asWritten()
	}
	if !n.isSimple() || n.i != 0 && !n.Parent().Valid() {
		return nil
	}
	text := n.tree.Source.Text
	switch raw := n.Raw(); {
	case n.Style() == Flow && n.Len() == 0:
		inside := source.Span{Start: n.Span().Start + 1, End: n.Span().End - 1}
		if strings.Trim(text[inside.Start:inside.End], " \t\r\n") != "" {
			return nil
		}
		like := style{isFlow: true, isQuoted: n.keyStyle() == DoubleQuoted || n.tree.Root().Style() == Flow}
		return []diag.Edit{n.edit(inside, written(like))}
	case n.Type() == Null && raw == "":
		return n.insertBelow(written(style{}))
	case n.Type() == Null:
		return nil
	}
	last := after
	if !last.Valid() {
		for c := range n.Children() {
			last = c
		}
	}
	if !last.Valid() || last.Parent() != n || !last.isSimple() || last.Span().End > n.Span().End {
		return nil
	}
	like := style{isFlow: n.Style() == Flow, isQuoted: last.keyStyle() == DoubleQuoted || last.Style() == DoubleQuoted}
	if n.Style() == Flow {
		return n.insertInFlow(last, written(like))
	}
	return n.insertInBlock(last, written(like))
}

// keyStyle returns how the key of n is written.
func (n Node) keyStyle() Style { return n.tree.nodes[n.i].keyStyle }

// insertBelow adds a first line below a key without a value.
func (n Node) insertBelow(written string) []diag.Edit {
	text := n.tree.Source.Text
	colon := n.afterColon()
	if n.KeySpan().End == 0 || colon < 0 || n.Parent().Style() == Flow {
		return nil
	}
	end := restOfLine(text, colon)
	if end < 0 {
		return nil
	}
	indent, ok := columnOf(text, n.KeySpan().Start)
	if !ok {
		return nil
	}
	return []diag.Edit{n.edit(source.Span{Start: end, End: end}, inLines(text, end, indent+"  ", written))}
}

// insertInBlock adds a line after a child of a block collection.
func (n Node) insertInBlock(after Node, written string) []diag.Edit {
	text := n.tree.Source.Text
	start, end := after.start(n), max(after.Span().End, after.KeySpan().End)
	if leaf := after.lastLeaf(); leaf.Style() == Literal || leaf.Style() == Folded {
		if keepsLines(leaf.Raw()) || leaf.Size() == 0 {
			return nil
		}
	}
	if after.Type() == Null && after.Size() == 0 {
		end = max(after.afterColon(), end)
	}
	if end = restOfLine(text, end); start < 0 || end < start {
		return nil
	}
	indent, ok := columnOf(text, start)
	if !ok {
		return nil
	}
	return []diag.Edit{n.edit(source.Span{Start: end, End: end}, inLines(text, end, indent, written))}
}

// inLines returns lines with an indentation, to be inserted after the line that ends at an offset.
func inLines(text string, at int, indent, lines string) string {
	start := lineBreak(text, at) + indent
	return start + strings.ReplaceAll(lines, "\n", start)
}

// lastLeaf returns the last node of the last child, and so on.
func (n Node) lastLeaf() Node {
	for n.Len() > 0 {
		for c := range n.Children() {
			if !c.Next().Valid() {
				n = c
			}
		}
	}
	return n
}

// keepsLines reports whether the header of a block scalar keeps all lines after it.
func keepsLines(raw string) bool {
	header, _, _ := strings.Cut(raw, "\n")
	header, _, _ = strings.Cut(header, " #")
	return strings.Contains(header, "+")
}

// columnOf returns the blanks that put a key or dash in the column of another one, which may follow dashes.
func columnOf(text string, at int) (string, bool) {
	_, before := lineUpTo(text, at)
	before = strings.TrimPrefix(before, "\ufeff")
	if strings.Trim(before, " -") != "" || before != "" && !strings.HasSuffix(before, " ") {
		return "", false
	}
	return strings.Repeat(" ", len(before)), true
}

// lineBreak returns the line break of the line that ends at an offset, or of the line before it.
func lineBreak(text string, at int) string {
	if at == len(text) {
		at = max(strings.LastIndexByte(text, '\n'), 0)
		at -= trailingCR(text[:at])
	}
	if strings.HasPrefix(text[at:], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// insertInFlow adds a field or item after a child of a flow collection, on a line of its own if the child has one.
func (n Node) insertInFlow(after Node, written string) []diag.Edit {
	text := n.tree.Source.Text
	start, end := after.start(n), after.Span().End
	if after.Size() == 0 || start < 0 {
		return nil
	}
	separator := ", "
	if _, before := lineUpTo(text, start); strings.Trim(before, " \t") == "" && strings.Contains(text[n.Span().Start:start], "\n") {
		separator = "," + lineBreak(text, start-len(before)-1-trailingCR(text[:max(start-len(before)-1, 0)])) + before
	}
	return []diag.Edit{n.edit(source.Span{Start: end, End: end}, separator+written)}
}
