// Package edit changes texts by spans of bytes, and knows where each byte went.
//
// An edit is planned where the reason is known: by a rule, a schema or a chart. This package only knows bytes, so
// everything that changes a text goes through it: the fixes of findings, the results in a ResourceList, the changed values
// of a chart. Bytes outside of the edits stay as they are.
//
// The alternative is a library for edits of texts or for diffs. None is used because places in a changed text must
// lead back to bytes of the original. Decide anew if a library keeps such places.
package edit

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// Edit replaces a span of a file, in bytes of the whole file, with a text. An empty span inserts, an empty text
// deletes.
type Edit struct {
	File string
	Span source.Span
	New  string
}

// Result is a text after edits.
type Result struct {
	Text string
	Map  Map
	// Left are the indexes of the groups that were not applied, because they overlap with an earlier group.
	Left []int
}

// Apply applies groups of edits of one file to its text. The edits of a group are applied together or not at all.
//
// Two edits overlap if their spans share a byte or start at the same offset: the order of two insertions at one offset
// is not known. Equal edits do not overlap; they are applied once. It panics if a span is not inside the text, which
// means that the text is not the one that the edits were made for.
func Apply(text string, groups ...[]Edit) Result {
	var applied edits
	var r Result
	for i, group := range groups {
		if !applied.add(group) {
			r.Left = append(r.Left, i)
		}
	}
	var b strings.Builder
	at := 0
	for _, e := range applied {
		if e.Span.Start < at || e.Span.End < e.Span.Start || e.Span.End > len(text) {
			panic(fmt.Sprintf("an edit of %d to %d is not inside a text of %d bytes", e.Span.Start, e.Span.End, len(text)))
		}
		b.WriteString(text[at:e.Span.Start])
		start := b.Len()
		b.WriteString(e.New)
		r.Map.changes = append(r.Map.changes, Change{e.Span, source.Span{Start: start, End: b.Len()}})
		at = e.Span.End
	}
	b.WriteString(text[at:])
	r.Text = b.String()
	return r
}

// edits are edits without overlaps, in the order of the text.
type edits []Edit

// add adds a group. It returns false, and adds nothing, if one of its edits overlaps with another one.
func (l *edits) add(group []Edit) bool {
	added := slices.Clone(group)
	slices.SortFunc(added, inOrder)
	added = slices.Compact(added)
	for i, e := range added {
		at, isKnown := slices.BinarySearchFunc(*l, e, inOrder)
		switch {
		case isKnown && (*l)[at] == e:
		case isKnown, i > 0 && overlap(added[i-1], e), at > 0 && overlap((*l)[at-1], e), at < len(*l) && overlap(e, (*l)[at]):
			return false
		}
	}
	for _, e := range added {
		if at, isKnown := slices.BinarySearchFunc(*l, e, inOrder); !isKnown {
			*l = slices.Insert(*l, at, e)
		}
	}
	return true
}

func inOrder(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End))
}

// overlap reports whether two edits overlap, of which a is not after b.
func overlap(a, b Edit) bool { return b.Span.Start < a.Span.End || b.Span.Start == a.Span.Start }

// Map says where the parts of a text are after edits. The zero value is that of a text without edits.
type Map struct{ changes []Change }

// Change is a replaced span of the old text, and the span of what replaced it in the new text.
type Change struct{ Old, New source.Span }

// Changes returns the changes in the order of the text.
func (m Map) Changes() []Change { return m.changes }

// Offset returns where the byte at an offset of the old text is in the new one. A replaced byte is at the start of what
// replaced it; a byte after an insertion is after the inserted text.
func (m Map) Offset(old int) int {
	i := sort.Search(len(m.changes), func(i int) bool { return m.changes[i].Old.Start > old }) - 1
	if i < 0 {
		return old
	}
	c := m.changes[i]
	if old < c.Old.End {
		return c.New.Start
	}
	return old - c.Old.End + c.New.End
}
