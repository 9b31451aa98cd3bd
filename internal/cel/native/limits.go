package native

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// isRatioWithin(ratio, min, max) reports whether a ratio of limits to requests is at most max divided by min
// (k8s.io/kubernetes, pkg/apis/core/validation.ValidateLimitRange).
func isRatioWithin(_ *Meter, args []Value) Value {
	ratio, ok := quantityOf(args[0])
	least, okLeast := quantityOf(args[1])
	most, okMost := quantityOf(args[2])
	if !ok || !okLeast || !okMost {
		return Value{}
	}
	have, low, high := float64(ratio.Value()), least.Value(), most.Value()
	if ratio.Value() < resource.MaxMilliValue && low < resource.MaxMilliValue && high < resource.MaxMilliValue {
		have, low, high = float64(ratio.MilliValue())/1000, least.MilliValue(), most.MilliValue()
	}
	return Bool(!(have > float64(high)/float64(low))) // not a number if both are 0
}

// hashBits is the number of bits of a hash that shuffle sharding may use (k8s.io/apiserver,
// pkg/util/shufflesharding.MaxHashBits).
const hashBits = 60

// fitsShuffleSharding(queues, handSize) reports whether hands of that size can be dealt (k8s.io/apiserver,
// pkg/util/shufflesharding.RequiredEntropyBits).
func fitsShuffleSharding(_ *Meter, args []Value) Value {
	if args[0].Kind != Integer || args[1].Kind != Integer {
		return Value{}
	}
	queues, hand := args[0].Integer, args[1].Integer
	if queues < 1 || hand < 1 || hand > queues {
		return Bool(true) // reported otherwise
	}
	return Bool(math.Ceil(math.Log2(float64(queues))*float64(hand)) <= hashBits)
}
