package config

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// FieldPattern names a field of a document and everything below it, such as spec.ports[].port, where [] is any item.
// The zero value names the whole document.
type FieldPattern struct {
	steps     diag.Path // the index anyItem stands for any item
	isInvalid bool      // an invalid pattern matches nothing
}

const anyItem = -1

// Covers reports whether a path leads to the field or to something below it.
func (p FieldPattern) Covers(path diag.Path) bool {
	if p.isInvalid || len(path) < len(p.steps) {
		return false
	}
	for i, step := range p.steps {
		if step != path[i] && !(step.IsItem && step.Index == anyItem && path[i].IsItem) {
			return false
		}
	}
	return true
}

// parseField parses a pattern, which has the form of the paths in a report.
func parseField(text string) FieldPattern {
	var p FieldPattern
	for text != "" {
		step, rest, ok := parseStep(text, len(p.steps) == 0)
		if !ok {
			return FieldPattern{isInvalid: true}
		}
		p.steps, text = append(p.steps, step), rest
	}
	return p
}

func parseStep(text string, isFirst bool) (step diag.Step, rest string, ok bool) {
	if inner, isBracket := strings.CutPrefix(text, "["); isBracket {
		return parseBracket(inner)
	}
	if !isFirst {
		if text, ok = strings.CutPrefix(text, "."); !ok {
			return step, "", false
		}
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	step.Name = text[:end]
	return step, text[end:], diag.IsPlainKey(step.Name)
}

// parseBracket parses ], 12] or "a.b/c"].
func parseBracket(text string) (step diag.Step, rest string, ok bool) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil && quoted[0] == '"' {
		step.Name, _ = strconv.Unquote(quoted)
		rest, ok = strings.CutPrefix(text[len(quoted):], "]")
		return step, rest, ok
	}
	index, rest, ok := strings.Cut(text, "]")
	step = diag.Step{Index: anyItem, IsItem: true}
	if index == "" {
		return step, rest, ok
	}
	n, err := strconv.ParseUint(index, 10, 31)
	step.Index = int(n)
	return step, rest, ok && err == nil
}
