package check

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// spotOf returns where a document is in its file.
func (c *checker) spotOf(n manifest.Node, d *document) sets.Spot {
	span, item := n.Span(), -1
	if d.inList && !d.isNested && d.in == nil {
		item = d.item
	}
	return sets.Spot{Start: c.src.FirstByte + span.Start, End: c.src.FirstByte + span.End, Item: item}
}

// checkOnly checks a part, if only some documents of the file are to be checked: it does nothing if the part has none
// of them, and reads only the items if all of them are items of a list. It returns false if the whole part must be
// read.
func (c *checker) checkOnly(part manifest.Part) (isDone bool) {
	c.part, c.result.Documents = part, part.Index
	spots := c.spotsIn(part)
	if slices.ContainsFunc(spots, func(at sets.Spot) bool { return at.Item < 0 }) {
		return false
	}
	details := len(c.result.Details)
	for _, at := range spots {
		span := source.Span{Start: at.Start - c.src.FirstByte, End: at.End - c.src.FirstByte}
		c.read, c.tried, c.chosen.node = part.Item(span), 0, manifest.Node{}
		violations := c.memory.tree.Read(c.src, c.read)
		root := c.memory.tree.Root()
		if len(violations) > 0 || root.Span() != span {
			c.result.Details = c.result.Details[:details]
			return false
		}
		c.check(root, document{Object: diag.Object{Document: part.Index}, inList: true, item: at.Item, isAlone: true}, nil)
	}
	return true
}

// spotsIn returns the documents to check that are in a part.
func (c *checker) spotsIn(part manifest.Part) []sets.Spot {
	index := func(offset int) int {
		i, _ := slices.BinarySearchFunc(c.file.Only, offset+c.src.FirstByte,
			func(at sets.Spot, offset int) int { return at.Start - offset })
		return i
	}
	return c.file.Only[index(part.Span.Start):index(part.Span.End)]
}
