package chart

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/source"
)

// change is another value in the place of a leaf. Where the leaf is printed as one of texts, the change is printed as
// one of marked.
type change struct {
	marked, texts []string
	value         any // a string is the key, if the leaf is one
}

// Marks that changed values contain. The first one that is not in the output is used.
var marks = []string{"zq", "zqx", "zqxj", "qzxjk", "xqzkjv"}

// changes returns the changes of a leaf to try, one after the other. What they print is not in the output.
func (l *leaf) changes(value any, output string) []change {
	mark := unused(output, marks...)
	if mark == "" {
		return nil
	}
	if l.isKey { // the order of the keys stays, because ! comes before letters, digits, - and .
		key := l.text + "!" + mark
		return []change{{marked: []string{key}, texts: []string{l.text}, value: key}}
	}
	switch v := value.(type) {
	case string:
		return l.stringChanges(v, mark, output)
	case bool:
		if strings.Contains(output, markedText) {
			return nil
		}
		return []change{{marked: []string{markedText}, texts: []string{l.text}, value: markedBool(v)}}
	case float64:
		return numberChanges(v, output)
	case int64:
		return numberChanges(float64(v), output)
	}
	return nil
}

// stringChanges returns changes that have a mark at the end of the leaf. A number in quotes may need to stay a number.
func (l *leaf) stringChanges(v, mark, output string) []change {
	end := l.start + len(l.text)
	marked := func(mark string) string { return v[:end] + mark + v[end:] }
	if l.isTemplate() {
		return []change{{marked: []string{mark}, texts: []string{""}, value: marked(mark)}}
	}
	texts := []string{l.text, strconv.Quote(l.text), "'" + l.text + "'"}
	if l.text == "" {
		texts = []string{`""`, "''"}
	}
	list := []change{{marked: []string{l.text + mark}, texts: texts, value: marked(mark)}}
	if _, err := strconv.ParseFloat(v, 64); err == nil {
		if number := unused(output, l.text+"7", l.text+"31", l.text+"719"); number != "" {
			list = append(list, change{marked: []string{number}, texts: texts, value: number})
		}
	}
	return list
}

// numberChanges returns changes to another number. A large number has an exponent, unless it is converted.
func numberChanges(v float64, output string) []change {
	for _, other := range []float64{v*10 + 7, v*100 + 31, v + 1, 47193, 30517, 71} {
		list := []string{fmt.Sprint(other), strconv.FormatFloat(other, 'f', -1, 64)}
		if other != v && unused(output, list...) == list[0] {
			return []change{{marked: list, texts: []string{fmt.Sprint(v), strconv.FormatFloat(v, 'f', -1, 64)}, value: other}}
		}
	}
	return nil
}

// unused returns the first text that is not part of the output, or "".
func unused(output string, texts ...string) string {
	for _, text := range texts {
		if !strings.Contains(output, text) {
			return text
		}
	}
	return ""
}

// markedBool is a boolean that is printed as a mark.
type markedBool bool

const markedText = "zqxjkv"

// String implements [fmt.Stringer].
func (markedBool) String() string { return markedText }

// MarshalJSON implements [json.Marshaler], for functions such as toYaml.
func (markedBool) MarshalJSON() ([]byte, error) { return []byte(`"` + markedText + `"`), nil }

// restored returns the output of a changed chart with the original texts. Its changes are where they are.
func (c *change) restored(before, after string) edit.Result {
	var edits []edit.Edit
	at, longer := 0, 0 // by which the restored text is longer up to at
	for {
		next, marked := firstOf(after[at:], c.marked)
		if next < 0 {
			return edit.Apply(after, edits)
		}
		at += next
		text := c.textAt(before, at+longer)
		edits = append(edits, edit.Edit{Span: source.Span{Start: at, End: at + len(marked)}, New: text})
		at += len(marked)
		longer += len(text) - len(marked)
	}
}

// textAt returns the original text that the output has at an offset.
func (c *change) textAt(before string, at int) string {
	for _, t := range c.texts {
		if at <= len(before) && strings.HasPrefix(before[at:], t) {
			return t
		}
	}
	return c.texts[0]
}

// firstOf returns the first occurrence of one of the texts, and the longest text there.
func firstOf(text string, of []string) (at int, found string) {
	at = -1
	for _, one := range of {
		if i := strings.Index(text, one); i >= 0 && (at < 0 || i < at || i == at && len(one) > len(found)) {
			at, found = i, one
		}
	}
	return at, found
}

// printed returns where the leaf is printed in the output, if that is proven for a line: with the original texts, the
// output of the changed chart is the same up to the end of that line, or from its start to the end.
func (c *change) printed(before, after string, line source.Span) []source.Span {
	r := c.restored(before, after)
	restored, spans := r.Text, make([]source.Span, 0, len(r.Map.Changes()))
	for _, changed := range r.Map.Changes() {
		spans = append(spans, changed.New)
	}
	if len(restored) >= line.End && restored[:line.End] == before[:line.End] {
		return spans
	}
	shift := len(restored) - len(before)
	if line.Start+shift < 0 || restored[line.Start+shift:] != before[line.Start:] {
		return nil
	}
	for i := range spans {
		spans[i].Start -= shift
		spans[i].End -= shift
	}
	return spans
}

// with returns a value with another one at a path. What leads there is copied. If isKey is set, the key there becomes
// the value.
func with(value any, path []any, other any, isKey bool) any {
	if len(path) == 0 {
		return other
	}
	switch step := path[0].(type) {
	case string:
		table, _ := value.(map[string]any)
		copied := shallowCopy(table)
		if isKey && len(path) == 1 {
			delete(copied, step)
			copied[other.(string)] = table[step]
			return copied
		}
		copied[step] = with(table[step], path[1:], other, isKey)
		return copied
	case int:
		list, _ := value.([]any)
		copied := append([]any{}, list...)
		copied[step] = with(list[step], path[1:], other, isKey)
		return copied
	}
	return value
}
