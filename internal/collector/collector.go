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
	"runtime/metrics"
)

// firstCollection is the heap size at which the garbage collector runs for the first time. Most runs end before they
// reach it.
const firstCollection = 48 << 20

// laterPercent is GOGC after the first collection, for a large heap. Most of what a large run has then is one long
// document, which would otherwise need twice its memory. A smaller heap may grow by headroom before the next
// collection, but at most by mostPercent: what is live may have doubled before the percentage is set again.
const (
	laterPercent = 50
	mostPercent  = 100
	headroom     = 24 << 20
)

var isDelayed = delay()

// Delay reports whether the first collection is delayed. A program that calls it contains the package.
func Delay() bool { return isDelayed }

// delay delays the first garbage collection until the heap reaches firstCollection. Afterwards the collector runs with
// the result of percent. If GOGC or GOMEMLIMIT is set, it changes nothing.
func delay() bool {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return false
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	watch()
	return true
}

// canary is unreachable after watch, so the next collection ends with a call of adjust. It is large because the
// runtime sweeps large objects first: the finalizer of a small one may run only shortly before the next collection.
type canary [40 << 10]byte

func watch() { runtime.SetFinalizer(new(canary), func(*canary) { adjust() }) }

// adjust sets how far the heap may grow until the next collection.
func adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(math.MaxInt64)
	debug.SetGCPercent(percent(live[0].Value.Uint64()))
	watch()
}

// percent returns GOGC for a heap of which live bytes are in use.
func percent(live uint64) int {
	return int(min(max(headroom*100/max(live, 1), laterPercent), mostPercent))
}
