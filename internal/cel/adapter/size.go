package adapter

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kindvet/kindvet/internal/manifest"
)

// SizeOf returns the size from which cel-go counts the cost of processing a value.
func SizeOf(v ref.Val) int64 {
	switch v := v.(type) {
	case traits.Sizer:
		if n, ok := v.Size().(types.Int); ok {
			return int64(n)
		}
	case *types.Optional:
		if v.HasValue() {
			return SizeOf(v.GetValue())
		}
	}
	return 1
}

// IsComposite reports whether a value contains other values.
func IsComposite(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper, *Preserved:
		return true
	}
	return false
}

// weighNode is Weigh for a part of the document. It uses the length of the node's text.
func weighNode(n manifest.Node) int64 {
	sp := n.Span()
	return int64(n.Len()+(sp.End-sp.Start)/4) + 1
}

// Weigh returns the weight of a value including everything in it: each item counts one, and so do every 64 bytes of
// text. It stops counting at the limit.
func Weigh(v ref.Val, limit int64) int64 {
	s := scale{limit: limit}
	s.add(v)
	return s.weight
}

type scale struct{ weight, limit int64 }

func (s *scale) add(v ref.Val) {
	s.weight++
	switch v := v.(type) {
	case types.String:
		s.weight += int64(len(v)) / 64
	case types.Bytes:
		s.weight += int64(len(v)) / 64
	case *Object:
		s.weight += weighNode(v.Node)
	case *Preserved:
		s.weight += weighNode(v.Node)
	case *List:
		if v.Node.Valid() {
			s.weight += weighNode(v.Node)
			return
		}
		s.addItems(v)
	case *types.Optional:
		if v.HasValue() {
			s.add(v.GetValue())
		}
	case traits.Lister:
		s.addItems(v)
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True && s.weight <= s.limit; {
			key := it.Next()
			s.add(key)
			s.add(v.Get(key))
		}
	}
}

func (s *scale) addItems(l traits.Lister) {
	for it := l.Iterator(); it.HasNext() == types.True && s.weight <= s.limit; {
		s.add(it.Next())
	}
}
