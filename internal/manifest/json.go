package manifest

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// maxDepth is the maximum nesting depth of maps and lists. The API server's readers have the same limit
// (sigs.k8s.io/json; go.yaml.in/yaml/v2, max_flow_level and max_indents). Decide anew if theirs changes.
const maxDepth = 10000

// readJSON reads one JSON value by the rules of JSON (RFC 8259, as implemented by encoding/json): 1.0 stays a float,
// an integer that does not fit an int64 becomes a float, and invalid UTF-8 becomes U+FFFD.
func (t *Tree) readJSON(p Part) []diag.Violation {
	text := t.Source.Text
	t.reserve(p.Span.End - p.Span.Start)
	r := jsonReader{tree: t, text: text, i: p.Span.Start, end: p.Span.End}
	if r.whole(); r.fault != nil {
		t.Reset(t.Source)
		return []diag.Violation{*r.fault}
	}
	return t.duplicateKeys(r.duplicates, nil)
}

// whole reads the only value of the text.
func (r *jsonReader) whole() {
	r.skipSpace()
	r.value(0)
	if r.fault == nil {
		if r.skipSpace(); r.i < r.end {
			r.fail(r.i, r.i+1, "text after the end of the JSON value", "")
		}
	}
}

// addNotJSON adds why a part of a JSON file that has been read as YAML is not JSON, if it starts like JSON. Only its reader
// describes that well. kubectl reads such a file, but other programs may not.
func (t *Tree) addNotJSON(p Part, violations []diag.Violation) []diag.Violation {
	start := skipBlank(t.Source.Text[:p.Span.End], p.Span.Start)
	if !startsLikeJSON(t.Source.Text[start:p.Span.End]) {
		return violations
	}
	r := jsonReader{tree: &Tree{Source: t.Source}, text: t.Source.Text, i: start, end: p.Span.End, checking: true}
	r.value(0)
	switch {
	case r.fault == nil:
		return violations
	case len(t.nodes) == 0:
		return []diag.Violation{*r.fault}
	}
	v := *r.fault
	v.Severity, v.Message = diag.Warning, "not JSON: "+v.Message
	v.Help = "kubectl reads the document as YAML, but other programs may not; correct it, or rename the file to .yaml"
	if len(v.Fixes) > 0 {
		v.Help = r.fault.Help + ": kubectl reads the document as YAML, but other programs may not"
	}
	return append(violations, v)
}

type jsonReader struct {
	tree       *Tree
	text       string
	i, end     int
	fault      *diag.Violation
	checking   bool       // only check whether the text is JSON; nodes are discarded as early as possible
	tolerant   bool       // continue after a fault
	outline    bool       // only the nodes of an outline are kept; see [Tree.ReadOutline]
	stop       []string   // keys of an outline at which reading stops
	duplicates [][2]int32 // the first field with a key, and a later one with the same key
}

func (r *jsonReader) fail(from, to int, message, help string) {
	if r.fault == nil {
		r.fault = &diag.Violation{
			Rule: diag.Syntax, Severity: diag.Error, Message: message, Help: help,
			Place: r.tree.Source.Place(source.Span{Start: from, End: min(to, r.end)}),
		}
	}
}

func (r *jsonReader) skipSpace() {
	for r.i < r.end && (r.text[r.i] == ' ' || r.text[r.i] == '\t' || r.text[r.i] == '\n' || r.text[r.i] == '\r') {
		r.i++
	}
}

// value reads a value and returns its node. The result has no meaning after a fault.
func (r *jsonReader) value(depth int) int32 {
	if depth > maxDepth {
		r.fail(r.i, r.i+1, "nested deeper than "+strconv.Itoa(maxDepth)+" levels", "")
		r.fault.Rule = diag.ReaderLimit
	}
	if r.tree.IsCanceled() {
		r.i = r.end
	}
	if r.fault != nil || r.i >= r.end {
		r.fail(r.i, r.i, "unexpected end of JSON", "add the missing value, bracket or quote")
		return 0
	}
	start := r.i
	switch c := r.text[r.i]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		n := r.tree.add(String, DoubleQuoted, start, start)
		r.string(n)
		r.tree.nodes[n].end = uint32(r.i)
		return n
	case c == '-' || '0' <= c && c <= '9':
		return r.number()
	case r.word("true"):
		return r.tree.addScalar(scalar{Boolean, 1}, start, r.i)
	case r.word("false"):
		return r.tree.add(Boolean, Plain, start, r.i)
	case r.word("null"):
		return r.tree.add(Null, Plain, start, r.i)
	case c == '\'':
		r.fail(r.i, r.i+1, "a JSON value cannot start with a single quote", "use double quotes")
	case c == '/':
		r.fail(r.i, r.i+2, "comments are not allowed in JSON", "remove it, or rename the file to .yaml")
	case c == ',' || c == '}' || c == ']':
		r.fail(r.i, r.i+1, "missing value before "+diag.Quote(string(c)), "remove the comma before it")
		if c != ',' {
			r.removeCommas()
		}
	default:
		r.fail(r.i, r.i+1, "a JSON value cannot start with "+quoteAt(r.text, r.i), "quote it if it is a string")
	}
	return 0
}

func quoteAt(text string, i int) string {
	c, _ := utf8.DecodeRuneInString(text[i:])
	return strconv.QuoteRune(c)
}

func (r *jsonReader) word(word string) bool {
	if !strings.HasPrefix(r.text[r.i:r.end], word) {
		return false
	}
	r.i += len(word)
	return true
}

func (r *jsonReader) object(depth int) int32 {
	n := r.tree.add(Map, Flow, r.i, r.i)
	last := int32(0)
	keys := r.tree.keysOf(n)
	side, isKept := len(r.tree.side), r.keeps(depth)
	for r.i++; ; {
		if r.skipSpace(); r.i < r.end && r.text[r.i] == '}' && last == 0 {
			break
		}
		if r.i >= r.end || r.text[r.i] != '"' {
			if r.failKey(); !r.resume() {
				return n
			}
			if r.more('}') {
				continue
			}
			break
		}
		key, keyStart := r.key()
		keyEnd := r.i
		if r.outline && isKept && slices.Contains(r.stop, key) {
			r.fault = stopped
			return n
		}
		c := r.fieldValue(key, depth+1)
		if r.fault != nil && !r.resume() {
			return n
		}
		if !isKept {
			last = r.discard(n, side, c)
		} else {
			last = r.tree.linkAfter(n, last, c)
			r.tree.placeKey(c, key, keyStart, keyEnd, DoubleQuoted)
			if first, ok := keys.add(c); ok {
				r.duplicates = append(r.duplicates, [2]int32{first, c})
			}
		}
		if !r.more('}') {
			break
		}
	}
	r.close(n, '}')
	return n
}

// fieldValue reads the colon and the value after a key.
func (r *jsonReader) fieldValue(key string, depth int) int32 {
	if keyEnd := r.i; r.fault == nil {
		if r.skipSpace(); r.i >= r.end || r.text[r.i] != ':' {
			r.fail(r.i, r.i+1, "a colon must follow the key "+diag.Quote(key), "")
			r.i = keyEnd
		} else if r.i++; !r.tolerant || !r.lacksValue() {
			r.skipSpace()
		}
	}
	return r.entry(depth)
}

func (r *jsonReader) failKey() {
	switch {
	case r.i >= r.end:
		r.fail(r.i, r.i, "unexpected end of JSON in an object", "add the closing brace")
	case r.text[r.i] == '}':
		r.fail(r.i, r.i+1, "missing key before the brace", "remove the comma before it")
		r.removeCommas()
	default:
		r.fail(r.i, r.i+1, "a key must start with a double quote, got "+quoteAt(r.text, r.i), "use double quotes")
	}
}

// mostCommas is the maximum number of commas that a fix removes.
const mostCommas = 1000

// removeCommas adds the fix of a comma before the closing bracket at which a reader fails. It removes all such commas after
// it, too: only the first one is reported.
func (r *jsonReader) removeCommas() {
	if r.tolerant || len(r.fault.Fixes) > 0 {
		return
	}
	comma := len(strings.TrimRight(r.text[:r.i], " \t\r\n")) - 1
	if comma < 0 || r.text[comma] != ',' {
		return
	}
	var edits []diag.Edit
	isString := false
	for i := comma; i < r.end && len(edits) < mostCommas; i++ {
		switch c := r.text[i]; {
		case isString && c == '\\':
			i++
		case c == '"':
			isString = !isString
		case isString:
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			at := source.Span{Start: comma, End: comma + 1}
			edits = append(edits, diag.Edit{Place: r.tree.Source.Exactly(at)})
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	if len(edits) > 0 {
		r.fault.Fixes = []diag.Fix{{Title: "remove the comma before it", Safe: true, Edits: edits}}
	}
}

func (r *jsonReader) array(depth int) int32 {
	n := r.tree.add(List, Flow, r.i, r.i)
	last := int32(0)
	side, isKept := len(r.tree.side), r.keeps(depth)
	if r.outline && isKept && depth > 0 {
		r.fault = stopped
		return n
	}
	for r.i++; ; {
		if r.skipSpace(); r.i < r.end && r.text[r.i] == ']' && last == 0 {
			break
		}
		c := r.entry(depth + 1)
		if r.fault != nil && !r.resume() {
			return n
		}
		if isKept {
			last = r.tree.linkAfter(n, last, c)
		} else {
			last = r.discard(n, side, c)
		}
		if !r.more(']') {
			break
		}
	}
	r.close(n, ']')
	return n
}

// keeps reports whether the values in a map or list at a depth remain nodes.
func (r *jsonReader) keeps(depth int) bool {
	return !r.checking && (!r.outline || depth == 0 || depth == 1 && r.tree.nodes[0].typ == List)
}

// discard removes the nodes of the last value in n, and returns the value. The texts of n start at an offset of side.
func (r *jsonReader) discard(n int32, side int, c int32) int32 {
	r.tree.nodes, r.tree.side = r.tree.nodes[:n+1], r.tree.side[:side]
	return c
}

// more skips a comma, and reports whether there was one.
func (r *jsonReader) more(closing byte) bool {
	if r.skipSpace(); r.i < r.end && r.text[r.i] == ',' {
		r.i++
		return true
	}
	if r.i >= r.end || r.text[r.i] == closing {
		return false
	}
	r.fail(r.i, r.i+1, "comma or "+diag.Quote(string(closing))+" expected, got "+quoteAt(r.text, r.i), "")
	return r.lacksComma()
}

func (r *jsonReader) close(n int32, closing byte) {
	if r.fault == nil && (r.i >= r.end || r.text[r.i] != closing) {
		r.fail(r.i, r.i, "unexpected end of JSON before "+diag.Quote(string(closing)), "")
		r.endAtFault(n)
		return
	}
	r.i++
	r.tree.nodes[n].end = uint32(min(r.i, r.end))
}

// key reads a key. It returns the key and the offset of its opening quote.
func (r *jsonReader) key() (string, int) {
	start := r.i
	if plain, ok := r.plainText(); ok {
		return plain, start
	}
	return string(r.unescape(nil)), start
}

// string reads the text of a string into a node.
func (r *jsonReader) string(n int32) {
	start := r.i
	if plain, ok := r.plainText(); ok {
		r.tree.nodes[n].data = uint64(start+1)<<32 | uint64(len(plain))
		return
	}
	from := len(r.tree.side)
	r.tree.side = r.unescape(r.tree.side)
	r.tree.nodes[n].flags |= inSide
	r.tree.nodes[n].data = uint64(from)<<32 | uint64(len(r.tree.side)-from)
}

// plainText reads a string without escapes. If the string has escapes, it reads nothing and returns false.
func (r *jsonReader) plainText() (string, bool) {
	var bits byte // bits that are set in any of the bytes
	for i := r.i + 1; i < r.end; i++ {
		c := r.text[i]
		bits |= c
		switch {
		case c == '"':
			text := r.text[r.i+1 : i]
			if bits >= utf8.RuneSelf && !utf8.ValidString(text) {
				return "", false
			}
			r.i = i + 1
			return text, true
		case c == '\\' || c < ' ':
			return "", false
		}
	}
	return "", false
}

// unescape reads a string (RFC 8259, section 7) and appends its value.
func (r *jsonReader) unescape(out []byte) []byte {
	quote := r.i
	for r.i++; r.i < r.end; {
		switch c := r.text[r.i]; {
		case c == '"':
			r.i++
			return out
		case c == '\\':
			out = r.escape(out)
			if r.fault != nil {
				return out
			}
		case c < ' ':
			r.fail(r.i, r.i+1, "control character in a JSON string", "use an escape such as \\n or \\t")
			return out
		default:
			ch, size := utf8.DecodeRuneInString(r.text[r.i:r.end])
			out = utf8.AppendRune(out, ch)
			r.i += size
		}
	}
	r.fail(quote, quote+1, "unterminated string", "add a double quote at the end")
	return out
}

func (r *jsonReader) escape(out []byte) []byte {
	at := r.i
	if r.i++; r.i >= r.end {
		r.fail(at, at+1, "unexpected end of JSON in an escape", "")
		return out
	}
	c := r.text[r.i]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		r.i++
		return append(out, "\"\\/\b\f\n\r\t"[i])
	}
	if c != 'u' {
		r.fail(at, at+2, "unknown escape in JSON: \\"+strings.Trim(quoteAt(r.text, r.i), "'"), "write a backslash as \\\\")
		return out
	}
	r.i++
	ch, ok := r.hex4()
	if !ok {
		r.fail(at, at+6, "\\u must be followed by four hexadecimal digits", "")
		return out
	}
	if utf16.IsSurrogate(ch) {
		low := rune(utf8.RuneError)
		if save := r.i; strings.HasPrefix(r.text[r.i:r.end], `\u`) {
			r.i += 2
			if low, ok = r.hex4(); !ok || utf16.DecodeRune(ch, low) == utf8.RuneError {
				r.i, low = save, utf8.RuneError
			}
		}
		ch = utf16.DecodeRune(ch, low)
	}
	return utf8.AppendRune(out, ch)
}

func (r *jsonReader) hex4() (rune, bool) {
	if r.i+4 > r.end {
		return 0, false
	}
	v, err := strconv.ParseUint(r.text[r.i:r.i+4], 16, 32)
	if err != nil || strings.ContainsAny(r.text[r.i:r.i+4], "+-_") {
		return 0, false
	}
	r.i += 4
	return rune(v), true
}

// number reads a number. A number without a point or an exponent that fits an int64 is an integer (sigs.k8s.io/json).
func (r *jsonReader) number() int32 {
	start := r.i
	whole := true
	if r.text[r.i] == '-' {
		r.i++
	}
	digits := func() bool {
		from := r.i
		for r.i < r.end && '0' <= r.text[r.i] && r.text[r.i] <= '9' {
			r.i++
		}
		return r.i > from
	}
	zero := r.i < r.end && r.text[r.i] == '0'
	first := r.i
	ok := digits() && (!zero || r.i == first+1)
	if r.i < r.end && r.text[r.i] == '.' {
		r.i++
		whole = false
		ok = digits() && ok
	}
	if r.i < r.end && (r.text[r.i] == 'e' || r.text[r.i] == 'E') {
		r.i++
		whole = false
		if r.i < r.end && (r.text[r.i] == '+' || r.text[r.i] == '-') {
			r.i++
		}
		ok = digits() && ok
	}
	literal := r.text[start:r.i]
	if !ok {
		r.fail(start, r.i, diag.Quote(literal)+" is not a valid JSON number", "")
		return 0
	}
	if whole {
		if v, err := strconv.ParseInt(literal, 10, 64); err == nil {
			return r.tree.addScalar(scalar{Integer, uint64(v)}, start, r.i)
		}
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil && !r.checking { // the text is JSON all the same, so it is not read as YAML
		r.fail(start, r.i, diag.Cut(literal, diag.LongestQuote)+" is out of range for a number", "")
		return 0
	}
	return r.tree.addScalar(float(f), start, r.i)
}
