package manifest

import "strings"

// A text in block style is divided by its indentation. A block is the lines of one map or list; an entry is the lines
// of a field or an item. An entry that cannot be read on its own is divided further, until the broken lines are found,
// however many there are. The positions of the readers' errors are ignored, because an unclosed quote is reported
// pages below.

// readDivided repairs all entries that cannot be read, and reads the text. If the readers still find an error, it
// repairs the line that they report. In the end it blanks everything from that line on.
func (r *repair) readDivided(t *Tree) bool {
	if len(r.lines) == 0 {
		return false
	}
	r.block(0, len(r.lines), 0)
	r.blankUnknownAliases()
	r.budget = wholeReadings * libraryCost * len(r.text)
	for {
		findings, ok := r.readWhole(t, libraryCost)
		if ok && !r.blankSecondKeys(findings) {
			return true
		}
		if r.budget < 0 || len(findings) == 0 {
			return false
		}
		if !ok {
			r.repairReported(findings[0].Place.Start().Line)
		}
	}
}

// repairReported repairs the line in which a reader of the whole text has found an error. In the last attempt, it
// blanks everything from that line on.
func (r *repair) repairReported(number int) {
	line := min(number, len(r.lines)) - 1
	if r.budget < 2*libraryCost*len(r.text) {
		r.blankLines(line, len(r.lines))
		return
	}
	r.removeColons(r.lines[line].start, r.lines[line].end)
	_ = r.blankValue(line) || r.blankContent(line) || r.blankLine(line)
}

// wholeReadings is the number of times that the whole text is read after it has been divided.
const wholeReadings = 4

// block repairs a map or list in a range of lines.
func (r *repair) block(from, to, depth int) {
	column, first := r.column(from, to)
	if column < 0 {
		return
	}
	isList := r.hasDash(first)
	for i := from; i < to; {
		next := i + 1
		if r.lines[i].indent == column {
			for next < to && !r.startsEntry(next, column, isList) {
				next++
			}
			r.entry(i, next, isList, depth)
		} else {
			r.blankLine(i)
		}
		i = next
	}
}

// column returns the column in which the entries of a block start, and the first line in that column. It is the column
// of the first line or of the line with the least indentation, whichever has more lines.
func (r *repair) column(from, to int) (column, first int) {
	column, least := -1, -1
	for i := from; i < to; i++ {
		if indent := r.lines[i].indent; indent >= 0 {
			if column < 0 {
				column, least = indent, indent
			}
			least = min(least, indent)
		}
	}
	if column < 0 {
		return -1, 0
	}
	if column != least && r.linesIn(least, from, to) > r.linesIn(column, from, to) {
		column = least
	}
	for first = from; r.lines[first].indent != column; {
		first++
	}
	return column, first
}

// linesIn counts the lines in a range that start in a column.
func (r *repair) linesIn(column, from, to int) (count int) {
	for i := from; i < to; i++ {
		if r.lines[i].indent == column {
			count++
		}
	}
	return count
}

// startsEntry reports whether a line starts an entry of a block, or something that does not belong to the block. The
// items of a list may be in the column of its key, and so may the closing bracket of a flow collection.
func (r *repair) startsEntry(line, column int, isList bool) bool {
	l := &r.lines[line]
	if l.indent < 0 || l.indent > column {
		return false
	}
	first := r.text[l.start+l.indent]
	return l.indent < column || first != '}' && first != ']' && (isList || !r.hasDash(line))
}

// hasDash reports whether a line starts with the dash of a list item.
func (r *repair) hasDash(line int) bool {
	l := &r.lines[line]
	text := r.text[l.start+l.indent : l.end]
	return len(text) > 0 && text[0] == '-' && (len(text) == 1 || text[1] == ' ')
}

// entry repairs a range of lines that contains one field or item.
func (r *repair) entry(from, to int, isList bool, depth int) {
	if r.reads(from, to, isList, handCost) {
		return
	}
	if depth < maxDescent && r.divide(from, to, isList, depth+1) {
		return
	}
	r.repairEntry(from, to, isList)
}

// divide repairs what is below the key of a field or after the dash of an item, if that is a block.
func (r *repair) divide(from, to int, isList bool, depth int) bool {
	switch {
	case r.budget <= 0 || isList != r.hasDash(from):
		return false
	case isList:
		return r.divideItem(from, to, depth)
	}
	return r.divideField(from, to, depth)
}

// divideItem repairs what follows a dash, as if the dash were a space.
func (r *repair) divideItem(from, to, depth int) bool {
	l := &r.lines[from]
	dash, column := l.start+l.indent, l.indent
	start, end := dash+1, l.end
	for start < end && r.text[start] == ' ' {
		start++
	}
	_, isField, _ := fieldValue(string(r.text[start:end]))
	below, _ := r.column(from+1, to)
	l.indent = start - l.start
	switch {
	case start == end:
		l.indent = -1
	case !isField && !r.hasDash(from) && (below < 0 || strings.IndexByte("{[|>", r.text[start]) >= 0):
		l.indent = column
		return false
	}
	r.text[dash] = ' '
	r.block(from, to, depth)
	r.text[dash], l.indent = '-', column
	return true
}

// divideField repairs what is below a key. If the colon after the key is missing, it adds one.
func (r *repair) divideField(from, to, depth int) bool {
	start, end := r.content(from)
	value, isField, _ := fieldValue(string(r.text[start:end]))
	if !isField && r.supplyColon(from) {
		value, isField = "", true
		if r.reads(from, to, false, handCost) {
			return true
		}
	}
	if below, _ := r.column(from+1, to); !isField || value != "" || below < 0 {
		return false
	}
	r.block(from+1, to, depth)
	return true
}

// repairEntry repairs an entry that cannot be divided, with the repair that keeps the most of it.
func (r *repair) repairEntry(from, to int, isList bool) {
	undo := r.save(from, to)
	undo() // remove a colon that did not help
	for _, attempt := range []func() bool{
		func() bool { return true },
		func() bool { r.blankLines(from+1, to); return from+1 < to },
		func() bool { r.blankLines(from+1, to); return r.blankValue(from) },
		func() bool { r.blankLines(from+1, to); return r.blankContent(from) },
	} {
		if attempt() && r.reads(from, to, isList, libraryCost) {
			return
		}
		undo()
	}
	r.blankLines(from, to)
}

// reads reports whether a range of lines can be read, as a list or as a map. Aliases are read as text, because their
// anchors may be on other lines.
func (r *repair) reads(from, to int, isList bool, cost int) bool {
	text := r.slice(r.lines[from].start, r.lines[to-1].end)
	if cost == libraryCost {
		text = strings.ReplaceAll(text, "*", "x")
	}
	_, ok := r.read(&r.scratch, text, cost)
	if !ok || len(r.scratch.nodes) == 0 {
		return false
	}
	wanted := Map
	if isList {
		wanted = List
	}
	return r.scratch.nodes[0].typ == wanted
}

// blankUnknownAliases blanks values that are aliases without an anchor. The readers do not report the lines of such
// aliases.
func (r *repair) blankUnknownAliases() {
	anchors := map[string]bool{}
	for i, c := range r.text {
		if c == '&' {
			anchors[anchorName(r.text[i+1:])] = true
		}
	}
	for i := range r.lines {
		from, to := r.content(i)
		content := string(r.text[from:to])
		value, _, _ := fieldValue(content)
		if !strings.HasPrefix(value, "*") {
			continue
		}
		if name := anchorName(r.text[to-len(value)+1 : to]); name == "" || !anchors[name] {
			r.blank(to-len(value), r.lines[i].end)
		}
	}
}

// anchorName returns the name of the anchor or alias at the start of text.
func anchorName(text []byte) string {
	end := 0
	for end < len(text) && isAnchorByte(text[end]) {
		end++
	}
	return string(text[:end])
}
