package suppress

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// layout says where the nodes of a document are. It is sorted, because a document may have many comments.
type layout struct {
	root  manifest.Node
	nodes []manifest.Node // below the root, by their starts; an outer node precedes the inner ones
	texts []source.Span   // keys and scalars, by their starts
	ends  []int           // for each of texts, the last end of it and those before
}

func newLayout(root manifest.Node) *layout {
	l := &layout{root: root}
	l.add(root)
	l.nodes = l.nodes[1:]
	slices.SortStableFunc(l.nodes, func(a, b manifest.Node) int { return cmp.Compare(start(a), start(b)) })
	slices.SortFunc(l.texts, func(a, b source.Span) int { return cmp.Compare(a.Start, b.Start) })
	last := 0
	for _, sp := range l.texts {
		last = max(last, sp.End)
		l.ends = append(l.ends, last)
	}
	return l
}

// add adds a node and all below it.
func (l *layout) add(n manifest.Node) {
	l.nodes = append(l.nodes, n)
	if key := n.KeySpan(); key.End > key.Start {
		l.texts = append(l.texts, key)
	}
	if n.Type() != manifest.Map && n.Type() != manifest.List {
		l.texts = append(l.texts, textOf(n))
		return
	}
	for child := range n.Children() {
		l.add(child)
	}
}

// textOf returns the span of a scalar. Text after the | or > of a block scalar is a comment.
func textOf(n manifest.Node) source.Span {
	span := n.Span()
	if n.Style() == manifest.Literal || n.Style() == manifest.Folded {
		if i := strings.IndexAny(n.Raw(), "\r\n"); i >= 0 {
			span.Start += i
		}
	}
	return span
}

// isInText reports whether an offset lies in a key or a scalar.
func (l *layout) isInText(offset int) bool {
	startsAt := func(sp source.Span, at int) int { return cmp.Compare(sp.Start, at) }
	after, _ := slices.BinarySearchFunc(l.texts, offset+1, startsAt)
	return after > 0 && l.ends[after-1] > offset
}

// next returns the first node that starts at or after an offset. If several nodes start there, it is the outermost.
func (l *layout) next(offset int) (manifest.Node, bool) {
	if start(l.root) >= offset {
		return l.root, true
	}
	startsAt := func(n manifest.Node, at int) int { return cmp.Compare(start(n), at) }
	i, _ := slices.BinarySearchFunc(l.nodes, offset, startsAt)
	if i == len(l.nodes) {
		return manifest.Node{}, false
	}
	return l.nodes[i], true
}

// start returns the offset where a node starts, including its key.
func start(n manifest.Node) int {
	if key := n.KeySpan(); key.End > key.Start {
		return key.Start
	}
	return n.Span().Start
}
