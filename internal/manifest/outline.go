package manifest

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// ReadOutline reads the outline of a part in JSON: the root, the values in it and, if it is a list, the fields of its
// items. Maps and lists below are empty. A violation is the one that [Tree.Read] returns; duplicate keys have none.
//
// It returns false if there is no such outline: the part is YAML or too long, an object in the outline has one of the
// keys, or an item of the root is a list. Then the tree has no meaning.
//
// A tree needs 56 bytes for each value, and data of other programs, such as lists of numbers, has one for every three
// bytes. With outlines, a directory with 10 MB of them needs a tenth of the memory.
func (t *Tree) ReadOutline(s *source.Source, p Part, keys ...string) ([]diag.Violation, bool) {
	if p.fault != nil || p.Format != JSON || p.Span.End-p.Span.Start > MaxPart {
		return nil, false
	}
	t.Reset(s)
	r := jsonReader{tree: t, text: s.Text, i: p.Span.Start, end: p.Span.End, outline: true, stop: keys}
	r.whole()
	switch r.fault {
	case nil:
		return nil, true
	case stopped:
		return nil, false
	}
	t.Reset(s)
	return []diag.Violation{*r.fault}, true
}

// stopped takes the place of a fault when an outline ends early.
var stopped = &diag.Violation{}
