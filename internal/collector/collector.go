// Package collector delays the garbage collector of a program that usually ends before it is worth while.
//
// The delay starts when the package is initialized, not when main calls it. Until main starts, the packages of the
// program allocate about 3 MB, which is close to the size at which the first collection runs. It takes 2 ms, as long
// as all initialization together. Go initializes packages in the order of their paths, and a package that imports
// nothing of the program comes before most others.
package collector

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is the heap size at which the garbage collector runs for the first time. Most runs end before they
// reach it.
const firstCollection = 32 << 20

// laterPercent is GOGC after the first collection. Most of what a large run has then is one long document, which would
// otherwise need twice its memory.
const laterPercent = 50

var isDelayed = delay()

// Delay reports whether the first collection is delayed. A program that calls it contains the package.
func Delay() bool { return isDelayed }

// delay delays the first garbage collection until the heap reaches firstCollection. Afterwards the collector runs with
// laterPercent. If GOGC or GOMEMLIMIT is set, it changes nothing.
func delay() bool {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return false
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	canary := new([16]byte) // unreachable, so the first collection frees it
	runtime.AddCleanup(canary, func(percent int) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
	}, laterPercent)
	return true
}
