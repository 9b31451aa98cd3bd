package manifest

import (
	"slices"
	"strconv"
	"strings"
)

// node reads a map, list or scalar (section 8.5.2). Its first token is the first on its line, or the first after
// dashes. parent is the column of the map or list that contains it.
func (r *yamlReader) node(parent int) int32 {
	if r.ends() {
		return 0
	}
	switch {
	case r.atDash():
		return r.blockList()
	case r.blockKey():
		return r.blockMap()
	case r.declined:
		return 0
	}
	return r.inline(parent)
}

// blockList reads a list whose items start with dashes in the same column (section 10.1.2).
func (r *yamlReader) blockList() int32 {
	list := r.tree.add(List, Plain, r.i, r.i)
	if !r.descend() {
		return list
	}
	column := r.column
	last := int32(0)
	for more := true; more; more = r.column == column && r.atDash() {
		c := r.listItem(column)
		if r.declined {
			return list
		}
		last = r.tree.linkAfter(list, last, c)
	}
	r.tree.nodes[list].end = r.tree.nodes[last].end
	r.depth--
	return list
}

// listItem reads one item, starting at its dash. The content is on the same line, where a map or list may also start
// (in-line, section 10.2.2), or indented on the following lines. An item without content is null.
func (r *yamlReader) listItem(column int) int32 {
	dash := r.i + 1
	r.i = skipSpaces(r.text, dash)
	if r.i < len(r.text) && r.text[r.i] > ' ' && r.text[r.i] != '#' {
		r.column = r.i - r.lineStart
		return r.node(column)
	}
	r.nextToken(false)
	if r.column > column {
		return r.node(column)
	}
	return r.empty(dash)
}

// atDash reports whether the current token is the dash of a list item.
func (r *yamlReader) atDash() bool {
	if r.i >= len(r.text) || r.text[r.i] != '-' {
		return false
	}
	return r.i+1 >= len(r.text) || r.text[r.i+1] <= ' '
}

// blockMap reads the fields of a map whose first key has just been read (section 10.2.2). It stops at a line in the
// same column that has no key. No caller reads such a line, so the reader declines the text.
func (r *yamlReader) blockMap() int32 {
	m := r.tree.add(Map, Plain, r.key.start, r.key.start)
	if !r.descend() {
		return m
	}
	column := r.column
	last := int32(0)
	keys := r.tree.keysOf(m)
	for more := true; more; more = r.column == column && r.blockKey() {
		key := r.key
		c := r.blockValue(column)
		if r.ends() {
			return m
		}
		last = r.field(m, last, c, &key, &keys)
	}
	r.tree.nodes[m].end = r.tree.nodes[last].end
	r.depth--
	return m
}

// blockValue reads the value of a field, starting after the colon. The value is on the same line, or on the following
// lines with more indentation; the dashes of a list need no indentation. column is the column of the key.
func (r *yamlReader) blockValue(column int) int32 {
	colon := r.i
	r.i = skipSpaces(r.text, colon)
	if r.i < len(r.text) && r.text[r.i] > ' ' && r.text[r.i] != '#' {
		return r.inline(column)
	}
	r.nextToken(false)
	if r.column > column {
		return r.node(column)
	}
	if r.column == column && r.atDash() {
		return r.blockList()
	}
	return r.empty(colon)
}

// inline reads a node that does not start a block map or list. parent is the column of the map or list that contains
// it.
func (r *yamlReader) inline(parent int) int32 {
	var n int32
	switch c := r.text[r.i]; {
	case c == '"' || c == '\'':
		n = r.quoted(c)
	case c == '{' || c == '[':
		n = r.flow()
	case c == '|' || c == '>':
		return r.blockScalar(parent)
	case startsPlain(r.text, r.i):
		return r.plain(parent)
	default: // a tag, an anchor, an alias, a complex key or a reserved indicator
		r.decline()
	}
	r.nextToken(false)
	return n
}

// empty adds the null for a value that is not written (section 8.5.1).
func (r *yamlReader) empty(i int) int32 {
	return r.tree.add(Null, Plain, i, i)
}

// yamlKey is a key and its span, including quotes. name is set if the key differs from the text in the source.
type yamlKey struct {
	start, end int
	hash       uint32
	style      Style
	name       string
}

// maxKey is the maximum number of bytes of a key and its colon. The libraries do not read keys of more than 1024
// characters (section 10.2.2).
const maxKey = 1000

// blockKey reads a key and its colon if both are next and on the same line. Otherwise it reads nothing and returns
// false.
func (r *yamlReader) blockKey() bool {
	if r.i >= len(r.text) {
		return false
	}
	if c := r.text[r.i]; c == '"' || c == '\'' {
		return r.quotedKey(c, false)
	}
	text, start := r.text, r.i
	if !startsPlain(text, start) {
		return false
	}
	i := untilMayEnd(text, start)
	end := i
	if i >= len(text) || text[i] != ':' || i+1 < len(text) && text[i+1] > ' ' { // the quick check found no colon
		if end, i = plainRun(text, start); i >= len(text) || text[i] != ':' {
			return false
		}
	}
	r.key = yamlKey{start: start, end: end, hash: Hash(text[start:end])}
	r.i = i + 1
	return r.plainKey(i - start)
}

// plainKey resolves the plain key that has been read. A boolean or an integer becomes the string that sigs.k8s.io/yaml
// makes of it.
func (r *yamlReader) plainKey(size int) bool {
	text := r.text[r.key.start:r.key.end]
	if size > maxKey || r.i < len(r.text) && r.text[r.i] == '\t' || text == "<<" {
		r.decline()
		return false
	}
	if classes[text[0]]&(mayBeWord|mayBeNumber) == 0 {
		return true
	}
	switch v := resolve(text); v.typ {
	case String:
	case Boolean:
		if name := strconv.FormatBool(v.data != 0); !r.wordKeys || strings.EqualFold(text, name) {
			r.rename(name)
		}
	case Integer:
		r.rename(strconv.FormatInt(int64(v.data), 10))
	default:
		r.decline()
		return false
	}
	return true
}

// rename sets the name of the current key.
func (r *yamlReader) rename(name string) {
	if name != r.text[r.key.start:r.key.end] {
		r.key.name = name
	}
}

// field adds a value as the next field of a map, and returns the value.
func (r *yamlReader) field(m, last, value int32, key *yamlKey, keys *keySet) int32 {
	d := &r.tree.nodes[value]
	d.key, d.keyEnd, d.keyStyle, d.hash = uint32(key.start), uint32(key.end), key.style, key.hash
	if key.name != "" {
		r.tree.setKey(value, key.name)
	}
	if len(r.shadowed) > 0 {
		if _, found := slices.BinarySearch(r.shadowed, d.key); found {
			r.forget(value)
		}
	}
	if first, again := keys.add(value); again {
		r.again(first, value)
	}
	return r.tree.linkAfter(m, last, value)
}

// again records a duplicate key. It leaves it to the libraries whether a number and a string, such as 1 and "1", are
// the same key.
func (r *yamlReader) again(first, value int32) {
	if key := (Node{r.tree, value}).Key(); key != "" && resolve(key).typ != String {
		r.decline()
	}
	r.duplicates = append(r.duplicates, [2]int32{first, value})
}

// forget turns a value that does not count into null, as the libraries do, and removes all nodes below it.
func (r *yamlReader) forget(value int32) {
	r.tree.nodes = r.tree.nodes[:value+1]
	for n := len(r.duplicates); n > 0 && r.duplicates[n-1][1] > value; n-- {
		r.duplicates = r.duplicates[:n-1]
	}
	d := &r.tree.nodes[value]
	if d.typ == Map || d.typ == List {
		d.style, d.end, d.first, d.count = Plain, d.start, 0, 0
	}
	d.typ, d.data = Null, 0
}
