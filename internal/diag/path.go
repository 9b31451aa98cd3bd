package diag

import (
	"slices"
	"strconv"
	"strings"
)

// Path leads from a document to a value in it, with one step for each map and list on the way. The path of the
// document itself is empty. If there are more than [MaxSteps] steps, [Ellipsis] replaces the last and all after it.
type Path []Step

// MaxSteps is the maximum number of steps of a path. No manifest is nested deeper, but a hostile text may be, and may
// have thousands of findings at that depth. In 29 public repositories, objects have at most 19 levels, and CRDs 48.
const MaxSteps = 100

// Ellipsis is the name of the last step of a path that has been cut.
const Ellipsis = "…"

// Step is a field of a map or an item of a list.
type Step struct {
	// Name is the key of a field, shortened by [CutKey]; "" for an item.
	Name string
	// Index is the index of an item in its list, from 0.
	Index int
	// IsItem reports whether the step is an item, not a field.
	IsItem bool
}

// Masked is shown in place of a key that is a secret.
const Masked = "(secret)"

// Fields returns the path of nested fields, from the outermost to the innermost.
func Fields(names ...string) Path {
	path := make(Path, len(names))
	for i, name := range names {
		path[i] = Step{Name: CutKey(name)}
	}
	return path
}

// Field returns the path of a field of the value at p. It does not change p.
func (p Path) Field(name string) Path { return p.with(Step{Name: CutKey(name)}) }

// Item returns the path of an item of the list at p. It does not change p.
func (p Path) Item(index int) Path { return p.with(Step{Index: index, IsItem: true}) }

// In returns the path of a value whose path starts at the value at above.
func (p Path) In(above Path) Path {
	whole := slices.Concat(above, p)
	if len(whole) > MaxSteps {
		whole = append(whole[:MaxSteps-1], Step{Name: Ellipsis})
	}
	return whole
}

func (p Path) with(step Step) Path {
	const last = MaxSteps - 1
	switch {
	case len(p) <= last:
		return append(slices.Clip(p), step)
	case p[last].Name == Ellipsis:
		return p
	}
	return append(slices.Clip(p[:last]), Step{Name: Ellipsis})
}

// Below returns the steps that lead from above to p. It returns false if above is not a prefix of p.
func (p Path) Below(above Path) (Path, bool) {
	if len(p) < len(above) || !slices.Equal(p[:len(above)], above) {
		return nil, false
	}
	return p[len(above):], true
}

// String returns the path as in spec.ports[0].port. A key that is not a plain name is written as ["a.b/c"].
func (p Path) String() string {
	var text []byte
	for _, step := range p {
		text = step.append(text)
	}
	return string(text)
}

func (s Step) append(path []byte) []byte {
	switch {
	case s.IsItem:
		return append(strconv.AppendInt(append(path, '['), int64(s.Index), 10), ']')
	case !IsPlainKey(s.Name) && s.Name != Masked:
		return append(strconv.AppendQuote(append(path, '['), s.Name), ']')
	case len(path) > 0:
		path = append(path, '.')
	}
	return append(path, s.Name...)
}

// IsPlainKey reports whether a path shows a key without brackets and quotes.
func IsPlainKey(key string) bool {
	return key != "" && strings.IndexFunc(key, func(r rune) bool { return !isPlain(r) }) < 0
}

func isPlain(r rune) bool {
	return r == '_' || r == '-' || r == '$' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

// longestKey is the maximum number of characters of a key that a path shows. Keys of labels and annotations have up to
// 317.
const longestKey = 320

// CutKey returns a key as a path shows it: cut if it is too long.
func CutKey(key string) string { return Cut(key, longestKey) }
