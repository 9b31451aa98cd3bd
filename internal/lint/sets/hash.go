package sets

import (
	"hash/maphash"
	"math/bits"
)

var hashSeed = maphash.MakeSeed()

func hashOf(text []byte) uint64 { return maphash.Bytes(hashSeed, text) }

// mix adds a value to a hash. The order of the values matters.
func mix(hash, value uint64) uint64 {
	return bits.RotateLeft64(hash*0x9E3779B97F4A7C15, 29) ^ value
}
