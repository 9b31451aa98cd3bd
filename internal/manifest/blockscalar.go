package manifest

// Literal and folded scalars ([c-l+literal] and [c-l+folded], sections 8.1.2 and 8.1.3).

// chomping says what becomes of the line breaks at the end ([c-chomping-indicator], section 8.1.1.2).
type chomping uint8

const (
	clip  chomping = iota // one is kept
	strip                 // none
	keep                  // all
)

// blockScalar reads a literal or folded scalar. parent is the column of the map or list that holds it.
func (r *yamlReader) blockScalar(parent int) int32 {
	style := Literal
	if r.text[r.i] == '>' {
		style = Folded
	}
	n := r.tree.add(node{typ: String, style: style, flags: inSide, start: uint32(r.i)})
	ending, width := r.blockHeader()
	if width > 0 {
		width += max(parent, 0)
	}
	end := r.i
	if r.skipHeader(); r.declined {
		return n
	}
	from := len(r.tree.side)
	lines := blockLines{folded: style == Folded, width: width}
	end = r.blockLines(&lines, parent, end, ending)
	r.tree.nodes[n].end = uint32(end)
	r.tree.nodes[n].data = uint64(from)<<32 | uint64(len(r.tree.side)-from)
	r.lineStart = r.i
	r.nextToken(true)
	return n
}

// blockHeader reads the indicators of chomping and indentation, in either order ([c-b-block-header], section 8.1.1). The width is 0
// where the first line shall tell it.
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

// skipHeader moves behind the header's line, which may end with a comment.
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

// blockLines is what the lines of a block scalar read so far have come to.
type blockLines struct {
	folded bool
	width  int  // of the indentation; 0 until the first line tells it
	some   bool // a line has been read
	blank  bool // the last one starts with white space, and is not folded
	breaks int  // empty lines since
}

// blockLines reads the lines of a block scalar into the side buffer ([l-literal-content], [l-folded-content]) and returns the offset
// behind the last that is not blank.
func (r *yamlReader) blockLines(lines *blockLines, parent, end int, ending chomping) int {
	widest := 0 // of the blank lines in front
	for r.i < len(r.text) {
		next := lineEnd(r.text, r.i)
		stop := next
		if stop > r.i && r.text[stop-1] == '\r' {
			stop--
		}
		first := skipSpaces(r.text, r.i)
		column := first - r.i
		if lines.width == 0 && first < stop {
			if column <= max(parent, 0) {
				break
			}
			if lines.width = column; widest > column || r.text[first] == '\t' {
				r.decline()
				return end
			}
		}
		switch {
		case first >= stop && (lines.width == 0 || column <= lines.width):
			widest = max(widest, column)
			lines.breaks++
		case column >= lines.width:
			lines.append(r.tree, r.text[r.i+lines.width:stop])
			if first < stop {
				end = stop
			}
		case r.text[first] == '\t':
			r.decline()
			return end
		default:
			lines.chomp(r.tree, ending)
			return end
		}
		r.i = min(next+1, len(r.text))
	}
	lines.chomp(r.tree, ending)
	return end
}

// append adds a line and the break before it, which is folded into a space between two lines that start with text ([b-l-spaced]).
func (l *blockLines) append(t *Tree, line string) {
	blank := line[0] == ' ' || line[0] == '\t'
	switch {
	case !l.some:
	case !l.folded || l.blank || blank:
		t.side = append(t.side, '\n')
	case l.breaks == 0:
		t.side = append(t.side, ' ')
	}
	for ; l.breaks > 0; l.breaks-- {
		t.side = append(t.side, '\n')
	}
	t.side = append(t.side, line...)
	l.some, l.blank = true, blank
}

// chomp ends the scalar.
func (l *blockLines) chomp(t *Tree, ending chomping) {
	if l.some && ending != strip {
		t.side = append(t.side, '\n')
	}
	for ; ending == keep && l.breaks > 0; l.breaks-- {
		t.side = append(t.side, '\n')
	}
}
