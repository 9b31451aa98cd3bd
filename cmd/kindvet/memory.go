package main

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

// delayCollector delays the first garbage collection until the heap reaches firstCollection. Afterwards the collector
// runs with laterPercent. If GOGC or GOMEMLIMIT is set, it changes nothing.
func delayCollector() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	canary := new([16]byte) // unreachable, so the first collection frees it
	runtime.AddCleanup(canary, func(percent int) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
	}, laterPercent)
}
