package manifest

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// beyondLimits reports text that must not be passed to a library: nesting that is too deep, more directives than the
// library reads in reasonable time, aliases that stand for too much, and UTF-16, for which places cannot be computed.
func (t *Tree) beyondLimits(p Part) *diag.Violation {
	text := t.Source.Text[p.Span.Start:p.Span.End]
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return t.fault(p, 0, 2, diag.Syntax, "the file is encoded in UTF-16", "save it as UTF-8")
	}
	if v := t.tooManyDirectives(p); v != nil {
		return v
	}
	tooDeep := "nested deeper than " + strconv.Itoa(maxDepth) + " levels"
	depth := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return t.fault(p, i, 1, diag.ReaderLimit, tooDeep, "")
			}
		case (c == ']' || c == '}') && depth > 0:
			depth--
		case (i == 0 || text[i-1] == '\n') && longRun(text[i:]):
			return t.fault(p, i, 1, diag.ReaderLimit, tooDeep, "")
		}
	}
	if Aliased(text) > MaxAliased {
		return t.fault(p, 0, 1, diag.ReaderLimit, "the aliases of the document exceed the expansion limit",
			"replace aliases with their values, or use fewer aliases of aliases")
	}
	return nil
}

// maxDirectives is the maximum number of directives before a document that are read. The library compares each %TAG
// with all before it. A document rarely has more than one or two. 29 public repositories have none.
const maxDirectives = 256

// tooManyDirectives reports the first directive beyond maxDirectives. It looks only at directives, comments and
// document ends before the content of the document, because the library takes lines for directives only there.
func (t *Tree) tooManyDirectives(p Part) *diag.Violation {
	directives := 0
	for i := p.Span.Start; i < p.Span.End; {
		end := yamlLineEnd(t.Source.Text[:p.Span.End], i)
		line := strings.TrimPrefix(t.Source.Text[i:end], bom)
		switch content := strings.TrimLeft(line, " \t\r\n\u0085\u2028\u2029"); {
		case line != "" && line[0] == '%':
			if directives++; directives > maxDirectives {
				return t.fault(p, i-p.Span.Start, len(strings.TrimRight(line, "\r\n")), diag.ReaderLimit,
					"more than "+strconv.Itoa(maxDirectives)+" directives before the document", "remove the lines that start with %")
			}
		case content != "" && content[0] != '#' && !strings.HasPrefix(line, "..."):
			return nil
		}
		i = end
	}
	return nil
}

func (t *Tree) fault(p Part, i, size int, rule diag.Rule, message, help string) *diag.Violation {
	at := p.Span.Start + i
	return &diag.Violation{
		Rule: rule, Severity: diag.Error, Message: message, Help: help,
		Place: t.Source.Place(source.Span{Start: at, End: at + size}),
	}
}

// unreadable finds the first byte that no YAML reader accepts: a control character or invalid UTF-8 ([c-printable],
// section 5.1).
func (t *Tree) unreadable(p Part) *diag.Violation {
	text := t.Source.Text[p.Span.Start:p.Span.End]
	for i := 0; i < len(text); {
		c := text[i]
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case c == 0:
			return t.fault(p, i, 1, diag.Syntax, "NUL byte: this looks like a binary file", "exclude binary files")
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f, r >= 0x80 && r < 0xa0 && r != 0x85, r == 0xfffe,
			r == 0xffff:
			return t.fault(p, i, size, diag.Syntax, "control character "+strconv.QuoteRune(r),
				"remove it, or write it as an escape in double quotes")
		case r == utf8.RuneError && size == 1:
			return t.fault(p, i, 1, diag.Syntax, "invalid UTF-8", "save the file as UTF-8")
		}
		i += size
	}
	return nil
}

// longRun reports whether a line starts with more list dashes than the maximum nesting depth.
func longRun(line string) bool {
	n := 0
	for strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "? ") {
		if n++; n > maxDepth {
			return true
		}
		line = line[2:]
	}
	return false
}

// longestMessage is the maximum number of characters of a library's message that are repeated. Some contain a whole
// value.
const longestMessage = 200

var lineOfError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+): `) })

// textAfterValue matches a line with text after a value that a quotation mark or a bracket ends.
var textAfterValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:- +)*(?:[^\s:"'{\[]+:[ \t]+)?(?:"[^"\\]*"|'(?:[^']|'')*'|\{[^{}]*\}|\[[^\[\]]*\])[ \t]*([^ \t,:#}\]].*?)(?:[ \t]+#.*)?$`)
})

// syntaxFault describes the fault in a text that the library rejects. The library gives at most the line; the column
// is found by searching for what the message describes.
func (t *Tree) syntaxFault(p Part, err error) diag.Violation {
	if v := t.unreadable(p); v != nil {
		return *v
	}
	v := diag.Violation{Rule: diag.Syntax, Severity: diag.Error}
	message := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "), "yaml: ")
	line := 0
	if m := lineOfError().FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[strings.Index(message, m[0])+len(m[0]):]
	}
	v.Message, v.Help = diag.Cut(message, longestMessage), ""
	for _, known := range syntaxFaults {
		if strings.Contains(message, known.library) {
			if known.lineBefore {
				line++
			}
			v.Message, v.Help = known.message, known.help
			break
		}
	}
	if strings.Contains(message, "exceeded max depth") || strings.Contains(message, "excessive aliasing") {
		v.Rule = diag.ReaderLimit
	}
	sp := t.faultSpan(p, max(line, 1), message)
	if line == 0 && strings.Contains(message, "map key") {
		sp = t.oddKey(p, sp)
	}
	if at := textAfterValue().FindStringSubmatchIndex(t.Source.Text[sp.Start:sp.End]); at != nil &&
		strings.Contains(message, "did not find expected") {
		v.Message, v.Help = "text after the end of the value", "quote the whole value, or remove the text"
		sp.Start, sp.End = sp.Start+at[2], sp.Start+at[3]
	}
	if strings.HasPrefix(t.Source.Text[sp.Start:sp.End], "\t") {
		v.Message, v.Help = "a tab is used for indentation", "indent with spaces"
	}
	if v.Help == "indent with spaces" {
		v.Fixes = t.spacesFix(p)
	}
	v.Place = t.Source.Place(sp)
	return v
}

// mostTabs is the maximum number of lines that a fix indents with spaces.
const mostTabs = 10_000

// spacesFix returns the fix that writes two spaces for each tab in the indentation of a document. How wide a tab is meant to
// be is for the user to say.
func (t *Tree) spacesFix(p Part) []diag.Fix {
	var edits []diag.Edit
	text := t.Source.Text
	for _, l := range yamlLines(text, p.Span) {
		end := l.start + len(text[l.start:p.Span.End]) - len(strings.TrimLeft(text[l.start:p.Span.End], " \t"))
		if indent := text[l.start:end]; strings.Contains(indent, "\t") && len(edits) < mostTabs {
			at := t.Source.Exactly(source.Span{Start: l.start, End: end})
			edits = append(edits, diag.Edit{Place: at, NewText: strings.ReplaceAll(indent, "\t", "  ")})
		}
	}
	if len(edits) == 0 {
		return nil
	}
	return diag.Choices([]diag.Fix{{Title: "indent with two spaces", Edits: edits}})
}

// syntaxFaults maps the library's messages to clearer ones. Messages of its parser, unlike those of its scanner, name
// the previous line.
var syntaxFaults = []struct {
	library, message, help string
	lineBefore             bool
}{
	{library: "found a tab character", message: "a tab is used for indentation", help: "indent with spaces"},
	{library: "mapping values are not allowed", message: "second key on this line, or wrong indentation",
		help: "quote a value that contains a colon and a space, or start the map on its own line"},
	{
		library: "found character that cannot start any token", message: "a value cannot start with this character",
		help: "quote the value",
	},
	{library: "block sequence entries are not allowed", message: "a list cannot start on the line of its key",
		help: "start the list on its own line"},
	{library: "could not find expected ':'", message: "key without a colon, or text that is not indented",
		help: "add a colon, or indent the line"},
	{library: "did not find expected key", message: "the indentation matches no map or list above", lineBefore: true,
		help: "indent the line like the lines around it"},
	{library: "did not find expected '-' indicator", message: "expected a list item", lineBefore: true,
		help: "start the line with a dash, or indent it like the lines around it"},
	{
		library: "did not find expected ',' or ']'", message: "list without a closing bracket", lineBefore: true,
		help: "add ]",
	},
	{
		library: "did not find expected ',' or '}'", message: "map without a closing brace", lineBefore: true, help: "add }",
	},
	{library: "did not find expected node content", message: "missing value or closing bracket", lineBefore: true},
	{library: "found unexpected end of stream", message: "unterminated quoted string", help: "add the closing quote"},
	{library: "found unknown escape character", message: "unknown escape in a double-quoted string",
		help: "write a backslash as \\\\, or use single quotes"},
	{library: "found invalid Unicode character escape code", message: "invalid character: the escape is a surrogate",
		help: "write the character itself"},
	{library: "unknown anchor", message: "the alias refers to an unknown anchor"},
	{library: "found incompatible YAML document", message: "only YAML 1.1 is supported", help: "remove the %YAML line"},
	{
		library: notFinite, message: infiniteMessage, help: infiniteHelp,
	},
	{library: "unsupported map key", message: "null cannot be a key", help: "quote it if it is a string"},
	{library: "invalid map key", message: "a map or list cannot be a key", help: "quote the value if it is a string"},
	{library: "exceeded max depth", message: "nested deeper than " + strconv.Itoa(maxDepth) + " levels"},
	{library: "excessive aliasing", message: "the aliases of the document exceed the expansion limit",
		help: "replace aliases with their values, or use fewer aliases of aliases"},
}

// faultSpan returns the span to mark on a line with a syntax fault.
func (t *Tree) faultSpan(p Part, line int, message string) source.Span {
	lines := yamlLines(t.Source.Text, p.Span)
	line = min(line, len(lines))
	if line > 1 && lines[line-1].start == p.Span.End { // after the last line: what is missing is missing on that line
		line--
	}
	start, end := lines[line-1].start, p.Span.End
	if line < len(lines) {
		end = lines[line].start
	}
	text := strings.TrimRight(t.Source.Text[start:end], "\r\n")
	indent := len(text) - len(strings.TrimLeft(text, " "))
	at, size := indent, max(len(strings.TrimRight(text, " "))-indent, 0)
	switch {
	case strings.Contains(message, "tab character") || strings.Contains(message, "cannot start any token"):
		if i := strings.IndexAny(text, "\t@`%"); i >= 0 {
			at, size = i, 1
		}
	case strings.Contains(message, "mapping values are not allowed"):
		if first := strings.Index(text, ": "); first >= 0 {
			if second := strings.Index(text[first+1:], ": "); second >= 0 {
				at, size = first+1+second, 1
			}
		}
	case strings.Contains(message, "unknown anchor"):
		if i := strings.Index(text, "*"); i >= 0 {
			at, size = i, max(len(strings.Fields(text[i:])[0]), 1)
		}
	}
	return source.Span{Start: start + at, End: start + at + size}
}
