package planted

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// spot is where a field or an item is written.
type spot struct {
	path   []string
	key    source.Span // with its quotes; empty for an item
	value  source.Span
	whole  source.Span // from the key or dash to the end of the last line, with its line break
	indent string      // before the key or dash on a line of its own
	isFlow bool
	// isShared means that an alias stands for it, too.
	isShared bool
	content  any
	siblings []string // keys
	// separator is what is before another field or item of a flow collection.
	separator string
	isLast    bool // of a collection
}

// text is a written document.
type text struct {
	style style
	text  string
	spots []spot
}

type writer struct {
	style
	b        strings.Builder
	spots    []spot
	path     []string
	anchors  map[string]string // the names of anchors by the JSON of the value
	isShared int
	depth    int
	root     any
}

// write writes an object in a style.
func write(root any, s style) text {
	w := &writer{style: s, anchors: map[string]string{}, root: root}
	if w.hasMark {
		w.b.WriteString("\ufeff")
	}
	for _, line := range w.before {
		w.b.WriteString(line + w.lineBreak)
	}
	if w.form == block {
		w.fields(root.(map[string]any), "", false)
	} else {
		w.flow(root, "")
		w.b.WriteString(w.lineBreak)
	}
	for _, line := range w.after {
		w.b.WriteString(line + w.lineBreak)
	}
	written := w.b.String()
	if w.isCut {
		written = strings.TrimSuffix(written, w.lineBreak)
		for i := range w.spots {
			w.spots[i].whole.End = min(w.spots[i].whole.End, len(written))
			w.spots[i].value.End = min(w.spots[i].value.End, len(written))
		}
	}
	return text{s, written, w.spots}
}

func (w *writer) open(name string) int {
	w.path = append(w.path, name)
	w.spots = append(w.spots, spot{path: slices.Clone(w.path), isShared: w.isShared > 0})
	w.depth++
	return len(w.spots) - 1
}

func (w *writer) close() {
	w.path = w.path[:len(w.path)-1]
	w.depth--
}

func (w *writer) fields(m map[string]any, indent string, isAfterDash bool) {
	keys := slices.Sorted(maps.Keys(m))
	for i, key := range keys {
		if i > 0 || !isAfterDash {
			w.comment(indent, key)
			w.b.WriteString(indent)
		}
		at := w.open(key)
		start := w.b.Len()
		w.b.WriteString(w.key(key))
		end := w.b.Len()
		w.b.WriteString(":")
		value := w.blockValue(m[key], indent)
		s := &w.spots[at]
		s.key, s.value, s.whole = source.Span{Start: start, End: end}, value, source.Span{Start: start, End: w.b.Len()}
		s.indent, s.content, s.siblings, s.isLast = indent, m[key], keys, i == len(keys)-1
		w.close()
	}
}

// comment writes a comment on a line of its own.
func (w *writer) comment(indent, about string) {
	if w.hasCommentsAbove && w.depth%2 == 0 {
		w.b.WriteString(indent + "# about " + strings.Map(func(r rune) rune {
			if r < ' ' {
				return '.'
			}
			return r
		}, about) + ": 'ä'" + w.lineBreak)
	}
}

// blockValue writes what follows a colon or a dash, and the line break.
func (w *writer) blockValue(v any, indent string) source.Span {
	prefix, alias, release := w.anchor(v)
	defer release()
	start := w.b.Len() + 1
	isFlow := w.flowFrom > 0 && w.depth > w.flowFrom
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 && !isFlow && alias == "" {
			w.b.WriteString(strings.TrimSuffix(" "+prefix, " "))
			w.endLine()
			w.fields(v, indent+w.step, false)
			return source.Span{Start: start, End: w.b.Len()}
		}
	case []any:
		if len(v) > 0 && !isFlow && alias == "" {
			w.b.WriteString(strings.TrimSuffix(" "+prefix, " "))
			w.endLine()
			if !w.isCompact {
				indent += w.step
			}
			w.items(v, indent)
			return source.Span{Start: start, End: w.b.Len()}
		}
	case string:
		if w.isLiteral && isLiteral(v) {
			w.b.WriteString(" " + prefix + "|" + w.lineBreak)
			for line := range strings.SplitSeq(strings.TrimSuffix(v, "\n"), "\n") {
				w.b.WriteString(indent + w.step + line + w.lineBreak)
			}
			return source.Span{Start: start, End: w.b.Len()}
		}
	}
	w.b.WriteString(" " + prefix + alias)
	if alias == "" {
		w.flow(v, indent)
	}
	sp := source.Span{Start: start, End: w.b.Len()}
	w.endLine()
	return sp
}

// isLiteral reports whether a string is written as it is below "|".
func isLiteral(s string) bool {
	if !strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\n\n") || strings.ContainsAny(s, "\r\t") || s[0] == ' ' || s[0] == '\n' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r > '~' }) && !strings.Contains(s, "---")
}

// endLine ends a line, with a comment on some.
func (w *writer) endLine() {
	if w.hasCommentsBehind && w.depth%2 == 1 {
		w.b.WriteString("  # see {a: [ä]}")
	}
	w.b.WriteString(w.lineBreak)
}

func (w *writer) items(l []any, indent string) {
	for i, v := range l {
		w.comment(indent, "an item")
		w.b.WriteString(indent)
		w.item(v, i, indent, i == len(l)-1)
	}
}

func (w *writer) item(v any, i int, indent string, isLast bool) {
	at := w.open(fmt.Sprint(i))
	dash := w.b.Len()
	w.b.WriteString("-")
	var value source.Span
	m, isMap := v.(map[string]any)
	l, isList := v.([]any)
	isFlow := w.flowFrom > 0 && w.depth > w.flowFrom
	switch {
	case isMap && len(m) > 0 && !isFlow:
		w.b.WriteString(" ")
		value.Start = w.b.Len()
		w.fields(m, indent+"  ", true)
		value.End = w.b.Len()
	case isList && len(l) > 0 && !isFlow:
		w.b.WriteString(" ")
		value.Start = w.b.Len()
		for j, v := range l {
			if j > 0 {
				w.b.WriteString(indent + "  ")
			}
			w.item(v, j, indent+"  ", j == len(l)-1)
		}
		value.End = w.b.Len()
	default:
		value = w.blockValue(v, indent)
	}
	s := &w.spots[at]
	s.value, s.whole, s.indent, s.content, s.isLast = value, source.Span{Start: dash, End: w.b.Len()}, indent, v, isLast
	w.close()
}

// anchor returns what is written before a value that another one equals, or the alias that stands for it.
func (w *writer) anchor(v any) (prefix, alias string, release func()) {
	release = func() {}
	if !w.hasAnchors || w.form == jsonLine || w.form == indentedJSON {
		return "", "", release
	}
	if m, ok := v.(map[string]any); !ok || len(m) == 0 {
		return "", "", release
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if name, ok := w.anchors[string(text)]; ok {
		if name == "" {
			return "", "", release
		}
		return "", "*" + name, release
	}
	w.anchors[string(text)] = ""
	if times(w.root, string(text)) < 2 {
		return "", "", release
	}
	name := fmt.Sprintf("a%d", len(w.anchors))
	w.isShared++
	return "&" + name + " ", "", func() { w.isShared--; w.anchors[string(text)] = name }
}

// times returns how often a value is in another one.
func times(v any, text string) (count int) {
	switch v := v.(type) {
	case map[string]any:
		if own, err := json.Marshal(v); err == nil && string(own) == text {
			return 1
		}
		for _, child := range v {
			count += times(child, text)
		}
	case []any:
		for _, child := range v {
			count += times(child, text)
		}
	}
	return count
}

// flow writes a value on one line, or as indented JSON.
func (w *writer) flow(v any, indent string) {
	switch v := v.(type) {
	case map[string]any:
		w.b.WriteString("{")
		keys := slices.Sorted(maps.Keys(v))
		for i, key := range keys {
			at := w.open(key)
			w.separate(i, indent)
			start := w.b.Len()
			w.b.WriteString(w.key(key))
			end := w.b.Len()
			w.b.WriteString(":")
			if w.form != jsonLine || w.pad != "" {
				w.b.WriteString(" ")
			}
			value := w.flowValue(v[key], indent+w.step)
			s := &w.spots[at]
			s.key, s.value, s.whole = source.Span{Start: start, End: end}, value, source.Span{Start: start, End: value.End}
			s.content, s.siblings, s.isFlow, s.isLast = v[key], keys, true, i == len(keys)-1
			s.separator = w.separator(indent)
			w.close()
		}
		w.end(len(keys), indent)
		w.b.WriteString("}")
	case []any:
		w.b.WriteString("[")
		for i, item := range v {
			at := w.open(fmt.Sprint(i))
			w.separate(i, indent)
			value := w.flowValue(item, indent+w.step)
			s := &w.spots[at]
			s.value, s.whole, s.content, s.isFlow, s.isLast = value, value, item, true, i == len(v)-1
			s.separator = w.separator(indent)
			w.close()
		}
		w.end(len(v), indent)
		w.b.WriteString("]")
	default:
		w.b.WriteString(w.scalar(v))
	}
}

func (w *writer) flowValue(v any, indent string) source.Span {
	prefix, alias, release := w.anchor(v)
	defer release()
	start := w.b.Len()
	w.b.WriteString(prefix + alias)
	if alias == "" {
		w.flow(v, indent)
	}
	return source.Span{Start: start, End: w.b.Len()}
}

func (w *writer) separate(i int, indent string) {
	switch {
	case i > 0:
		w.b.WriteString(w.separator(indent))
	case w.form == indentedJSON:
		w.b.WriteString(w.lineBreak + indent + w.step)
	default:
		w.b.WriteString(w.pad)
	}
}

func (w *writer) separator(indent string) string {
	switch {
	case w.form == indentedJSON:
		return "," + w.lineBreak + indent + w.step
	case w.form == jsonLine && w.pad == "":
		return ","
	}
	return ", "
}

func (w *writer) end(n int, indent string) {
	switch {
	case n == 0:
	case w.form == indentedJSON:
		w.b.WriteString(w.lineBreak + indent)
	default:
		w.b.WriteString(w.pad)
	}
}

func (w *writer) key(key string) string {
	if !w.quotesKeys {
		return w.quoted(key, 0)
	}
	return w.quoted(key, w.quote)
}

func (w *writer) scalar(v any) string {
	switch v := v.(type) {
	case string:
		return w.quoted(v, w.quote)
	case nil:
		return "null"
	default:
		return fmt.Sprint(v)
	}
}

// quoted returns how a string is written.
func (w *writer) quoted(text string, quote byte) string {
	isPrintable := !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	switch {
	case quote == 0 && isWord(text):
		return text
	case quote == '\'' && isPrintable:
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// isWord reports whether a text is a string without quotes, in flow collections, too.
func isWord(text string) bool {
	if text == "" || !(text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z') {
		return false
	}
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./", r))
	})
}
