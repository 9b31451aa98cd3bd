package manifest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// A fix replaces one token, a key or a scalar, and keeps its quotes. There is no fix for a token with a tag or an
// anchor, one that comes from an alias or a merge key, or a literal or folded scalar.

// KeyFix returns the fix that changes the key of the field n. It returns nil if the map already has a field with that
// key, even a null one.
func (n Node) KeyFix(key string) []diag.Fix {
	parent := n.Parent()
	if !parent.Valid() || parent.Type() != Map || !n.isSimple() {
		return nil
	}
	if _, isSet := parent.Field(key); isSet {
		return nil
	}
	if _, isNull := parent.DroppedNull(key); isNull {
		return nil
	}
	sp := n.KeySpan()
	text, ok := rewrite(n.tree.Source.Text[sp.Start:sp.End], n.keyStyle(), n.Key(), key, isPlainWord)
	if !ok {
		return nil
	}
	return diag.FixesUse(key, n.edit(sp, text))
}

// TextFix returns the fix that changes the text of the string n.
func (n Node) TextFix(text string) []diag.Fix {
	if n.Type() != String || !n.isSimple() {
		return nil
	}
	isPlain := isPlainText
	if n.isInFlow() {
		isPlain = isPlainInFlow
	}
	written, ok := rewrite(n.Raw(), n.Style(), n.Text(), text, isPlain)
	if !ok {
		return nil
	}
	return diag.FixesUse(text, n.edit(n.Span(), written))
}

// QuoteFix returns the fix that turns a boolean or number into a string with the characters as written: 0755 becomes
// "0755".
func (n Node) QuoteFix() []diag.Fix {
	raw := n.Raw()
	switch n.Type() {
	case Boolean, Integer, Float:
	default:
		return nil
	}
	if n.Style() != Plain || !n.isSimple() || strings.ContainsAny(raw, "\"\\\r\n") {
		return nil
	}
	return []diag.Fix{
		{Title: "quote it: " + diag.Quote(raw), Safe: true, Edits: []diag.Edit{n.edit(n.Span(), `"`+raw+`"`)}},
	}
}

// StringFix returns the fix that turns a boolean or number into another text, a string.
func (n Node) StringFix(text string) []diag.Fix {
	if n.QuoteFix() == nil {
		return nil
	}
	return diag.FixesUse(text, n.edit(n.Span(), string(appendJSONString(nil, text))))
}

// UnquoteFix returns the fix that removes the quotes of a string. It returns nil unless the result has one of the
// given types and the same characters, both in YAML and in JSON.
func (n Node) UnquoteFix(types ...Type) []diag.Fix {
	raw, text := n.Raw(), n.Text()
	if n.Type() != String || n.Style() != SingleQuoted && n.Style() != DoubleQuoted || !n.isSimple() {
		return nil
	}
	if len(raw) < 2 || raw[1:len(raw)-1] != text {
		return nil
	}
	if !json.Valid([]byte(text)) || isBlank(text[0]) || isBlank(text[len(text)-1]) {
		return nil
	}
	s := resolve(text)
	if !slices.Contains(types, s.typ) || s.typ == Integer && strconv.FormatInt(int64(s.data), 10) != text {
		return nil
	}
	return []diag.Fix{{Title: "remove the quotes", Safe: true, Edits: []diag.Edit{n.edit(n.Span(), strings.Clone(text))}}}
}

// QuoteKeyFix returns the fix that puts quotes around the key of the field n, as written: it is text for each reader then.
func (n Node) QuoteKeyFix() []diag.Fix {
	sp := n.KeySpan()
	raw := n.tree.Source.Text[sp.Start:sp.End]
	if sp.End == sp.Start || n.tree.nodes[n.i].keyStyle != Plain || !n.isSimple() || strings.ContainsAny(raw, "\"\\\r\n") {
		return nil
	}
	return []diag.Fix{{Title: "quote it: " + diag.Quote(raw), Edits: []diag.Edit{n.edit(sp, `"`+raw+`"`)}}}
}

// QuotePlainFix is like [Node.QuoteFix], for a plain scalar of any type.
func (n Node) QuotePlainFix() []diag.Fix {
	if fixes := n.QuoteFix(); fixes != nil || n.Type() != String || n.Style() != Plain || !n.isSimple() || n.Raw() != n.Text() {
		return fixes
	}
	return []diag.Fix{
		{Title: "quote it: " + diag.Quote(n.Text()), Edits: []diag.Edit{n.edit(n.Span(), string(appendJSONString(nil, n.Text())))}},
	}
}

// EscapeFix returns the fix that writes a string in double quotes, with escapes for all characters that are not visible. The
// text is the same for each reader.
func (n Node) EscapeFix() []diag.Fix {
	if n.Type() != String || n.Style() == Literal || n.Style() == Folded || !n.isSimple() {
		return nil
	}
	if n.Style() == Plain && n.Raw() != n.Text() || strings.Contains(n.Text(), string(unicode.ReplacementChar)) {
		return nil
	}
	quoted := strconv.QuoteToGraphic(n.Text())
	var text string
	if json.Unmarshal([]byte(quoted), &text) != nil || text != n.Text() { // escapes that only Go knows
		return nil
	}
	return []diag.Fix{{Title: "use an escape sequence", Edits: []diag.Edit{n.edit(n.Span(), quoted)}}}
}

// RawEdits returns the edits that replace how a scalar is written.
func (n Node) RawEdits(text string) []diag.Edit {
	if n.Type() >= Map || n.Size() == 0 || !n.isSimple() || text == n.Raw() {
		return nil
	}
	return []diag.Edit{n.edit(n.Span(), text)}
}

// BetweenEdits returns the edits that replace what is between the key and the value of a field.
func (n Node) BetweenEdits(text string) []diag.Edit {
	sp := source.Span{Start: n.KeySpan().End, End: n.Span().Start}
	if sp.Start == 0 || sp.End <= sp.Start || !n.isSimple() {
		return nil
	}
	return []diag.Edit{n.edit(sp, text)}
}

// ValueEdits returns the edits that give the scalar n another value, which is given as JSON on one line. A string keeps its
// quotes. A value is added after a key without one.
func (n Node) ValueEdits(value string) []diag.Edit {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil && n.Type() == String {
		if fixes := n.TextFix(text); fixes != nil {
			return fixes[0].Edits
		}
		return nil
	}
	isBlock := n.Style() == Literal || n.Style() == Folded
	if n.Type() >= Map || isBlock || !n.isSimple() {
		return nil
	}
	like := style{isFlow: n.isInFlow(), isQuoted: n.tree.Root().Style() == Flow}
	if n.Size() == 0 {
		at := n.afterColon()
		if n.Type() != Null || at <= 0 || n.Parent().Style() == Flow {
			return nil
		}
		return []diag.Edit{n.edit(source.Span{Start: at, End: at}, " "+like.value(value))}
	}
	return []diag.Edit{n.edit(n.Span(), like.value(value))}
}

// PlainFix returns the fix that replaces a string in quotes by a boolean or number, which text is to every reader.
func (n Node) PlainFix(text string) []diag.Fix {
	isQuoted := n.Style() == SingleQuoted || n.Style() == DoubleQuoted
	if n.Type() != String || !isQuoted || !n.isSimple() || resolve(text).typ == String {
		return nil
	}
	return []diag.Fix{{Title: "use " + text, Edits: []diag.Edit{n.edit(n.Span(), text)}}}
}

// NumberFix returns the fix that writes an integer in another way, or another integer.
func (n Node) NumberFix(text string) []diag.Fix {
	if n.Type() != Integer || !n.isSimple() || resolve(text).typ != Integer {
		return nil
	}
	return []diag.Fix{{Title: "use " + text, Edits: []diag.Edit{n.edit(n.Span(), text)}}}
}

// IsInJSON reports whether n is in a document that is written as JSON.
func (n Node) IsInJSON() bool {
	root := n.tree.Root()
	return root.Style() == Flow && root.Type() == Map && root.First().Valid() && root.First().keyStyle() == DoubleQuoted
}

// RemoveFix returns the fix that removes the field or item n (see [Node.RemoveEdits]).
func (n Node) RemoveFix() []diag.Fix {
	edits := n.RemoveEdits()
	if edits == nil {
		return nil
	}
	return []diag.Fix{{Title: "remove it", Edits: edits}}
}

// AddFix returns the fix that adds a field to the map n (see [Node.AddFieldEdits]).
func (n Node) AddFix(after Node, key, value string) []diag.Fix {
	edits := n.AddFieldEdits(after, key, value)
	if edits == nil {
		return nil
	}
	return []diag.Fix{{Title: "add " + key + ": " + diag.Cut(value, diag.LongestQuote), Edits: edits}}
}

// ListFix returns the fix that makes n a list with one item, which is n: a scalar or a map.
func (n Node) ListFix() []diag.Fix {
	if n = n.asWritten(); !n.Valid() || !n.isSimple() || n.i == 0 {
		return nil
	}
	if n.Type() == Map && n.Style() != Flow {
		e, ok := n.dashEdit()
		return oneEdit(listTitle, e, ok)
	}
	raw := n.Raw()
	switch {
	case n.Type() == List || n.Type() == Null || n.Style() == Literal || n.Style() == Folded, raw == "":
		return nil
	case n.Type() == String && n.Style() == Plain && !isPlainWord(raw):
		if raw != n.Text() {
			return nil
		}
		raw = string(appendJSONString(nil, raw))
	}
	return oneEdit(listTitle, n.edit(n.Span(), "["+raw+"]"), true)
}

const listTitle = "make it a list with one item"

// longestEdit is the maximum number of bytes of a new text. Reports contain it, and a scalar may have megabytes.
const longestEdit = 2000

func oneEdit(title string, e diag.Edit, ok bool) []diag.Fix {
	if !ok || len(e.NewText) > longestEdit {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{e}}}
}

// dashEdit returns the edit that puts a dash before the first field of a block map, in place of its indentation.
func (n Node) dashEdit() (diag.Edit, bool) {
	text := n.tree.Source.Text
	first := n.First()
	if !first.Valid() || n.KeySpan().End == 0 {
		return diag.Edit{}, false
	}
	start := first.KeySpan().Start
	_, before := lineUpTo(text, start)
	indent, ok := columnOf(text, n.KeySpan().Start)
	if !ok || strings.Trim(before, " ") != "" || len(before) < len(indent)+2 {
		return diag.Edit{}, false
	}
	return n.edit(source.Span{Start: start - 2, End: start}, "- "), true
}

// ItemFix returns the fix that replaces a list by its only item.
func (n Node) ItemFix() []diag.Fix {
	const title = "write the item without a list"
	if n = n.asWritten(); !n.Valid() || n.Type() != List || n.Len() != 1 || !n.isSimple() || n.i == 0 {
		return nil
	}
	text, item := n.tree.Source.Text, n.First()
	if !item.isSimple() || item.Size() == 0 {
		return nil
	}
	sp := item.Span()
	if n.Style() == Flow {
		between := text[n.Span().Start+1:sp.Start] + text[sp.End:n.Span().End-1]
		return oneEdit(title, n.edit(n.Span(), item.Raw()), strings.Trim(between, ", \t\r\n") == "")
	}
	dash, colon := dashBefore(text, sp.Start), n.afterColon()
	if dash < 0 || n.KeySpan().End == 0 || colon < 0 || item.Style() == Literal || item.Style() == Folded {
		return nil
	}
	if item.Type() == Map && item.Style() != Flow {
		return oneEdit(title, n.edit(source.Span{Start: dash, End: dash + 1}, " "), strings.Trim(text[dash+1:sp.Start], " ") == "")
	}
	if strings.Trim(text[colon:dash], " \r\n") != "" || strings.Contains(item.Raw(), "\n") {
		return nil
	}
	return oneEdit(title, n.edit(source.Span{Start: colon, End: sp.Start}, " "), true)
}

func (n Node) edit(sp source.Span, text string) diag.Edit {
	return diag.Edit{Place: n.tree.Source.Exactly(sp), NewText: text}
}

// isSimple reports whether n is written in its own place and not shared: neither n nor a node above it has a tag or an
// anchor, or comes from an alias, a merge key or a default.
func (n Node) isSimple() bool {
	for ; n.i != 0; n = n.Parent() {
		parent := n.Parent().Span()
		if n.Tagged() || n.Defaulted() || n.Span().Start < parent.Start || n.Span().End > parent.End {
			return false
		}
	}
	return !n.Tagged()
}

// rewrite writes text in the way raw, the written form of old, is written, and adds quotes if they are needed. It
// returns false if raw is more than a simple token, or if text cannot be written that way. isPlain reports whether a text
// needs no quotes.
func rewrite(raw string, style Style, old, text string, isPlain func(string) bool) (string, bool) {
	if strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }) {
		return "", false
	}
	isQuoted := func(quote byte) bool { return len(raw) >= 2 && raw[0] == quote && raw[len(raw)-1] == quote }
	switch {
	case style == Plain && raw == old && isPlain(text):
		return text, true
	case style == Plain && raw == old, style == DoubleQuoted && isQuoted('"'):
		return string(appendJSONString(nil, text)), true
	case style == SingleQuoted && isQuoted('\''):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'", true
	}
	return "", false
}

// isInFlow reports whether n is in a flow collection.
func (n Node) isInFlow() bool {
	for ; n.i != 0; n = n.Parent() {
		if n.Parent().Style() == Flow {
			return true
		}
	}
	return false
}

// isPlainInFlow is like isPlainText in flow collections, where not all readers allow colons.
func isPlainInFlow(text string) bool { return isPlainText(text) && !strings.Contains(text, ":") }

// isPlainText is like isPlainWord for texts with digits at the start or with colons, outside of flow collections.
func isPlainText(text string) bool {
	if isPlainWord(text) {
		return true
	}
	if text == "" || !isASCIILetter(rune(text[0])) && (text[0] < '0' || '9' < text[0]) || strings.HasSuffix(text, ":") || resolve(text).typ != String {
		return false
	}
	if strings.ContainsFunc(text, func(r rune) bool {
		return !isASCIILetter(r) && !('0' <= r && r <= '9') && !strings.ContainsRune("_-./:@+%=", r)
	}) {
		return false
	}
	isHex := strings.HasPrefix(strings.ToLower(text), "0x")
	return isASCIILetter(rune(text[0])) || strings.Contains(text, "/") ||
		!isHex && !isDate(text) && strings.ContainsFunc(text, func(r rune) bool { return isASCIILetter(r) && !strings.ContainsRune("eEoObB", r) })
}

// isDate reports whether a text starts as a date, which some readers do not read as text.
func isDate(text string) bool {
	return len(text) > 4 && text[4] == '-' && strings.Trim(text[:4], "0123456789") == ""
}

// isPlainWord reports whether text, written without quotes, is a string to every YAML reader, in flow collections as
// well.
func isPlainWord(text string) bool {
	if text == "" || !isASCIILetter(rune(text[0])) || resolve(text).typ != String {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool {
		return !isASCIILetter(r) && !('0' <= r && r <= '9') && !strings.ContainsRune("_-./", r)
	}) < 0
}

func isASCIILetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
