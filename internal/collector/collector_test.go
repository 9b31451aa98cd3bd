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
	for range 100 { // the finalizer runs some time after the collection
		runtime.GC()
		now := debug.SetGCPercent(laterPercent)
		if now >= laterPercent {
			return
		}
		debug.SetGCPercent(now)
		runtime.Gosched()
	}
	t.Errorf("the percentage is not at least %d after collections", laterPercent)
}

func TestASmallHeapMayGrowMore(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 100}, {24 << 20, 100}, {32 << 20, 75}, {48 << 20, 50}, {1 << 40, 50}} {
		if have := percent(c.live); have != c.want {
			t.Errorf("%d bytes: %d%%, want %d%%", c.live, have, c.want)
		}
	}
}
