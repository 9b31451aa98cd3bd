package rule

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/pattern"
)

// Written is a condition on the text of a scalar. The zero value means no condition.
type Written struct {
	// Types are the types that the scalar may have, with the names that schemas use.
	Types []string
	// Style is "plain", "single-quoted", "double-quoted", "literal" or "folded"; "" means any.
	Style string
	// Raw is a pattern for the scalar's text, Key a pattern for the text of its key, both as they are written.
	Raw, Key string
}

var (
	typeNames  = [...]string{"null", "boolean", "integer", "number", "string", "object", "array"}
	styleNames = [...]string{"plain", "single-quoted", "double-quoted", "literal", "folded", "flow"}
)

// sourceOf describes how a value is written, for the variable source of rules.
func sourceOf(n manifest.Node) [5]string {
	raw, tag := n.Raw(), ""
	if n.Tagged() && strings.HasPrefix(raw, "!") {
		tag, _, _ = strings.Cut(raw, " ")
	}
	return [5]string{raw, styleNames[n.Style()], tag, rawKey(n), between(n)}
}

// between returns the text between a field's key and its value: the colon and everything around it.
func between(n manifest.Node) string {
	key, value := n.KeySpan(), n.Span()
	if key.End == key.Start || value.Start < key.End {
		return ""
	}
	return n.Tree().Source.Text[key.End:value.Start]
}

// rawKey returns the key of a field as it is written, including quotes.
func rawKey(n manifest.Node) string {
	sp := n.KeySpan()
	return n.Tree().Source.Text[sp.Start:sp.End]
}

// IsZero reports whether there is no condition.
func (w *Written) IsZero() bool {
	return len(w.Types) == 0 && w.Style == "" && w.Raw == "" && w.Key == ""
}

// HasType reports whether the condition allows a type.
func (w *Written) HasType(t manifest.Type) bool {
	return len(w.Types) == 0 || slices.Contains(w.Types, typeNames[t-1])
}

// filter is a compiled condition on how a value is written.
type filter struct {
	types    uint8 // a bit for each of typeNames; 0 means any
	style    int   // index in styleNames; -1 means any
	raw, key *pattern.Pattern
}

func (w *Written) filter() *filter {
	f := &filter{style: slices.Index(styleNames[:], w.Style)}
	for _, t := range w.Types {
		f.types |= typeBit(manifest.Type(slices.Index(typeNames[:], t) + 1))
	}
	if w.Key != "" {
		f.key = pattern.New(w.Key)
	}
	if w.Raw != "" {
		f.raw = pattern.New(w.Raw)
	}
	return f
}

func typeBit(t manifest.Type) uint8 { return 1 << (t - 1) }

// passes reports whether a value meets the condition.
func (f *filter) passes(n manifest.Node) bool {
	return (f.types == 0 || f.types&typeBit(n.Type()) != 0) &&
		(f.style < 0 || f.style == int(n.Style())) &&
		(f.raw == nil || f.raw.MatchString(n.Raw())) &&
		(f.key == nil || f.key.MatchString(rawKey(n)))
}
