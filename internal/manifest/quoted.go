package manifest

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quoted scalars (sections 9.1.1 and 9.1.2).

// quotedKey reads a key in quotes, without escapes, and its colon on the same line. If there is no such key, it reads
// nothing and returns false. In a flow collection, the colon need not be followed by white space.
func (r *yamlReader) quotedKey(quote byte, inFlow bool) bool {
	text, start := r.text, r.i
	i, escape := start+1, escapeIn(quote)
	for i < len(text) && text[i] != quote && text[i] != escape && text[i] != '\n' {
		i++
	}
	if i >= len(text) || text[i] != quote || i+1 < len(text) && text[i+1] == quote {
		return false
	}
	colon := skipSpaces(text, i+1)
	if colon >= len(text) || text[colon] != ':' {
		return false
	}
	next := colon + 1
	if !inFlow && next < len(text) && text[next] > ' ' || next < len(text) && text[next] == '\t' ||
		colon-start > maxKey || text[start+1:i] == "<<" {
		r.decline()
		return false
	}
	r.key = yamlKey{start: start, end: i + 1, hash: Hash(text[start+1 : i]), style: quotedStyle(quote)}
	r.i = next
	return true
}

// escapeIn returns the byte that starts an escape. In single quotes it is the quote itself, which is doubled.
func escapeIn(quote byte) byte {
	if quote == '"' {
		return '\\'
	}
	return quote
}

func quotedStyle(quote byte) Style {
	if quote == '"' {
		return DoubleQuoted
	}
	return SingleQuoted
}

// quoted reads a scalar in quotes. A scalar on one line without escapes is not copied.
func (r *yamlReader) quoted(quote byte) int32 {
	text, start := r.text, r.i
	i, escape := start+1, escapeIn(quote)
	for i < len(text) && text[i] != quote && text[i] != escape && text[i] != '\n' {
		i++
	}
	n := r.tree.add(String, quotedStyle(quote), start, start)
	d := &r.tree.nodes[n]
	if i < len(text) && text[i] == quote && (i+1 >= len(text) || text[i+1] != quote) {
		d.data = uint64(start+1)<<32 | uint64(i-start-1)
		r.i = i + 1
	} else {
		from := len(r.tree.side)
		r.unquote(quote, i)
		d.flags |= inSide
		d.data = uint64(from)<<32 | uint64(len(r.tree.side)-from)
	}
	d.end = uint32(r.i)
	return n
}

// unquote reads a scalar in quotes into the side buffer. The text up to i is known to need no conversion.
func (r *yamlReader) unquote(quote byte, i int) {
	text := r.text
	from := r.i + 1 // start of the text before i that needs no conversion
	for i < len(text) {
		switch c := text[i]; {
		case c == quote && i+1 < len(text) && text[i+1] == quote && quote == '\'':
			r.tree.side = append(r.tree.side, text[from:i+1]...)
			i += 2
			from = i
		case c == quote:
			r.tree.side = append(r.tree.side, text[from:i]...)
			r.i = i + 1
			return
		case c == '\n':
			r.tree.side = append(r.tree.side, strings.TrimRight(text[from:i], " \t\r")...)
			i = r.foldQuoted(i)
			from = i
		case c == '\\' && quote == '"':
			r.tree.side = append(r.tree.side, text[from:i]...)
			i = r.escape(i)
			from = i
		default:
			i++
		}
	}
	r.decline() // the quote is not closed
}

// foldQuoted reads a line break in quotes, the empty lines after it, and the indentation of the next line, which may
// be anything. It returns the offset at which the text continues ([b-l-folded-any], section 6.5).
func (r *yamlReader) foldQuoted(i int) int {
	breaks := 0
	for i < len(r.text) {
		switch c := r.text[i]; {
		case c == '\n':
			breaks++
			r.lineStart = i + 1
		case c != ' ' && c != '\t' && c != '\r':
			if i == r.lineStart && atMarker(r.text, i) {
				r.decline()
				return len(r.text)
			}
			r.tree.side = appendFold(r.tree.side, breaks)
			return i
		}
		i++
	}
	return i
}

// escape reads an escape (section 5.6) and returns the offset at which the text continues. Escaped line breaks, and
// escapes that YAML 1.1 does not define, are left to the libraries.
func (r *yamlReader) escape(i int) int {
	if i+1 < len(r.text) {
		if at := strings.IndexByte(escapes, r.text[i+1]); at >= 0 {
			r.tree.side = append(r.tree.side, escaped[at]...)
			return i + 2
		}
		switch r.text[i+1] {
		case 'x':
			return r.hexEscape(i, 2)
		case 'u':
			return r.hexEscape(i, 4)
		case 'U':
			return r.hexEscape(i, 8)
		}
	}
	r.decline()
	return len(r.text)
}

const escapes = `0abtnvfre "\N_LP`

var escaped = [len(escapes)]string{
	"\x00", "\a", "\b", "\t", "\n", "\v", "\f", "\r", "\x1b", " ", `"`, `\`, "\u0085", "\u00a0", "\u2028", "\u2029",
}

// hexEscape reads an escape with the given number of hexadecimal digits.
func (r *yamlReader) hexEscape(i, digits int) int {
	from, to := i+2, i+2+digits
	if to <= len(r.text) && isHex(r.text[from:to]) {
		if v, err := strconv.ParseUint(r.text[from:to], 16, 32); err == nil && utf8.ValidRune(rune(v)) {
			r.tree.side = utf8.AppendRune(r.tree.side, rune(v))
			return to
		}
	}
	r.decline()
	return len(r.text)
}

func isHex(text string) bool {
	for i := range len(text) {
		if c := text[i] | 0x20; (c < '0' || '9' < c) && (c < 'a' || 'f' < c) {
			return false
		}
	}
	return true
}
