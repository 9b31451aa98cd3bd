package lint

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
)

// A check that compares all items of a list with each other takes quadratic time. For a rule with unique, the items
// are looked up by hash instead, which takes one step per item.

// unique reports the first item of the list n that is repeated.
func (c *checker) unique(e *rule.Entry, n manifest.Node) {
	if repeated, ok := c.repeated(e, n); ok && !c.counts(e) {
		c.violation(e, n, rule.Finding{Node: repeated, Place: repeated.Place()})
	}
}

// hashedItem is an item of a list: its index, the part of it that must be unique, and the hash of that part.
type hashedItem struct {
	hash  uint64
	index int
	part  manifest.Node
}

// repeated finds the first item that occurs again, and returns the part that must be unique from its first
// repetition. Items that lack this part, or in which it is null or "", are ignored, unless the part is the item
// itself.
func (c *checker) repeated(e *rule.Entry, list manifest.Node) (at manifest.Node, ok bool) {
	if list.Type() != manifest.List {
		return at, false
	}
	c.items = c.items[:0]
	index := 0
	for item := list.First(); item.Valid(); item = item.Next() {
		part, found := item, true
		if e.Unique != rule.Self {
			part, found = e.UniquePath().First(item)
			found = found && !rule.IsNothing(part)
		}
		if found {
			c.items = append(c.items, hashedItem{c.hash(part), index, part})
		}
		index++
	}
	slices.SortFunc(c.items, func(x, y hashedItem) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.index, y.index))
	})
	earliest := math.MaxInt
	for i := 1; i < len(c.items); i++ {
		before, item := c.items[i-1], c.items[i]
		if before.hash == item.hash && before.index < earliest && isSame(before.part, item.part) {
			at, earliest = item.part, before.index
		}
	}
	return at, earliest < math.MaxInt
}

func isSame(a, b manifest.Node) bool {
	return bytes.Equal(appendCanonical(nil, a), appendCanonical(nil, b))
}

var hashSeed = maphash.MakeSeed()

// hash returns the hash of a value. It is the same for all values that isSame considers equal.
func (c *checker) hash(n manifest.Node) uint64 {
	switch n.Type() {
	case manifest.String:
		return maphash.String(hashSeed, n.Text())
	case manifest.List:
		sum := uint64(manifest.List)
		for item := n.First(); item.Valid(); item = item.Next() {
			sum = sum*31 + c.hash(item)
		}
		return sum
	case manifest.Map:
		sum := uint64(manifest.Map)
		for f := n.First(); f.Valid(); f = f.Next() {
			if !f.Shadowed() {
				sum += (maphash.String(hashSeed, f.Key()) | 1) * c.hash(f)
			}
		}
		return sum
	}
	c.buffer = appendCanonical(c.buffer[:0], n)
	return ^maphash.Bytes(hashSeed, c.buffer)
}

// appendCanonical appends a text that is the same for all values that are equal in CEL: the order of fields does
// not matter, and 1 equals 1.0.
func appendCanonical(b []byte, n manifest.Node) []byte {
	switch n.Type() {
	case manifest.Float:
		if f := n.Float(); f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return strconv.AppendInt(b, int64(f), 10)
		}
		return strconv.AppendFloat(b, n.Float(), 'g', -1, 64)
	case manifest.List:
		b = append(b, '[')
		for item := n.First(); item.Valid(); item = item.Next() {
			b = append(appendCanonical(b, item), ',')
		}
		return append(b, ']')
	case manifest.Map:
		fields := slices.Collect(n.Children())
		slices.SortStableFunc(fields, func(x, y manifest.Node) int { return strings.Compare(x.Key(), y.Key()) })
		b = append(b, '{')
		for _, f := range fields {
			if !f.Shadowed() {
				b = append(appendCanonical(append(strconv.AppendQuote(b, f.Key()), ':'), f), ',')
			}
		}
		return append(b, '}')
	}
	return n.AppendJSON(b)
}
