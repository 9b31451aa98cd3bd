package manifest

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// readYAML reads a part with the hand-written reader or, if that declines, with the libraries.
func (t *Tree) readYAML(p Part) []diag.Violation {
	if violations, ok := t.readByHand(p); ok {
		return violations
	}
	t.Reset(t.Source)
	if t.isCanceled {
		return nil
	}
	if p.isItem {
		return []diag.Violation{
			{
				Rule: diag.Syntax, Severity: diag.Error, Message: "the item cannot be read without its list",
				Place: t.Source.Place(p.Span),
			},
		}
	}
	return t.readByLibrary(p)
}

// readByHand reads a part in one pass, without tokens and with as few copies as possible. It returns false if it
// declines the part because of something that it does not know or that looks wrong; the content of the tree has no
// meaning then. The only violations that it returns are duplicate keys. It reads a document with duplicate keys once
// more, without the values that do not count.
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
	lineStart := start
	if p.isItem {
		lineStart = strings.LastIndexByte(text[:start], '\n') + 1
	}
	r := yamlReader{tree: t, text: text, i: start, lineStart: lineStart, wordKeys: p.WordKeys}
	if r.document(); r.declined || len(r.duplicates) == 0 {
		return nil, !r.declined
	}
	shadowed, fixes := r.shadowedKeys(), t.fixesOfKeys(r.duplicates)
	t.Reset(t.Source)
	t.part = p
	r = yamlReader{tree: t, text: text, i: start, lineStart: lineStart, wordKeys: p.WordKeys, shadowed: shadowed}
	r.document()
	return t.duplicateKeys(r.duplicates, fixes), !r.declined
}

// document reads the root. It leaves a text without tokens to the libraries.
func (r *yamlReader) document() {
	r.nextToken(true)
	if r.column < 0 {
		r.decline()
		return
	}
	if r.node(noParent); r.column >= 0 { // there is more text
		r.decline()
	}
}

// shadowedKeys returns the offsets of the keys that are set again later, in ascending order.
func (r *yamlReader) shadowedKeys() []uint32 {
	var offsets []uint32
	for _, pair := range r.duplicates {
		offsets = append(offsets, r.tree.nodes[pair[0]].key)
	}
	slices.Sort(offsets)
	return offsets
}

// yamlReader reads block style by recursive descent over lines. Between two nodes, i is at the first token of a line,
// and column is the column of that token. A map or list continues as long as its lines start in its own column.
// Section numbers in the comments are those of YAML 1.1 (https://yaml.org/spec/1.1/).
type yamlReader struct {
	tree      *Tree
	text      string // the source up to the end of the part
	i         int    // offset of the next byte
	lineStart int    // offset of the line that contains i
	column    int    // column of the token at i, from 0; -1 at the end of the text
	depth     int    // nesting depth of maps and lists
	key       yamlKey
	declined  bool
	wordKeys  bool // see Part

	duplicates [][2]int32 // the previous field with a key, and one that sets it again
	shadowed   []uint32   // offsets of keys that are known to be set again later
}

// noParent is the parent column of the root.
const noParent = -1

// maxDescent is the maximum nesting depth, far beyond that of any manifest. The limit of the libraries is maxDepth. In
// 29 public repositories, objects have at most 19 levels, and CRDs 48.
const maxDescent = 100

// decline gives up on the document. It moves the reader to the end of the text, so every loop ends.
func (r *yamlReader) decline() {
	r.declined = true
	r.i, r.column = len(r.text), -1
}

// ends reports whether the reader has declined the document. It declines one whose reading is canceled.
func (r *yamlReader) ends() bool {
	if !r.declined && r.tree.IsCanceled() {
		r.decline()
	}
	return r.declined
}

// descend enters a map or list, and reports whether it may be read.
func (r *yamlReader) descend() bool {
	if r.depth++; r.depth > maxDescent {
		r.decline()
		return false
	}
	return true
}

// nextToken moves to the first token of the next line that is neither blank nor a comment (section 6.2). The rest of
// the current line must be white space and a comment, unless fresh is set and the line has not been looked at.
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
		case '\r': // part of a CRLF
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

// atMarker reports whether a line starts with a document start or document end marker ([l-forbidden-content], sections
// 7.2 and 9.1.3).
func atMarker(text string, i int) bool {
	return (text[i] == '-' || text[i] == '.') &&
		(strings.HasPrefix(text[i:], "---") || strings.HasPrefix(text[i:], "..."))
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
