package chart

import "sync/atomic"

// Allowance is what all charts of a run may use together. Each chart has its own limits; with thousands of charts at
// these, a run would take hours. Which charts are rendered before it is used up depends on the order in which they are
// checked. A nil allowance has no limit. It is safe for concurrent use.
type Allowance struct{ spent atomic.Int64 }

// maxRunSteps is the number of steps after which no chart is rendered any more. All charts of a large repository take
// about a twentieth of it.
const maxRunSteps = 5 * maxSteps

// IsUsedUp reports whether no chart is rendered any more.
func (a *Allowance) IsUsedUp() bool { return a != nil && a.spent.Load() > maxRunSteps }

// SpendFiles adds the size in bytes of files that a chart uses from other directories. Like text, they count as many
// steps as the same share of their limit.
func (a *Allowance) SpendFiles(size int) {
	if a != nil {
		a.spent.Add(int64(size) * maxSteps / MaxChart)
	}
}

// spend adds what a render has used: the difference of its budget before and after. Text and items count as many steps
// as the same share of their limits.
func (a *Allowance) spend(before, after *budget) {
	if a == nil {
		return
	}
	share := func(before, after, limit int) int64 { return int64(before-after) * maxSteps / int64(limit) }
	a.spent.Add(share(before.steps, after.steps, maxSteps) + share(before.bytes, after.bytes, maxBytes) +
		share(before.items, after.items, maxItems))
}
