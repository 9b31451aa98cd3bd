package manifest

import (
	"iter"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Format says how a text is parsed.
type Format uint8

// The formats.
const (
	YAML Format = iota + 1
	JSON
)

// Part is one document of a stream that has been cut out but not parsed.
type Part struct {
	Span source.Span
	// Index is the number of the document in the stream, from 1.
	Index int
	// Format says how the part is parsed.
	Format Format

	// FirstKey decides between two different keys that become the same string, such as 1 and "1": if true, the first
	// one counts, otherwise the last.
	FirstKey bool
	// WordKeys means that plain keys such as y and off are strings, as in YAML 1.2. A document with rare constructs is
	// read without it.
	WordKeys bool

	fault *diag.Violation // fault in the separator before the part
	// isItem means that the part is the item of a list. It may start in the middle of a line.
	isItem bool
}

// Item returns the part that consists of an item of a list in p. Reading it gives a violation if the item may mean
// something else by itself, for example because it has an alias of a value outside of it.
func (p Part) Item(span source.Span) Part {
	p.Span, p.isItem = span, true
	return p
}

// Parts cuts the text of a source into its documents, as kubectl does (k8s.io/apimachinery,
// util/yaml.YAMLOrJSONDecoder). A text that starts with a JSON object is a series of JSON values; if anything else
// follows the first one, the rest is YAML. Any other text is YAML, whatever its file is named, and is cut at each line
// that starts with "---", after which only a comment may follow. Parts that are empty or contain only comments are not
// documents. In a file named .json, a text that starts with a bracket is JSON, too. In the output of a Helm template, a
// document may start on the line of the separator (SplitManifests in pkg/releaseutil). A source whose FirstLine is
// greater than 1 was cut out of a YAML stream.
func Parts(s *source.Source) iter.Seq[Part] {
	yaml := YAMLParts(s)
	if s.FirstLine > 1 {
		return yaml
	}
	start := skipBlank(s.Text, 0)
	if !startsLikeJSON(s.Text[start:]) {
		return yaml
	}
	return func(yield func(Part) bool) {
		if (s.Text[start] == '{' || hasJSONName(s)) && isJSON(s.Text[start:]) {
			jsonParts(s, yield)
			return
		}
		yaml(yield)
	}
}

// YAMLParts cuts a text into its documents as if it were not JSON.
func YAMLParts(s *source.Source) iter.Seq[Part] {
	return func(yield func(Part) bool) { yamlParts(s, 0, 0, nil, yield) }
}

// hasJSONName reports whether a text has the name of a JSON file.
func hasJSONName(s *source.Source) bool { return path.Ext(s.Name) == ".json" }

// startsLikeJSON reports whether a text starts like a JSON object or array.
func startsLikeJSON(text string) bool { return text != "" && (text[0] == '{' || text[0] == '[') }

const bom = "\ufeff"

// skipBlank returns the offset of the first character from i on that is not a space, a line break or a byte order
// mark.
func skipBlank(text string, i int) int {
	if i == 0 && strings.HasPrefix(text, bom) {
		i = len(bom)
	}
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

const separator = "---"

// yamlParts cuts the text from start on. index is the number of documents before it, and fault what is wrong with the
// start of the first one.
func yamlParts(s *source.Source, start, index int, fault *diag.Violation, yield func(Part) bool) {
	kept := start // where the text starts that kubectl reads as the next document
	if start == 0 && strings.HasPrefix(s.Text, bom) {
		kept = len(bom)
	}
	emit := func(end int) bool {
		if fault == nil && !hasContent(s.Text[start:end]) {
			return true
		}
		index++
		p := Part{Span: source.Span{Start: start, End: end}, Index: index, Format: YAML, fault: fault}
		if at := skipBlank(s.Text[:end], start); at < end && s.Text[at] == '{' && isJSON(s.Text[at:end]) {
			p.Format = JSON
		}
		return yield(p)
	}
	for at := nextSeparator(s.Text, start); at >= 0; at = nextSeparator(s.Text, start) {
		next := min(lineEnd(s.Text, at)+1, len(s.Text))
		if !emit(at) {
			return
		}
		line := s.Text[at:next]
		start = next
		if at > kept && !s.AfterSeparators {
			kept = next // kubectl drops the line, unless it is the first one that it reads
		} else if comment := strings.IndexByte(line, '#'); comment >= 0 {
			start = at + comment + breakLength(line[comment:])
		}
		fault = separatorFault(s, at, line)
		if after := at + len(separator); fault != nil && s.AfterSeparators && s.Text[after] != separator[0] {
			start, fault = skipBlank(s.Text, after), nil
		}
	}
	emit(len(s.Text))
}

// nextSeparator returns the offset of the first separator on a line that starts at or after i, or -1 if there is none.
// A byte order mark may precede the separator on the first line.
func nextSeparator(text string, i int) int {
	first := i
	if i == 0 && strings.HasPrefix(text, bom) {
		first = len(bom)
	}
	if strings.HasPrefix(text[first:], separator) {
		return first
	}
	for at := first + 1; at < len(text); at += len(separator) {
		n := strings.Index(text[at:], separator) // far rarer than the end of a line
		if n < 0 {
			break
		}
		if at += n; text[at-1] == '\n' {
			return at
		}
	}
	return -1
}

// separatorFault reports text after a separator: kubectl rejects it, while other readers take it as part of the
// document.
func separatorFault(s *source.Source, offset int, line string) *diag.Violation {
	rest := strings.TrimSpace(line[len(separator):])
	if rest == "" || rest[0] == '#' {
		return nil
	}
	at := offset + strings.Index(line, rest)
	return &diag.Violation{
		Rule: diag.Syntax, Severity: diag.Error,
		Message: "only a comment is allowed after a document separator",
		Help:    "move the text to its own line, or indent it if it belongs to a block scalar",
		Place:   s.Place(source.Span{Start: at, End: at + len(rest)}),
	}
}

// hasContent reports whether a part contains anything other than blank lines, comments and document end markers. A tab is
// content: a YAML reader rejects it where no value has begun.
func hasContent(text string) bool {
	for line := range strings.Lines(strings.TrimPrefix(text, bom)) {
		for line != "" {
			first := line
			if at := strings.IndexByte(line, '#'); at >= 0 {
				first = line[:at+breakLength(line[at:])]
			}
			line = line[len(first):]
			if first = strings.Trim(first, " \r\n\u0085\u2028\u2029"); first != "" && first[0] != '#' && first != "..." {
				return true
			}
		}
	}
	return false
}

// breakLength returns the length of a text up to and including its first line break of YAML 1.1, which ends a comment.
// It is the length of the text if it has none.
func breakLength(text string) int {
	for i, c := range text {
		switch c {
		case '\r', '\n', '\u0085', '\u2028', '\u2029':
			return i + utf8.RuneLen(c)
		}
	}
	return len(text)
}

// jsonParts cuts a text into JSON values. A value that is not well-formed extends to the end of the text. kubectl
// reads what follows the first value as YAML if it is not JSON, but rejects it after further values.
func jsonParts(s *source.Source, yield func(Part) bool) {
	for from, index := 0, 1; ; index++ {
		start := skipBlank(s.Text, from)
		if start >= len(s.Text) {
			return
		}
		rest := s.Text[start:]
		if isMore := index > 2 && startsLikeJSON(rest); !isMore && !isJSON(rest) {
			var fault *diag.Violation
			if index > 2 {
				fault = notJSON(s, start)
			}
			yamlParts(s, lineStart(s.Text, from, start), index-1, fault, yield)
			return
		}
		end, ok := jsonEnd(s.Text, start)
		if !ok {
			end = len(s.Text)
		}
		p := Part{Span: source.Span{Start: start, End: end}, Index: index, Format: JSON}
		if !yield(p) {
			return
		}
		from = end
	}
}

// notJSON reports YAML after several JSON values.
func notJSON(s *source.Source, offset int) *diag.Violation {
	return &diag.Violation{
		Rule: diag.Syntax, Severity: diag.Error,
		Message: "YAML cannot follow several JSON values without separators",
		Help:    "separate all documents with lines of ---",
		Place:   s.Place(source.Span{Start: offset, End: offset + 1}),
	}
}

// lineStart returns the start of the line of the offset to, or to if that line starts before from.
func lineStart(text string, from, to int) int {
	if i := strings.LastIndexByte(text[from:to], '\n'); i >= 0 {
		return from + i + 1
	}
	return to
}

// jsonEnd returns the end of the JSON value that starts at i. It looks only at brackets and quotes.
func jsonEnd(text string, i int) (int, bool) {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1, true
			}
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(text)), i < len(text)
			}
		case ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i, true
			}
		}
	}
	return len(text), depth == 0
}

// isJSON reports whether a text starts with a well-formed JSON value.
func isJSON(text string) bool {
	t := Tree{Source: &source.Source{Text: text}}
	r := jsonReader{tree: &t, text: text, end: len(text), checking: true}
	r.value(0)
	return r.fault == nil
}
