package manifest

// Flow collections (sections 10.1.1 and 10.2.1), in which line breaks and indentation have no meaning. The
// hand-written reader reads JSON, plain and single-quoted scalars, comments, and a comma before the closing bracket.
// Everything else, such as pairs in lists and keys without values, is left to the libraries.

// flow reads a flow map or list, starting at its bracket.
func (r *yamlReader) flow() int32 {
	if r.text[r.i] == '{' {
		return r.flowMap()
	}
	return r.flowList()
}

// flowList reads a list in brackets (section 10.1.1).
func (r *yamlReader) flowList() int32 {
	list := r.tree.add(List, Flow, r.i, r.i)
	if !r.descend() {
		return list
	}
	last := int32(0)
	r.i++
	for r.flowToken() != ']' {
		c := r.flowValue()
		if r.declined {
			return list
		}
		last = r.tree.linkAfter(list, last, c)
		if !r.flowComma(']') {
			return list
		}
	}
	r.closeFlow(list)
	return list
}

// flowMap reads a map in braces (section 10.2.1).
func (r *yamlReader) flowMap() int32 {
	m := r.tree.add(Map, Flow, r.i, r.i)
	if !r.descend() {
		return m
	}
	last := int32(0)
	keys := r.tree.keysOf(m)
	r.i++
	for r.flowToken() != '}' {
		if !r.flowKey() {
			r.decline()
			return m
		}
		key := r.key
		r.flowToken()
		c := r.flowValue()
		if r.declined {
			return m
		}
		last = r.field(m, last, c, &key, &keys)
		if !r.flowComma('}') {
			return m
		}
	}
	r.closeFlow(m)
	return m
}

// flowToken moves to the next token, across line breaks and comments (section 6.4). It returns the first byte of the
// token, or 0 if there is none.
func (r *yamlReader) flowToken() byte {
	text := r.text
	for r.i < len(text) {
		switch c := text[r.i]; c {
		case ' ', '\r':
		case '\n':
			r.lineStart = r.i + 1
		case '#':
			if before := text[r.i-1]; before != ' ' && before != '\n' {
				r.decline()
				return 0
			}
			r.i = lineEnd(text, r.i)
			continue
		default:
			if r.i == r.lineStart && atMarker(text, r.i) {
				r.decline()
				return 0
			}
			return c
		}
		r.i++
	}
	r.decline()
	return 0
}

// flowComma skips the comma after an entry. A closing bracket may come instead of the comma, or after it.
func (r *yamlReader) flowComma(closing byte) bool {
	switch r.flowToken() {
	case ',':
		r.i++
		return true
	case closing:
		return true
	}
	r.decline()
	return false
}

// closeFlow ends a map or list at its closing bracket.
func (r *yamlReader) closeFlow(n int32) {
	r.i++
	r.tree.nodes[n].end = uint32(r.i)
	r.depth--
}

// flowValue reads the next value.
func (r *yamlReader) flowValue() int32 {
	if r.ends() {
		return 0
	}
	switch c := r.text[r.i]; c {
	case '{', '[':
		return r.flow()
	case '"', '\'':
		return r.quoted(c)
	}
	start := r.i
	if end, ok := r.flowPlain(); ok {
		return r.plainNode(start, end)
	}
	r.decline()
	return 0
}

// flowKey reads a key and its colon, which must be on the same line.
func (r *yamlReader) flowKey() bool {
	if r.declined {
		return false
	}
	if c := r.text[r.i]; c == '"' || c == '\'' {
		return r.quotedKey(c, true)
	}
	start := r.i
	end, ok := r.flowPlain()
	if !ok || r.i >= len(r.text) || r.text[r.i] != ':' {
		return false
	}
	colon := r.i
	r.key = yamlKey{start: start, end: end, hash: Hash(r.text[start:end])}
	r.i++
	return r.plainKey(colon - start)
}

// flowPlain finds the end of a plain scalar on one line, and moves to the character that ends it. It leaves a scalar
// to the libraries if readers disagree about its end: at a question mark, or at a colon before punctuation.
func (r *yamlReader) flowPlain() (end int, ok bool) {
	text, i := r.text, r.i
	if !startsPlain(text, i) || text[i] == '-' && classes[text[i+1]]&mayEndInFlow != 0 {
		return i, false
	}
	for end = i; i < len(text); i++ {
		c := text[i]
		if classes[c]&mayEndInFlow != 0 && (c != '#' || text[i-1] == ' ') {
			if c == ' ' {
				continue
			}
			if c != ':' || i+1 >= len(text) || text[i+1] <= ' ' {
				break
			}
			if classes[text[i+1]]&mayEndInFlow != 0 {
				return end, false
			}
		}
		end = i + 1
	}
	r.i = i
	return end, true
}
