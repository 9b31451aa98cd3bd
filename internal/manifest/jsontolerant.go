package manifest

import "strings"

// A tolerant JSON reader continues after each fault, at the next comma, closing bracket or line break. What it cannot
// read becomes null.

// readBrokenJSON keeps what can be read of a text that is not well-formed JSON.
func (t *Tree) readBrokenJSON(p Part) {
	t.Reset(t.Source)
	r := jsonReader{tree: t, text: t.Source.Text[:p.Span.End], i: p.Span.Start, end: p.Span.End, tolerant: true}
	r.i = skipBlank(r.text, r.i)
	if r.value(0); r.fault != nil {
		t.Reset(t.Source) // it is not even an object
	}
}

// entry reads the value of a field or an item. If it is missing, a tolerant reader adds a null.
func (r *jsonReader) entry(depth int) int32 {
	made := r.tree.Len()
	n := r.value(depth)
	if r.tolerant && r.fault != nil && r.tree.Len() == made {
		n = r.tree.add(Null, Plain, r.i, r.i)
	}
	return n
}

// resume moves a tolerant reader from a fault to the offset at which it continues, and reports whether there is one.
func (r *jsonReader) resume() bool {
	if !r.tolerant {
		return false
	}
	r.fault = nil
	if n := strings.IndexAny(r.text[r.i:r.end], ",}]\n"); n >= 0 {
		r.i += n
	} else {
		r.i = r.end
	}
	return true
}

// lacksComma handles the case that neither a comma nor the closing bracket follows. It reports whether the reader
// continues with another entry. A tolerant reader does, except at the closing bracket of an enclosing map or list.
func (r *jsonReader) lacksComma() bool {
	if !r.tolerant {
		return false
	}
	r.fault = nil
	return r.text[r.i] != '}' && r.text[r.i] != ']'
}

// endAtFault ends a map or list whose closing bracket is missing, if the reader is tolerant.
func (r *jsonReader) endAtFault(n int32) {
	if r.tolerant {
		r.fault = nil
		r.tree.nodes[n].end = uint32(r.i)
	}
}

// lacksValue reports whether a colon is followed by the key of another field on another line.
func (r *jsonReader) lacksValue() bool {
	next := r.i
	defer func() { r.i = next }()
	if r.skipSpace(); strings.IndexByte(r.text[next:r.i], '\n') < 0 || r.i >= r.end || r.text[r.i] != '"' {
		return false
	}
	if _, ok := r.plainText(); !ok {
		return false
	}
	r.skipSpace()
	return r.i < r.end && r.text[r.i] == ':'
}
