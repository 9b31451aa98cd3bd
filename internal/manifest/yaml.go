package manifest

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// readYAML reads a part by the hand-written reader or, where that declines, by the libraries.
func (t *Tree) readYAML(p Part) []diag.Violation {
	if violations, ok := t.readByHand(p); ok {
		return violations
	}
	t.Reset(t.Source)
	return t.readByLibrary(p)
}

// readByHand reads a part in one pass, without tokens and without a copy of what need not be copied. It reports
// whether it could: it declines what it does not know and what looks wrong, and then the tree holds anything. Its
// only violations are keys that are set twice; such a document is read once more, without the values that do not
// count.
func (t *Tree) readByHand(p Part) ([]diag.Violation, bool) {
	text := t.Source.Text[:p.Span.End]
	start := p.Span.Start
	if strings.HasPrefix(text[start:], bom) {
		start += len(bom)
	}
	if !plainBytes(text[start:]) {
		return nil, false
	}
	t.reserve(len(text) - start)
	r := yamlReader{tree: t, text: text, i: start, lineStart: start}
	if r.document(); r.declined || len(r.duplicates) == 0 {
		return nil, !r.declined
	}
	shadowed := r.shadowedKeys()
	t.Reset(t.Source)
	r = yamlReader{tree: t, text: text, i: start, lineStart: start, shadowed: shadowed}
	r.document()
	return t.duplicateKeys(r.duplicates), !r.declined
}

// document reads the root. What a text without any token is, the libraries say.
func (r *yamlReader) document() {
	r.nextToken(true)
	if r.column < 0 {
		r.decline()
		return
	}
	if r.node(noParent); r.column >= 0 { // something is left over
		r.decline()
	}
}

// shadowedKeys returns where the keys are that are set again later, in order.
func (r *yamlReader) shadowedKeys() []uint32 {
	var offsets []uint32
	for _, pair := range r.duplicates {
		offsets = append(offsets, r.tree.nodes[pair[0]].key)
	}
	slices.Sort(offsets)
	return offsets
}

// yamlReader reads block style by recursive descent over lines. Between two nodes it is at the first token of a line,
// and column is where that token is; a map or list goes on as long as its lines start in its own column. The sections
// that its functions name are those of YAML 1.1 (https://yaml.org/spec/1.1/).
type yamlReader struct {
	tree      *Tree
	text      string // the source up to the end of the part
	i         int    // offset of the next byte
	lineStart int    // offset of the line that i is on
	column    int    // of the token at i, from 0; -1 at the end of the text
	depth     int    // of maps and lists
	key       yamlKey
	declined  bool

	duplicates [][2]int32 // the last field before of a key, and one that sets it again
	shadowed   []uint32   // offsets of keys that are known to be set again later
}

// noParent is the column of what holds the root.
const noParent = -1

// maxDescent is how deep the reader descends, far beyond any manifest; the libraries have maxDepth.
const maxDescent = 100

// decline gives the document up. The reader then is at the end of the text, so that every loop ends.
func (r *yamlReader) decline() {
	r.declined = true
	r.i, r.column = len(r.text), -1
}

// descend counts a map or list in, and reports whether it may be read.
func (r *yamlReader) descend() bool {
	if r.depth++; r.depth > maxDescent {
		r.decline()
		return false
	}
	return true
}

// nextToken moves to the first token of the next line that is not blank and no comment (section 6.2). What is left
// of the line at hand must be white space and a comment, unless fresh is set and the line has not been looked at.
func (r *yamlReader) nextToken(fresh bool) {
	if r.declined {
		return
	}
	text, i := r.text, r.i
	for {
		for i < len(text) && text[i] == ' ' {
			i++
		}
		if i >= len(text) {
			r.i, r.column = i, -1
			return
		}
		switch text[i] {
		case '\n':
			i++
			r.lineStart, fresh = i, true
		case '\r': // of a CRLF
			i++
		case '#':
			if i > r.lineStart && text[i-1] != ' ' {
				r.decline()
				return
			}
			i = lineEnd(text, i)
		default:
			r.i, r.column = i, i-r.lineStart
			if !fresh || text[i] == '\t' || r.column == 0 && atMarker(text, i) {
				r.decline()
			}
			return
		}
	}
}

// atMarker reports whether a line starts with the marker of a document's start or end ([l-forbidden-content],
// sections 7.2 and 9.1.3).
func atMarker(text string, i int) bool {
	return (text[i] == '-' || text[i] == '.') && (strings.HasPrefix(text[i:], "---") || strings.HasPrefix(text[i:], "..."))
}

// atBreak reports whether a line ends at i.
func atBreak(text string, i int) bool { return i >= len(text) || text[i] == '\n' || text[i] == '\r' }

// skipSpaces returns the offset of the first byte from i that is not a space.
func skipSpaces(text string, i int) int {
	for i < len(text) && text[i] == ' ' {
		i++
	}
	return i
}
