package schema

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// quote returns a text of a manifest as a message shows it.
func quote(text string) string { return diag.Quote(text) }

// quoteNode returns a value as a message shows it, as JSON.
func quoteNode(n manifest.Node) string { return cutNode(n, diag.LongestQuote) }

// cutNode is like quoteNode, for a value of at most the given number of characters.
func cutNode(n manifest.Node, most int) string {
	if n.Type() == manifest.String {
		return strconv.Quote(diag.Cut(n.Text(), most))
	}
	return diag.Cut(string(n.AppendJSON(nil)), most)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func float(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// TypeWords describes the types that a schema accepts, such as "a string" or "an integer or a string".
func (s *Schema) TypeWords() string {
	switch {
	case s.IntOrString:
		return "an integer or a string"
	case s.number == formatInt32:
		return "a 32-bit integer"
	case s.Type == "" && s.format != nil:
		return s.format.Noun
	case s.Type == "":
		return "a valid " + s.Format
	}
	return diag.Article(s.Type)
}

// TypeHelp returns the help for a value of the wrong type.
func (c *Checker) TypeHelp(n manifest.Node, s *Schema) (string, []diag.Fix) {
	if s.types&typeString != 0 {
		if help, fixes := c.quoteHelp(n, func(text string) bool { return c.allowsText(text, s) }); help != "" {
			return help, fixes
		}
		if help, fixes := c.valueHelp(n, s); help != "" {
			return help, fixes
		}
	}
	if help, fixes := c.unquoteHelp(n, s); help != "" {
		return help, fixes
	}
	switch {
	case s.Type == "array" && s.Items != nil && s.Items.allowsTypeOf(n):
		return "make it a list with one item", n.ListFix()
	case n.Type() == manifest.List && n.Len() == 1 && c.allowsItem(n.First(), s):
		return "write the item without a list", n.ItemFix()
	case len(s.Enum) > 0:
		return "allowed: " + enumWords(s.Enum), nil
	}
	return firstSentence(s.Description), nil
}

// valueHelp returns the help for a boolean or number whose text would not be allowed as a string: the allowed value
// that was meant, or what the string must be.
func (c *Checker) valueHelp(n manifest.Node, s *Schema) (string, []diag.Fix) {
	switch n.Type() {
	case manifest.Boolean, manifest.Integer, manifest.Float:
	default:
		return "", nil
	}
	if n.Type() == manifest.Boolean {
		for _, allowed := range s.Enum[:min(len(s.Enum), mostSearched)] {
			if strings.EqualFold(allowed.Text(), strconv.FormatBool(n.Boolean())) {
				return "use " + quote(allowed.Text()), diag.Safely(true, n.StringFix(allowed.Text()))
			}
		}
	}
	switch {
	case len(s.Enum) > 0:
		return "allowed: " + enumWords(s.Enum), nil
	case s.format != nil && s.format.Help != "":
		return s.format.Help, nil
	case s.MinLength != nil && *s.MinLength > 0 && s.pattern == nil:
		return "use a string of at least " + diag.Count(*s.MinLength, "character"), nil
	case s.Description == "" && s.pattern != nil:
		return "use a string that matches " + patternText(s), nil
	}
	return firstSentence(s.Description), nil
}

// mostSearched is how many allowed values are compared with a boolean, for the help about it. In 29 public
// repositories, an enum of a CRD has at most 23.
const mostSearched = 1000

// allowsText reports whether a string that is not in the file would be valid, apart from rules.
func (c *Checker) allowsText(text string, s *Schema) bool {
	size := int64(utf8.RuneCountInString(text))
	switch {
	case len(s.Enum) > 0 && !s.listsText(text),
		s.MaxLength != nil && size > *s.MaxLength, s.MinLength != nil && size < *s.MinLength,
		s.format != nil && !s.format.Check(text):
		return false
	case s.pattern == nil:
		return true
	}
	left := mostPatternWork - c.hints.patternWork
	matches, ok := s.pattern.Match(text, &left)
	c.hints.patternWork = mostPatternWork - left
	return ok && matches
}

// allowsTypeOf reports whether a value has one of the types of a schema.
func (s *Schema) allowsTypeOf(n manifest.Node) bool {
	s.Ready()
	return fits(n, s.types)
}

// allowsItem reports whether the item of a list would be valid in place of the list, as far as is known.
func (c *Checker) allowsItem(item manifest.Node, s *Schema) bool {
	return fits(item, s.types) && (item.Type() != manifest.String || c.allowsText(item.Text(), s))
}

// plainTypes returns the types that an unquoted value may have.
func (s *Schema) plainTypes() (types []manifest.Type) {
	if s.types&(typeInteger|typeNumber) != 0 {
		types = append(types, manifest.Integer)
	}
	if s.types&typeNumber != 0 {
		types = append(types, manifest.Float)
	}
	if s.types&typeBoolean != 0 {
		types = append(types, manifest.Boolean)
	}
	return types
}

func readsAs(text string, types typeSet) bool {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types&(typeInteger|typeNumber) != 0
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return types&typeNumber != 0
	}
	return types&typeBoolean != 0 && (text == "true" || text == "false")
}

// shortQuote is the maximum number of characters of a value that leaves room for the allowed values.
const shortQuote = 20

// notOneOf lists the allowed values. If a message does not have room for all of them, isCut is true. They help more
// than the value itself, which is cut first.
func notOneOf(n manifest.Node, enum []manifest.Node) (message string, isCut bool) {
	value, short := quoteNode(n), cutNode(n, shortQuote)
	words := enumList(enum)
	whole := "must be one of " + strings.Join(words, ", ") + "; got "
	switch isWhole := len(words) == len(enum); {
	case len(enum) == 1:
		return "must be " + words[0] + ", got " + value, false
	case isWhole && diag.FitsMessage(whole+value):
		return whole + value, false
	case isWhole && diag.FitsMessage(whole+short):
		return whole + short, false
	}
	all := number(int64(len(enum)))
	for ; len(words) > 0; words = words[:len(words)-1] {
		text := "must be one of " + strings.Join(words, ", ") + ", … (" + all + " allowed); got " + short
		if diag.FitsMessage(text) {
			return text, true
		}
	}
	return "must be one of " + all + " allowed values; got " + value, true
}

// mostNamed is the maximum number of allowed values that a finding lists. In 29 public repositories, an enum has up to
// 23, which do not fit on a line.
const mostNamed = 12

// enumList returns the first values, as a message shows them.
func enumList(enum []manifest.Node) (words []string) {
	for _, v := range enum[:min(len(enum), mostNamed)] {
		words = append(words, quoteNode(v))
	}
	return words
}

func enumWords(enum []manifest.Node) string {
	words := enumList(enum)
	if more := len(enum) - len(words); more > 0 {
		words = append(words, "and "+number(int64(more))+" more")
	}
	return strings.Join(words, ", ")
}

// longestHelp is the maximum number of characters of a description that a help line repeats. A description may have
// paragraphs.
const longestHelp = 160

// firstSentence returns the part of a description that fits on a help line.
func firstSentence(description string) string {
	text := strings.Join(strings.Fields(description), " ")
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i]
	}
	text = strings.TrimSuffix(text, ".")
	if utf8.RuneCountInString(text) > longestHelp {
		return ""
	}
	return lowerFirst(text)
}

// lowerFirst changes the first letter of a sentence to lower case, unless it begins with an abbreviation or a name.
// What stands before a comma or "or" is one of several values, such as "Normal or Warning".
func lowerFirst(text string) string {
	if len(text) > 1 && text[0] >= 'A' && text[0] <= 'Z' && (text[1] == ' ' || text[1] >= 'a' && text[1] <= 'z') {
		word, rest, _ := strings.Cut(text, " ")
		isValue := strings.HasSuffix(word, ",") || strings.HasPrefix(rest, "or ")
		if !isValue && strings.IndexFunc(word[1:], func(r rune) bool { return r >= 'A' && r <= 'Z' }) < 0 {
			return strings.ToLower(text[:1]) + text[1:]
		}
	}
	return text
}
