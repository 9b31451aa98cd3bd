package schema

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// literal is how a boolean or number is written.
type literal struct {
	text   string // without tag and anchor; "" if it is not known
	prefix string // the tag and the anchor, such as "&port "
	alias  string // such as "*port"; "" if the value does not come from an alias
}

// literalOf returns how the value of a scalar is written where the user wrote it.
func (c *Checker) literalOf(n manifest.Node) literal {
	raw := n.Raw()
	if !n.Tagged() {
		return written(n, raw)
	}
	if strings.HasPrefix(raw, "*") {
		return literal{text: c.anchored(n, raw[1:]), alias: raw}
	}
	rest := raw
	for strings.HasPrefix(rest, "&") || strings.HasPrefix(rest, "!") {
		_, after, _ := strings.Cut(rest, " ")
		rest = strings.TrimLeft(after, " ")
	}
	return literal{text: rest, prefix: raw[:len(raw)-len(rest)]}
}

// written returns how a value is written in the file that a program, such as kustomize, has read.
func written(n manifest.Node, raw string) literal {
	src := n.Tree().Source
	if src.Written == nil {
		return literal{text: raw}
	}
	span := n.Span()
	origin := src.Written(span)
	if origin.Source == nil || origin.Source == src || origin.Span.End > len(origin.Source.Text) {
		return literal{text: raw}
	}
	switch text := origin.Source.Text[origin.Span.Start:origin.Span.End]; {
	case isToken(text):
		return literal{text: text}
	case isCanonical(n, raw): // what a template writes
		return literal{text: raw}
	}
	return literal{}
}

// isCanonical reports whether the text is the usual one of the value: a decimal integer, true or false.
func isCanonical(n manifest.Node, text string) bool {
	switch n.Type() {
	case manifest.Integer:
		return text == number(n.Integer())
	case manifest.Boolean:
		return text == strconv.FormatBool(n.Boolean())
	}
	return false
}

// isToken reports whether a text can be a boolean or a number.
func isToken(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("+-._:", r))
	}) < 0
}

// mostAnchors is the maximum number of aliases of a document whose anchors are looked up. Each is looked up in the
// text before it. A file of 29 public repositories has at most 7 aliases.
const mostAnchors = 100

// anchored returns the text of the boolean or number that an alias stands for, or "" if it is not known.
func (c *Checker) anchored(n manifest.Node, name string) string {
	if c.hints.anchors++; c.hints.anchors > mostAnchors {
		return ""
	}
	text := n.Tree().Source.Text[c.root.Span().Start:n.Span().Start]
	i := strings.LastIndex(text, "&"+name+" ")
	if i < 0 {
		return ""
	}
	text = strings.TrimLeft(text[i+len(name)+2:], " ")
	if end := strings.IndexAny(text, " \t\r\n,}]"); end >= 0 {
		text = text[:end]
	}
	if !isToken(text) {
		return ""
	}
	return text
}

// isAliased reports whether a value has an anchor, and the document an alias of it.
func (c *Checker) isAliased(n manifest.Node, prefix string) bool {
	_, name, isAnchored := strings.Cut(prefix, "&")
	if !isAnchored {
		return false
	}
	if c.hints.anchors++; c.hints.anchors > mostAnchors {
		return true
	}
	name, _, _ = strings.Cut(name, " ")
	text := n.Tree().Source.Text[n.Span().End:c.root.Span().End]
	for {
		_, rest, ok := strings.Cut(text, "*"+name)
		if !ok {
			return false
		}
		if rest == "" || strings.ContainsAny(rest[:1], " \t\r\n,:}]") {
			return true
		}
		text = rest
	}
}

// PlainText is a boolean or number as messages show it: as written, unless it comes from an alias or a default or has
// an anchor or a tag.
func PlainText(n manifest.Node) string {
	if n.Tagged() || n.Defaulted() {
		return string(n.AppendJSON(nil))
	}
	return n.Raw()
}

// quoteHelp says how to make a boolean or number a string that is allowed. It returns "" if n is neither, or if its
// text would not be allowed.
func (c *Checker) quoteHelp(n manifest.Node, isAllowed func(text string) bool) (help string, fixes []diag.Fix) {
	isScalar := n.Type() == manifest.Boolean || n.Type() == manifest.Integer || n.Type() == manifest.Float
	if !isScalar || n.Defaulted() {
		return "", nil
	}
	noun := "number"
	if n.Type() == manifest.Boolean {
		noun = "boolean"
	}
	l := c.literalOf(n)
	text := strings.Trim(l.text, `"'`) // a tag makes a number of "5"
	if text != "" && !isAllowed(text) {
		return "", nil
	}
	value := diag.Cut(string(n.AppendJSON(nil)), diag.LongestQuote)
	isTag := strings.HasPrefix(l.prefix, "!") || strings.Contains(l.prefix, " !")
	switch {
	case l.alias != "" && text == "":
		return "write a string instead of " + l.alias + ", which is the " + noun + " " + value, nil
	case l.alias != "":
		return "use " + quote(text) + ": " + l.alias + " is the " + noun + " " + value, nil
	case isTag && text != l.text:
		return "remove the tag", nil
	case isTag:
		return "remove the tag, and quote it: " + quote(text), nil
	case c.isAliased(n, l.prefix): // quotes would change the other values, too
		return "use " + quote(text) + ", and move " + l.prefix + text + " to the first alias", nil
	case l.prefix != "":
		return "quote it: " + l.prefix + quote(text), nil
	case text == "": // what the user wrote decides, see check.quoteWritten
		return "quote it: " + quote(n.Raw()), n.QuoteFix()
	}
	help = "quote it: " + quote(text)
	if n.Type() == manifest.Integer && !isCanonical(n, strings.TrimPrefix(text, "+")) {
		help += "; without quotes it is " + octal(text) + "the number " + value
	}
	return help, n.QuoteFix()
}

func octal(text string) string {
	digits := strings.TrimLeft(text, "+-")
	if len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "01234567_o") == "" {
		return "octal, "
	}
	return ""
}

// unquoteHelp says how to make a string the number or boolean that its text is. It returns "" if it is none that the
// types allow.
func (c *Checker) unquoteHelp(n manifest.Node, s *Schema) (help string, fixes []diag.Fix) {
	if n.Type() != manifest.String || n.Defaulted() || s.types&(typeInteger|typeNumber|typeBoolean) == 0 {
		return "", nil
	}
	isQuoted := n.Style() == manifest.SingleQuoted || n.Style() == manifest.DoubleQuoted
	if isQuoted && !n.Tagged() {
		if help, fixes, ok := meantHelp(n, s); ok {
			return help, fixes
		}
	}
	if !readsAs(n.Text(), s.types) {
		return "", nil
	}
	raw, text := n.Raw(), n.Text()
	switch {
	case n.Tagged() && strings.HasPrefix(raw, "*"):
		return "use " + text + ": " + raw + " is the string " + quote(text), nil
	case n.Tagged() && strings.Contains(raw, "!"):
		if isQuoted || strings.HasSuffix(raw, `"`) || strings.HasSuffix(raw, "'") {
			return "remove the tag and the quotes", nil
		}
		return "remove the tag", nil
	case n.Tagged() && c.isAliased(n, raw):
		anchor, _, _ := strings.Cut(raw, " ")
		return "use " + text + ", and move " + anchor + " " + quote(text) + " to the first alias", nil
	case isQuoted || n.Tagged():
		return "remove the quotes", n.UnquoteFix(s.plainTypes()...)
	}
	return "use " + text, nil
}

// meantHelp says how to write a string in quotes that means a boolean or number, but would be none, or another one, without
// the quotes: "True", "no", " 80", "0777".
func meantHelp(n manifest.Node, s *Schema) (help string, fixes []diag.Fix, ok bool) {
	text := strings.TrimSpace(n.Text())
	digits := strings.TrimLeft(text, "0")
	isPadded := digits != text && digits != "" && isWholeLiteral(text)
	switch {
	case s.types&typeBoolean != 0:
		lower := strings.ToLower(text)
		if lower == n.Text() && (lower == "true" || lower == "false") {
			return "", nil, false
		}
		word, isWord := booleanWords[lower]
		if !isWord {
			return "", nil, false
		}
		fixes := n.PlainFix(word)
		return "use " + word, diag.Safely(strings.EqualFold(n.Text(), word), fixes), true
	case isPadded && s.isMode() && !n.IsInJSON():
		return "remove the quotes", diag.Safely(true, n.PlainFix(text)), isOctal(text)
	case isPadded && s.isMode():
		mode, _ := strconv.ParseInt(text, 8, 64)
		decimal := strconv.FormatInt(mode, 10)
		return "use " + decimal + ", which is octal " + text, diag.Safely(true, n.PlainFix(decimal)), isOctal(text)
	case isPadded:
		return "use " + digits, n.PlainFix(digits), readsAs(digits, s.types)
	case text != n.Text() && text != "true" && text != "false" && readsAs(text, s.types):
		return "use " + text, n.PlainFix(text), true
	}
	return "", nil, false
}

// booleanWords are the words that YAML 1.1 reads as booleans if they have no quotes.
var booleanWords = map[string]string{
	"true": "true", "yes": "true", "on": "true", "y": "true", "false": "false", "no": "false", "off": "false", "n": "false",
}

// largestMode is the largest mode of a file in a volume: 0777.
const largestMode = 0o777

// isMode reports whether the values of a schema are modes of files, which people write as octal numbers.
func (s *Schema) isMode() bool {
	return s.types&typeInteger != 0 && s.Maximum != nil && *s.Maximum == largestMode
}

func isOctal(text string) bool { return strings.Trim(text, "01234567") == "" }

// modeHelp says how to write a mode whose octal digits were written as a decimal number.
func modeHelp(n manifest.Node, s *Schema) (help string, fixes []diag.Fix) {
	raw := n.Raw()
	if !s.isMode() || n.Type() != manifest.Integer || !isOctal(raw) || raw[0] == '0' {
		return "", nil
	}
	mode, err := strconv.ParseInt(raw, 8, 64)
	if err != nil || mode > largestMode {
		return "", nil
	}
	if n.IsInJSON() {
		decimal := strconv.FormatInt(mode, 10)
		return "use " + decimal + ", which is octal 0" + raw, n.NumberFix(decimal)
	}
	return "use 0" + raw + ", which is octal", n.NumberFix("0" + raw)
}
