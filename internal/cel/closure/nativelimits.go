package closure

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// isRatioWithin(ratio, min, max) reports whether a ratio of limits to requests is at most max divided by min
// (k8s.io/kubernetes, pkg/apis/core/validation.ValidateLimitRange).
func isRatioWithin(_ *Frame, args []value) value {
	ratio, ok := quantityOf(args[0])
	least, okLeast := quantityOf(args[1])
	most, okMost := quantityOf(args[2])
	if !ok || !okLeast || !okMost {
		return value{}
	}
	have, low, high := float64(ratio.Value()), least.Value(), most.Value()
	if ratio.Value() < resource.MaxMilliValue && low < resource.MaxMilliValue && high < resource.MaxMilliValue {
		have, low, high = float64(ratio.MilliValue())/1000, least.MilliValue(), most.MilliValue()
	}
	return booleanOf(!(have > float64(high)/float64(low))) // not a number if both are 0
}

// hashBits is the number of bits of a hash that shuffle sharding may use (k8s.io/apiserver,
// pkg/util/shufflesharding.MaxHashBits).
const hashBits = 60

// fitsShuffleSharding(queues, handSize) reports whether hands of that size can be dealt (k8s.io/apiserver,
// pkg/util/shufflesharding.RequiredEntropyBits).
func fitsShuffleSharding(_ *Frame, args []value) value {
	if args[0].kind != kindInteger || args[1].kind != kindInteger {
		return value{}
	}
	queues, hand := args[0].integer(), args[1].integer()
	if queues < 1 || hand < 1 || hand > queues {
		return booleanOf(true) // reported otherwise
	}
	return booleanOf(math.Ceil(math.Log2(float64(queues))*float64(hand)) <= hashBits)
}
