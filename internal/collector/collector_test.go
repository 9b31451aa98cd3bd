package collector

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestTheFirstCollectionIsDelayedAndLaterOnesAreNot(t *testing.T) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("the environment says when the collector runs")
	}
	if !Delay() {
		t.Error("the first collection is not delayed")
	}
	for range 100 { // the cleanup runs some time after the collection
		runtime.GC()
		percent := debug.SetGCPercent(laterPercent)
		if percent == laterPercent {
			return
		}
		debug.SetGCPercent(percent)
		runtime.Gosched()
	}
	t.Errorf("the percentage is not %d after collections", laterPercent)
}
