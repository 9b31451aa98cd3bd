package chart

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/chart/engine"
)

// Allowance is what all charts of a run may use together. Each chart has its own limits; with thousands of charts at
// these, a run would take hours. What a chart uses up to its free steps does not count, so the number of ordinary charts
// does not matter, and whether the allowance is used up does not depend on the order of the charts. Which charts are
// rendered until then does. A nil allowance has no limit. It is safe for concurrent use.
type Allowance struct {
	isCanceled atomic.Bool

	mutex sync.Mutex
	spent int64            // beyond the free steps
	free  map[string]int64 // steps that are left, by the name of the chart
}

const (
	// maxRunSteps is the number of steps after which no chart is rendered any more. They take about a second. Raise it if
	// a repository that people check reaches half of it.
	maxRunSteps = 2 * engine.MaxSteps
	// freeSteps are the free steps for each byte of a chart. Large charts with twenty sets of values take half a step.
	freeSteps = 4
	// chartSteps is what each chart costs that is loaded, whatever its templates do.
	chartSteps = 2500
)

// Until makes all renders end when a context ends, until stop is called. What they return then may not be reported.
func (a *Allowance) Until(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { a.isCanceled.Store(true) })
}

// IsUsedUp reports whether no chart is rendered any more.
func (a *Allowance) IsUsedUp() bool {
	if a == nil {
		return false
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.spent > maxRunSteps
}

// SpendFiles adds the size in bytes of files that a chart uses from other directories. Like text, they count as many
// steps as the same share of their limit.
func (a *Allowance) SpendFiles(size int) {
	if a != nil {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		a.spent += int64(size) * maxRunSteps / MaxChart
	}
}

// spend subtracts steps from the free ones of a chart, and the rest from the allowance.
func (a *Allowance) spend(name string, steps int64) {
	if a == nil {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	free := min(steps, a.free[name])
	if free > 0 {
		a.free[name] -= free
	}
	a.spent += steps - free
}
