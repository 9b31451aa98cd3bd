package manifest

import (
	"slices"
	"sort"
	"strings"
)

// repair is a text in which lines and values are blanked and colons are added, so that the rest can be read. Blanked
// text becomes spaces, byte for byte, so offsets stay the same. The offsets of the tree are corrected for added colons
// at the end.
type repair struct {
	original string
	text     []byte
	lines    []repairLine
	colons   []int // offsets in the text, in ascending order; a colon is added before each
	scratch  Tree  // for reading blocks
	budget   int   // bytes that may still be read
}

// repairLine is a line of a text, without its line break.
type repairLine struct {
	start, end int
	// indent is the column of the first token, from 0. It is -1 for a blank line, for a comment, and after a tab.
	indent int
}

// Costs of reading a byte. The budget allows for reading some blocks again at each depth. The libraries read the text
// four times.
const (
	handCost    = 1
	libraryCost = 16
	budgetBytes = 64
)

func newRepair(text string) *repair {
	r := &repair{original: text, text: []byte(text), budget: budgetBytes*len(text) + 1<<12}
	start := 0
	if strings.HasPrefix(text, bom) {
		start = len(bom)
	}
	for start < len(text) {
		next := lineEnd(text, start)
		end := next
		if end > start && text[end-1] == '\r' {
			end--
		}
		r.lines = append(r.lines, repairLine{start: start, end: end, indent: r.indent(start, end)})
		start = next + 1
	}
	return r
}

// indent returns the column of the first token of a line, or -1 if there is none. It blanks lines of white space,
// because some readers reject the tabs with which editors indent empty lines.
func (r *repair) indent(start, end int) int {
	line := r.original[start:end]
	i := skipSpaces(line, 0)
	if strings.TrimSpace(line) == "" {
		r.blank(start, end)
		return -1
	}
	if line[i] == '#' || line[i] == '\t' {
		return -1
	}
	return i
}

// blank replaces the text between two offsets with spaces, except for line breaks.
func (r *repair) blank(from, to int) {
	for i := from; i < to; i++ {
		if c := r.text[i]; c != '\n' && c != '\r' {
			r.text[i] = ' '
		}
	}
}

// save returns a function that undoes all changes to a range of lines.
func (r *repair) save(from, to int) (undo func()) {
	start, end := r.lines[from].start, r.lines[to-1].end
	saved := string(r.text[start:end])
	return func() {
		copy(r.text[start:end], saved)
		r.removeColons(start, end)
	}
}

// colonsIn returns the range of r.colons that lies between two offsets.
func (r *repair) colonsIn(from, to int) (first, end int) {
	first, _ = slices.BinarySearch(r.colons, from)
	end, _ = slices.BinarySearch(r.colons, to+1)
	return first, end
}

func (r *repair) removeColons(from, to int) {
	first, end := r.colonsIn(from, to)
	r.colons = slices.Delete(r.colons, first, end)
}

// slice returns the repaired text between two offsets.
func (r *repair) slice(from, to int) string {
	var b strings.Builder
	first, end := r.colonsIn(from, to)
	for _, colon := range r.colons[first:end] {
		b.Write(r.text[from:colon])
		b.WriteByte(':')
		from = colon
	}
	b.Write(r.text[from:to])
	return b.String()
}

// restoreOffsets converts the offsets of a tree that was read from the repaired text to offsets of the source. base is
// the offset at which the text starts in the source.
func (r *repair) restoreOffsets(t *Tree, base int) {
	move := func(offset uint32) uint32 {
		supplied := sort.Search(len(r.colons), func(i int) bool { return r.colons[i]+i >= int(offset) })
		return offset - uint32(supplied) + uint32(base)
	}
	for i := range t.nodes {
		d := &t.nodes[i]
		d.start, d.end = move(d.start), move(d.end)
		if d.keyEnd > 0 {
			d.key, d.keyEnd = move(d.key), move(d.keyEnd)
		}
		if d.typ == String && d.flags&inSide == 0 {
			d.data = uint64(move(uint32(d.data>>32)))<<32 | uint64(uint32(d.data))
		}
	}
}

// lineAt returns the index of the line that contains an offset, or -1 if there is none.
func (r *repair) lineAt(offset int) int {
	for i, l := range r.lines {
		if l.start <= offset && offset <= l.end {
			return i
		}
	}
	return -1
}

// The following repairs of a line report whether there was something to repair.

// supplyColon adds a colon to a line that contains one word.
func (r *repair) supplyColon(line int) bool {
	from, to := r.content(line)
	word := string(r.text[from:to])
	if word == "" || strings.ContainsAny(word, " \t:{}[],&*!|>%@`#") {
		return false
	}
	r.colons = append(r.colons, to)
	return true
}

// blankValue blanks what follows the key of a line and its colon.
func (r *repair) blankValue(line int) bool {
	from, to := r.content(line)
	content := string(r.text[from:to])
	value, isField, _ := fieldValue(content)
	if !isField {
		colon := strings.Index(content, ": ")
		if colon < 0 {
			return false
		}
		value = content[colon+1:]
	}
	if value == "" {
		return false
	}
	r.blank(to-len(value), r.lines[line].end)
	return true
}

// blankContent blanks what follows the dashes of a line.
func (r *repair) blankContent(line int) bool {
	from, _ := r.content(line)
	if from == r.lines[line].start+r.lines[line].indent {
		return false
	}
	r.blank(from, r.lines[line].end)
	return true
}

// blankLine blanks a line.
func (r *repair) blankLine(line int) bool {
	r.blankLines(line, line+1)
	return true
}

// blankLines blanks a range of lines.
func (r *repair) blankLines(from, to int) {
	if from < to {
		start, end := r.lines[from].start, r.lines[to-1].end
		r.blank(start, end)
		r.removeColons(start, end)
	}
}

// content returns the range of a line after its dashes and before a comment.
func (r *repair) content(line int) (from, to int) {
	l := &r.lines[line]
	from, to = l.start+max(l.indent, 0), l.end
	for from < to && r.text[from] == '-' && (from+1 == to || r.text[from+1] == ' ') {
		for from++; from < to && r.text[from] == ' '; from++ {
		}
	}
	if i := strings.Index(string(r.text[from:to]), " #"); i >= 0 {
		to = from + i
	}
	for to > from && (r.text[to-1] == ' ' || r.text[to-1] == '\t') {
		to--
	}
	return from, to
}
