package fix

import (
	"slices"
	"sort"

	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// isSameElsewhere reports whether the documents of a file have the same values after edits, except for what was edited. A
// document that cannot be read before may become any other. A template of a chart is not YAML, so it can be read
// neither before nor after.
func isSameElsewhere(name, before, after string, moved edit.Map) bool {
	a, b := &source.Source{Name: name, Text: before}, &source.Source{Name: name, Text: after}
	parts, others := slices.Collect(manifest.Parts(a)), slices.Collect(manifest.Parts(b))
	if len(parts) != len(others) {
		return false
	}
	var x, y manifest.Tree
	for i := range parts {
		x.Reset(a)
		y.Reset(b)
		x.Read(a, parts[i])
		if x.Len() == 0 {
			continue
		}
		if y.Read(b, others[i]); y.Len() == 0 || !isSame(x.Root(), y.Root(), moved) {
			return false
		}
	}
	return true
}

// isSame reports whether a value is the same after edits, except for what was edited in it.
func isSame(before, after manifest.Node, moved edit.Map) bool {
	switch {
	case !isEdited(before, moved):
		return before.Key() == after.Key() && isEqual(before, after)
	case before.Type() != manifest.Map && before.Type() != manifest.List, before.Type() != after.Type():
		return isReplaced(before, moved) || manifest.Equal(before, after) // only the key is edited
	}
	next := after.First()
	for child := range before.Children() {
		start := moved.Offset(startOf(child))
		for next.Valid() && startOf(next) < start && isNew(next, moved) {
			next = next.Next()
		}
		switch isAt := next.Valid() && startOf(next) == start && (!isRemoved(child, moved) || isNew(next, moved)); {
		case isAt && !isSame(child, next, moved):
			return false
		case isAt:
			next = next.Next()
		case !isEdited(child, moved):
			return false
		}
	}
	for next.Valid() && isNew(next, moved) {
		next = next.Next()
	}
	return !next.Valid()
}

// isEqual compares what is written, so it sees the values of a key that is set twice.
func isEqual(a, b manifest.Node) bool {
	if a.Type() != b.Type() || a.Type() != manifest.Map && a.Type() != manifest.List {
		return manifest.Equal(a, b)
	}
	x, y := a.First(), b.First()
	for ; x.Valid() && y.Valid(); x, y = x.Next(), y.Next() {
		if x.Key() != y.Key() || x.Shadowed() != y.Shadowed() || !isEqual(x, y) {
			return false
		}
	}
	return x.Valid() == y.Valid()
}

// startOf returns where a field or item starts.
func startOf(n manifest.Node) int {
	if key := n.KeySpan(); key.End > key.Start {
		return key.Start
	}
	return n.Span().Start
}

// isEdited reports whether an edit changes a field or item, or what is below it, or adds text to its end.
func isEdited(n manifest.Node, moved edit.Map) bool { return touches(moved, startOf(n), n.Span().End) }

// isReplaced reports whether an edit changes a value itself, a part of it, or the last character before it, which may become
// the dash of an item.
func isReplaced(n manifest.Node, moved edit.Map) bool {
	return touches(moved, n.Span().Start-1, n.Span().End)
}

func touches(moved edit.Map, start, end int) bool {
	c, ok := last(moved, func(c edit.Change) bool { return c.Old.Start <= end })
	return ok && (c.Old.End > start || c.Old.Start == start)
}

// isRemoved reports whether an edit replaces a whole field or item.
func isRemoved(n manifest.Node, moved edit.Map) bool {
	c, ok := last(moved, func(c edit.Change) bool { return c.Old.Start <= startOf(n) })
	return ok && n.Span().End <= c.Old.End
}

// isNew reports whether an edit wrote a field or item.
func isNew(n manifest.Node, moved edit.Map) bool {
	c, ok := last(moved, func(c edit.Change) bool { return c.New.Start <= startOf(n) })
	return ok && startOf(n) < c.New.End
}

// last returns the last change that is before something. Changes are in the order of the text, before and after, and do
// not overlap.
func last(moved edit.Map, isBefore func(edit.Change) bool) (edit.Change, bool) {
	changes := moved.Changes()
	i := sort.Search(len(changes), func(i int) bool { return !isBefore(changes[i]) }) - 1
	if i < 0 {
		return edit.Change{}, false
	}
	return changes[i], true
}
