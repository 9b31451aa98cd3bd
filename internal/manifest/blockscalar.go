package manifest

import "strings"

// Literal and folded scalars (sections 9.3.1 and 9.3.2).

// chomping says what happens to line breaks at the end of the scalar ([c-chomping-indicator], section 9.2.3).
type chomping uint8

const (
	clip  chomping = iota // keep one
	strip                 // keep none
	keep                  // keep all
)

// blockScalar reads a literal or folded scalar. parent is the column of the map or list that contains it.
func (r *yamlReader) blockScalar(parent int) int32 {
	style := Literal
	if r.text[r.i] == '>' {
		style = Folded
	}
	n := r.tree.add(String, style, r.i, r.i)
	from := len(r.tree.side)
	ending, width := r.blockHeader()
	if width > 0 {
		width += max(parent, 0)
	}
	lines := blockLines{folded: style == Folded, parent: max(parent, 0), width: width, end: r.i}
	r.skipHeader()
	for !r.declined && r.i < len(r.text) && r.blockLine(&lines) {
	}
	lines.chomp(r.tree, ending)
	d := &r.tree.nodes[n]
	d.flags |= inSide
	d.end = uint32(lines.end)
	d.data = uint64(from)<<32 | uint64(len(r.tree.side)-from)
	r.lineStart = r.i
	r.nextToken(true)
	return n
}

// blockHeader reads the chomping and indentation indicators, in either order ([c-b-block-header], section 9.2). width
// is 0 if there is no indentation indicator; then the first line determines the width.
func (r *yamlReader) blockHeader() (ending chomping, width int) {
	for r.i++; r.i < len(r.text); r.i++ {
		switch c := r.text[r.i]; {
		case c == '-' && ending == clip:
			ending = strip
		case c == '+' && ending == clip:
			ending = keep
		case '1' <= c && c <= '9' && width == 0:
			width = int(c - '0')
		default:
			return ending, width
		}
	}
	return ending, width
}

// skipHeader moves past the line of the header, which may end with a comment.
func (r *yamlReader) skipHeader() {
	i := skipSpaces(r.text, r.i)
	if i > r.i && i < len(r.text) && r.text[i] == '#' {
		i = lineEnd(r.text, i)
	}
	if !atBreak(r.text, i) {
		r.decline()
		return
	}
	r.i = min(lineEnd(r.text, i)+1, len(r.text))
}

// blockLines is the state after the lines of a block scalar that have been read so far.
type blockLines struct {
	folded bool
	parent int  // column of the map or list that contains the scalar; 0 at the root
	width  int  // width of the indentation; 0 until the first line determines it
	widest int  // width of the widest blank line before that
	end    int  // offset after the last line that is not blank
	some   bool // a line has been read
	spaced bool // the last line starts with white space and is not folded
	breaks int  // number of empty lines since the last line
}

// blockLine reads a line into the side buffer. It returns false at a line with less indentation, which ends the
// scalar. Without an indicator, the first line that is not blank determines the indentation (section 9.2.2).
func (r *yamlReader) blockLine(l *blockLines) bool {
	next := lineEnd(r.text, r.i)
	line := strings.TrimSuffix(r.text[r.i:next], "\r")
	column := skipSpaces(line, 0)
	blank := column == len(line)
	if l.width == 0 && !blank && column > l.parent {
		l.width = column
		if l.widest > column || line[column] == '\t' {
			r.decline()
			return false
		}
	}
	switch {
	case blank && (l.width == 0 || column <= l.width):
		l.widest = max(l.widest, column)
		l.breaks++
	case l.width == 0 || column < l.width:
		if line[column] == '\t' {
			r.decline()
		}
		return false
	default:
		l.append(r.tree, line[l.width:])
		if !blank {
			l.end = r.i + len(line)
		}
	}
	r.i = min(next+1, len(r.text))
	return true
}

// append adds a line and the line break before it. Between two lines that start with text, the break is folded into a
// space ([b-l-folded-any], section 6.5).
func (l *blockLines) append(t *Tree, line string) {
	spaced := line[0] == ' ' || line[0] == '\t'
	switch {
	case !l.some:
	case !l.folded || l.spaced || spaced:
		t.side = append(t.side, '\n')
	case l.breaks == 0:
		t.side = append(t.side, ' ')
	}
	for ; l.breaks > 0; l.breaks-- {
		t.side = append(t.side, '\n')
	}
	t.side = append(t.side, line...)
	l.some, l.spaced = true, spaced
}

// chomp ends the scalar and adds the line breaks to keep.
func (l *blockLines) chomp(t *Tree, ending chomping) {
	if l.some && ending != strip {
		t.side = append(t.side, '\n')
	}
	for ; ending == keep && l.breaks > 0; l.breaks-- {
		t.side = append(t.side, '\n')
	}
}
