package schema

import (
	"hash/maphash"
	"math"
	"strconv"

	"github.com/kindvet/kindvet/internal/manifest"
)

// hasher hashes values so that equal ones have equal hashes. Its seed is random, so the author of a document cannot
// choose values whose hashes collide.
type hasher struct{ seed maphash.Seed }

func newHasher() hasher { return hasher{maphash.MakeSeed()} }

// node hashes a value. An integer and a float that have the same JSON text have the same hash, because sameJSON takes
// them for equal.
func (h hasher) node(n manifest.Node) uint64 {
	switch n.Type() {
	case manifest.String:
		return maphash.String(h.seed, n.Text())
	case manifest.Integer:
		return h.join(uint64(manifest.Integer), uint64(n.Integer()))
	case manifest.Float:
		return h.float(n.Float())
	case manifest.Boolean:
		if n.Boolean() {
			return h.join(uint64(manifest.Boolean), 1)
		}
	case manifest.Map:
		sum := uint64(n.Type())
		for f := n.First(); f.Valid(); f = f.Next() {
			sum += h.join(maphash.String(h.seed, f.Key()), h.node(f)) // independent of order
		}
		return sum
	case manifest.List:
		sum := uint64(n.Type())
		for item := n.First(); item.Valid(); item = item.Next() {
			sum = h.join(sum, h.node(item))
		}
		return sum
	}
	return h.join(uint64(n.Type()), 0)
}

// float hashes a float as the integer that has the same text, if there is one.
func (h hasher) float(f float64) uint64 {
	if f == math.Trunc(f) {
		if i, err := strconv.ParseInt(float(f), 10, 64); err == nil {
			return h.join(uint64(manifest.Integer), uint64(i))
		}
	}
	return h.join(uint64(manifest.Float), math.Float64bits(f))
}

// join combines two hashes into one.
func (h hasher) join(a, b uint64) uint64 { return maphash.Comparable(h.seed, [2]uint64{a, b}) }
