package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is how much memory the program may take before the garbage collector runs at all. Most runs end
// before.
const firstCollection = 32 << 20

// delayCollector keeps the garbage collector from running until there is something to collect; from then on it runs
// as ever. Anyone who sets GOGC or GOMEMLIMIT knows better.
func delayCollector() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	percent := debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	canary := new([16]byte) // the first collection finds it, and nothing that points to it
	runtime.AddCleanup(canary, func(percent int) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
	}, percent)
}
