package manifest

import (
	"slices"
	"strconv"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Functions that all readers use to fill a tree.

// reserve allocates memory for the nodes of a text of size bytes, for an empty tree. Ordinary manifests have one node
// for every 25 to 30 bytes. The allocation is limited because a long text may have few nodes. [slices.Grow] would
// clear all of it, even memory that is never used, and a garbage collection would wait for that.
func (t *Tree) reserve(size int) {
	const bytesPerNode, most = 24, 1 << 20
	if n := min(size/bytesPerNode, most); n > cap(t.nodes) {
		t.nodes = make([]node, 0, n)
	}
}

// linkAfter appends a child to a parent whose last child is last (0 if it has none), and returns the child.
func (t *Tree) linkAfter(parent, last, child int32) int32 {
	p := &t.nodes[parent]
	p.count++
	t.nodes[child].parent = parent
	if last == 0 {
		p.first = child
	} else {
		t.nodes[last].next = child
	}
	return child
}

// placeKey sets the key of a node and the span of the key, which includes quotes.
func (t *Tree) placeKey(i int32, key string, start, end int, style Style) {
	d := &t.nodes[i]
	d.key, d.keyEnd, d.keyStyle = uint32(start), uint32(end), style
	d.hash = Hash(key)
	from, to := start, end
	if style != Plain {
		from, to = start+1, end-1
	}
	if from > to || t.Source.Text[from:to] != key {
		t.setKey(i, key)
	}
}

// duplicateKeys reports duplicate keys. known are the fixes of the first of them, if the tree no longer has the values that
// do not count; otherwise it is nil.
func (t *Tree) duplicateKeys(pairs [][2]int32, known []keyFixes) []diag.Violation {
	var violations []diag.Violation
	var overflow diag.Overflow
	for i, pair := range pairs {
		if overflow.Counts(violations, diag.DuplicateKey, diag.Error) {
			continue
		}
		v := t.duplicateKey(pair[0], pair[1])
		at := t.nodes[pair[1]].key
		if k := slices.IndexFunc(known, func(k keyFixes) bool { return k.key == at }); k >= 0 {
			v.Fixes = known[k].fixes
		} else if known == nil && i < mostKeyFixes {
			v.Fixes = onceFixes(Node{t, pair[0]}, Node{t, pair[1]})
		}
		violations = append(violations, v)
	}
	return violations
}

// mostKeyFixes is the maximum number of duplicate keys of a document that have fixes. Each looks at all fields of its map.
const mostKeyFixes = 100

// keyFixes are the fixes of the duplicate key at an offset.
type keyFixes struct {
	key   uint32
	fixes []diag.Fix
}

// fixesOfKeys returns the fixes of the first duplicate keys.
func (t *Tree) fixesOfKeys(pairs [][2]int32) (list []keyFixes) {
	for _, pair := range pairs[:min(len(pairs), mostKeyFixes)] {
		list = append(list, keyFixes{t.nodes[pair[1]].key, onceFixes(Node{t, pair[0]}, Node{t, pair[1]})})
	}
	return list
}

func (t *Tree) duplicateKey(first, again int32) diag.Violation {
	a, b := Node{t, first}, Node{t, again}
	firstPlace := t.Source.Place(a.KeySpan())
	v := diag.Violation{
		Rule: diag.DuplicateKey, Severity: diag.Error,
		Message: "key " + diag.Quote(b.Key()) + " is already set" + t.atLine(firstPlace),
		Help:    "keep one of the two",
		Place:   t.Source.Place(b.KeySpan()),
		Path:    b.Path(),
		Related: []diag.Related{{Place: firstPlace, Message: "first set here"}},
	}
	if t.isRendered() {
		v.Severity, v.Help = diag.Warning, lastHelp
	}
	return v
}

// onceFixes returns the fixes of a key that is set twice. Readers that accept it keep the last value.
func onceFixes(first, again Node) []diag.Fix {
	fixes := first.RemoveFix()
	for i := range fixes {
		fixes[i].Title, fixes[i].Safe = "remove the first", Equal(first, again)
	}
	others := diag.Choices(again.RemoveFix())
	for i := range others {
		others[i].Title = "remove the second"
	}
	return append(fixes, others...)
}

// isRendered reports whether a program wrote the text, such as Helm. Helm reads it without looking for duplicate keys,
// and sends the last value (helm.sh/helm/v3/pkg/kube, Client.Build).
func (t *Tree) isRendered() bool { return t.Source.Written != nil }

const lastHelp = "keep one of the two: Helm uses the last, but Flux rejects both"

// overriddenKey reports a key that overrides one from a merge key. The strict reader of an API server rejects both,
// but kubectl, Helm and kustomize send the result.
func (t *Tree) overriddenKey(first, again int32) diag.Violation {
	v := t.duplicateKey(first, again)
	v.Severity, v.Message, v.Help = diag.Info, overriddenMessage, overriddenHelp
	return v
}

const (
	overriddenMessage = "the key overrides one from <<"
	overriddenHelp    = "set it only once: kubectl accepts a key that overrides one from <<, but an API server rejects it"
)

// atLine returns the words that say in which line a place is. A line of a text that was written elsewhere, such as the
// output of a template, would say nothing.
func (t *Tree) atLine(p source.Place) string {
	if t.isRendered() {
		return ""
	}
	return " at line " + strconv.Itoa(p.Start().Line)
}

// ambiguousKey reports two different keys that become the same string. An API server accepts both and keeps one.
func (t *Tree) ambiguousKey(first, again int32) diag.Violation {
	v := t.duplicateKey(first, again)
	v.Severity = diag.Warning
	v.Message = "key " + diag.Quote(Node{t, again}.Key()) + " becomes the same string as another key" +
		t.atLine(v.Related[0].Place) + "; the server keeps one of them at random"
	v.Help = "keep one of the two and quote it"
	v.Related[0].Message = "the other key"
	return v
}

// IsAmbiguousKey reports whether a violation of [Tree.Read] states that two different keys become the same string. An
// API server keeps one of the two values at random; [Part.FirstKey] selects one.
func IsAmbiguousKey(v *diag.Violation) bool {
	return v.Rule == diag.DuplicateKey && v.Severity == diag.Warning && v.Help != lastHelp
}

// AppendJSON appends the value to b as compact JSON. Fields are in file order; shadowed fields are omitted.
func (n Node) AppendJSON(b []byte) []byte {
	switch n.Type() {
	case Boolean:
		return strconv.AppendBool(b, n.Boolean())
	case Integer:
		return strconv.AppendInt(b, n.Integer(), 10)
	case Float:
		return strconv.AppendFloat(b, n.Float(), 'g', -1, 64)
	case String:
		return appendJSONString(b, n.Text())
	case List:
		b = append(b, '[')
		for c := n.First(); c.Valid(); c = c.Next() {
			if c != n.First() {
				b = append(b, ',')
			}
			b = c.AppendJSON(b)
		}
		return append(b, ']')
	case Map:
		b = append(b, '{')
		some := false
		for c := n.First(); c.Valid(); c = c.Next() {
			if c.Shadowed() {
				continue
			}
			if some {
				b = append(b, ',')
			}
			some = true
			b = append(appendJSONString(b, c.Key()), ':')
			b = c.AppendJSON(b)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

func appendJSONString(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// Read parses one part into the tree. If it returns a violation of rule Syntax or ReaderLimit, the tree is empty.
// Duplicate keys do not empty the tree: the last field with a key counts, and those before it are shadowed.
func (t *Tree) Read(s *source.Source, p Part) []diag.Violation {
	t.Reset(s)
	t.part = p
	size := p.Span.End - p.Span.Start
	switch {
	case p.fault != nil:
		return []diag.Violation{*p.fault}
	case size > MaxPart:
		return []diag.Violation{{
			Rule: diag.ReaderLimit, Severity: diag.Error,
			Message: "the document has more than " + strconv.Itoa(MaxPart) + " bytes, the limit for one document",
			Place:   s.Place(source.Span{Start: p.Span.Start, End: p.Span.Start}),
		}}
	case p.Format == JSON:
		return t.readJSON(p)
	}
	violations := t.readYAML(p)
	if hasJSONName(s) && !t.isCanceled {
		return t.addNotJSON(p, violations)
	}
	return violations
}

// MaxPart is the maximum size of a document in bytes. An API server reads up to 3 MiB, but a List of many objects may
// be longer. The longest file of 29 public repositories has 3.7 MB.
const MaxPart = 256 << 20
