package manifest

import (
	"math/bits"
	"strings"
)

// Plain scalars ([ns-plain], section 9.1.3).

// What a byte of the text can mean.
const (
	mayEnd       uint8 = 1 << iota // can end a plain scalar: white space, a colon, or a number sign
	mayEndInFlow                   // can end a plain scalar in a flow collection: also its punctuation
	indicator                      // cannot start a plain scalar ([c-indicator], section 5.3); a dash is separate
	mayBeWord                      // can start a boolean or null
	mayBeNumber                    // can start a number
)

const (
	space       = mayEnd | mayEndInFlow | indicator
	punctuation = mayEndInFlow | indicator
)

var classes = [256]uint8{
	' ': space, '\t': space, '\n': space, '\r': space, ':': space, '#': space,
	',': punctuation, '[': punctuation, ']': punctuation, '{': punctuation, '}': punctuation, '?': punctuation,
	'&': indicator, '*': indicator, '!': indicator, '|': indicator, '>': indicator, '\'': indicator, '"': indicator,
	'%': indicator, '@': indicator, '`': indicator,
	'y': mayBeWord, 'Y': mayBeWord, 'n': mayBeWord, 'N': mayBeWord, 't': mayBeWord, 'T': mayBeWord,
	'f': mayBeWord, 'F': mayBeWord, 'o': mayBeWord, 'O': mayBeWord, '~': mayBeWord,
	'0': mayBeNumber, '1': mayBeNumber, '2': mayBeNumber, '3': mayBeNumber, '4': mayBeNumber, '5': mayBeNumber,
	'6': mayBeNumber,
	'7': mayBeNumber, '8': mayBeNumber, '9': mayBeNumber, '+': mayBeNumber, '-': mayBeNumber, '.': mayBeNumber,
}

// startsPlain reports whether a plain scalar starts at i ([ns-plain-first-char]). Plain scalars that start with a
// colon or a question mark are left to the libraries.
func startsPlain(text string, i int) bool {
	if text[i] == '-' {
		return i+1 < len(text) && text[i+1] > ' '
	}
	return classes[text[i]]&indicator == 0
}

// plainRun finds the end of the part of a plain scalar on one line, from an offset in it. end is the offset after its
// last character. stop is the offset of the line end, comment, colon or tab that ends it.
func plainRun(text string, i int) (end, stop int) {
	for end = i; i < len(text); i++ {
		if i = untilMayEnd(text, i); i > end && text[i-1] != ' ' {
			end = i
		}
		if i >= len(text) {
			break
		}
		if c := text[i]; c != '#' || text[i-1] == ' ' {
			if c == ' ' {
				continue
			}
			if c != ':' || i+1 >= len(text) || text[i+1] <= ' ' {
				break
			}
		}
		end = i + 1
	}
	return end, i
}

// untilMayEnd returns the offset of the first byte from i at which a plain scalar may end, or the length of the text
// if there is none. It checks eight bytes at once. A byte below a dollar sign is white space or a number sign, except
// for two others, which are checked again.
func untilMayEnd(text string, i int) int {
	for i+8 <= len(text) {
		x := eightBytes(text[i:])
		stops := firstBelow(x, '$') | firstBelow(x^':'*allOnes, 1)
		if stops == 0 {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(stops) / 8; classes[text[i]]&mayEnd != 0 {
			return i
		}
		i++
	}
	for i < len(text) && classes[text[i]]&mayEnd == 0 {
		i++
	}
	return i
}

// firstBelow sets the high bit of the first of eight bytes that is less than limit. It may also set those of later
// bytes.
func firstBelow(x, limit uint64) uint64 { return (x - limit*allOnes) &^ x & allHigh }

// plain reads a plain scalar. parent is the column of the map or list that contains it; lines with more indentation
// continue the scalar.
func (r *yamlReader) plain(parent int) int32 {
	start := r.i
	end, stop := plainRun(r.text, start)
	n := r.plainNode(start, end)
	r.i = stop
	if r.nextToken(false); r.column > parent {
		r.plainLines(n, end, parent)
	}
	return n
}

// plainNode adds the node of a plain scalar on one line.
func (r *yamlReader) plainNode(start, end int) int32 {
	v := resolve(r.text[start:end]).throughJSON()
	switch v.typ {
	case 0:
		r.decline()
		return 0
	case String:
		v.data = uint64(start)<<32 | uint64(end-start)
	}
	return r.tree.addScalar(v, start, end)
}

// plainLines reads the following lines of a plain scalar ([s-ns-plain-more]), starting at the first token of the
// second line. A line break becomes a space, and an empty line becomes a line feed ([b-l-folded-any], section 6.5).
// The result contains white space, so it is a string.
func (r *yamlReader) plainLines(n int32, end, parent int) {
	t := r.tree
	from := len(t.side)
	t.side = append(t.side, r.text[t.nodes[n].start:end]...)
	for r.column > parent {
		gap := r.text[end:r.i]
		if strings.IndexByte(gap, '#') >= 0 { // a comment ends the scalar
			r.decline()
			return
		}
		t.side = appendFold(t.side, strings.Count(gap, "\n"))
		var stop int
		start := r.i
		if end, stop = plainRun(r.text, start); !atBreak(r.text, stop) && r.text[stop] != '#' {
			r.decline()
			return
		}
		t.side = append(t.side, r.text[start:end]...)
		r.i = stop
		r.nextToken(false)
	}
	d := &t.nodes[n]
	d.typ, d.flags, d.end = String, d.flags|inSide, uint32(end)
	d.data = uint64(from)<<32 | uint64(len(t.side)-from)
}

// appendFold appends the folded form of a number of line breaks.
func appendFold(b []byte, breaks int) []byte {
	if breaks == 1 {
		return append(b, ' ')
	}
	for ; breaks > 1; breaks-- {
		b = append(b, '\n')
	}
	return b
}
