package kustomize

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// copiedLines returns the lines of a schema as they are written, up to an offset, with the indentation that the library
// gives a schema. It returns false if they may have another meaning in the output than what the library would write,
// which takes ten times as long: the library reads words such as yes as strings, and writes them with quotes.
func copiedLines(schema manifest.Node, end int) (string, bool) {
	text, first := schema.Tree().Source.Text, schema.First()
	if !first.Valid() || !isWrittenPlainly(schema) {
		return "", false
	}
	at := first.KeySpan().Start
	start := strings.LastIndexByte(text[:at], '\n') + 1
	between := text[schema.KeySpan().End:start]
	if strings.Trim(text[start:at], " ") != "" || strings.Trim(between, ": \n") != "" || start >= end {
		return "", false
	}
	lines := text[start:end]
	for _, odd := range []string{"${", "\r", "\n\t"} {
		if strings.Contains(lines, odd) {
			return "", false
		}
	}
	if !strings.HasSuffix(lines, "\n") {
		lines += "\n"
	}
	return indented(lines, len(schemaIndent)+len("  ")-(at-start))
}

// indented adds spaces to the start of each line that is not blank, or removes them. It returns false if a line has
// fewer.
func indented(lines string, by int) (string, bool) {
	if by == 0 {
		return lines, true
	}
	var b strings.Builder
	b.Grow(len(lines) + len(lines)/16)
	added, removed := strings.Repeat(" ", max(by, 0)), strings.Repeat(" ", max(-by, 0))
	for line := range strings.Lines(lines) {
		rest, ok := strings.CutPrefix(line, removed)
		switch {
		case ok && rest != "\n":
			b.WriteString(added)
			b.WriteString(rest)
		case strings.TrimLeft(line, " ") == "\n":
			b.WriteByte('\n')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// isWrittenPlainly reports whether the library and an API server read a node, as it is written, as the same value.
func isWrittenPlainly(n manifest.Node) bool {
	if n.Tagged() || n.Shadowed() {
		return false
	}
	switch n.Type() {
	case manifest.Map, manifest.List:
		isMap := n.Type() == manifest.Map
		for child := range n.Children() {
			if isMap && !isPlainKey(child) || !isWrittenPlainly(child) {
				return false
			}
		}
		return true
	case manifest.String:
		switch raw := n.Raw(); n.Style() {
		case manifest.Plain:
			return !mayBeOther(raw)
		case manifest.Literal, manifest.Folded: // their indentation may be a number
			header, _, _ := strings.Cut(raw, "\n")
			return !strings.ContainsAny(header, "+123456789")
		}
		return true
	case manifest.Boolean:
		return n.Raw() == "true" || n.Raw() == "false"
	case manifest.Integer:
		return isSimpleNumber(n.Raw())
	}
	return n.Raw() == "null"
}

func isPlainKey(n manifest.Node) bool {
	sp := n.KeySpan()
	raw := n.Tree().Source.Text[sp.Start:sp.End]
	return raw == n.Key() && !mayBeOther(raw) && raw != "<<" || raw != "" && (raw[0] == '"' || raw[0] == '\'')
}

// mayBeOther reports whether a plain text may be something other than a string to some reader of YAML.
func mayBeOther(raw string) bool {
	if raw == "" {
		return true
	}
	const longestWord = len("false")
	switch c := raw[0]; {
	case c >= '0' && c <= '9', strings.IndexByte("+-.~=", c) >= 0:
		return notString().MatchString(raw) || raw == "="
	case strings.IndexByte("tTfFnNyYoO", c) >= 0:
		return len(raw) <= longestWord && (notString().MatchString(raw) || isBooleanWord().MatchString(raw))
	}
	return false
}

// isSimpleNumber reports whether a text is an integer that all readers of YAML and JSON read alike.
func isSimpleNumber(raw string) bool {
	digits := strings.TrimPrefix(raw, "-")
	const mostDigits = 15 // a float64 holds all such integers
	return digits != "" && len(digits) <= mostDigits && strings.Trim(digits, "0123456789") == "" && (digits[0] != '0' || raw == "0")
}
