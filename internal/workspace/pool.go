package workspace

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// pool holds the shared state of the workers that check units.
type pool struct {
	plan    *plan
	engines map[*find.Config]*check.Engine
	limit   *limit
	// suppressions limits those of all units.
	suppressions suppress.Allowance

	// used holds the kinds of the checked documents, tally the documents that were not validated. Workers add their
	// own when they finish.
	used   check.UsedKinds
	tally  check.Tally
	usedMu sync.Mutex
	panics []error // guarded by usedMu
	// memories are those of workers that have finished, for the workers of the next pool.
	memories []*check.Memory
	// hasReleased means that a worker has released the memory of a very long document.
	hasReleased bool

	// chunkSize is how many bytes of a file are read at once.
	chunkSize  int
	until      context.Context
	only       [][]sets.Spot // of each unit, the documents to check; nil if all documents of all units are checked
	units      []unit
	next       atomic.Int64 // the next unit to check
	unfinished atomic.Int64 // units that may still produce chunks
	chunks     chan chunk   // chunks of long streams, for any idle worker
	free       chan []byte  // memory of chunks that is no longer in use
}

// chunk is a text for any worker, and where its result belongs.
type chunk struct {
	text
	into  *check.Result
	place place
}

// check checks units. results[i] holds the results of the texts of unit i, in order. failures are the errors of the units
// that could not be read.
func (c *pool) check(ctx context.Context, units []unit) (results [][]*check.Result, failures []error) {
	if len(units) == 0 {
		return nil, nil
	}
	workers := cmp.Or(c.plan.options.Jobs, runtime.GOMAXPROCS(0))
	c.until, c.units, c.chunks, c.free = ctx, units, make(chan chunk, 2*(workers-1)), make(chan []byte, 3*workers)
	c.unfinished.Store(int64(len(units)))
	results, failures = make([][]*check.Result, len(units)), make([]error, len(units))
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w := &worker{pool: c}
			w.work(ctx, results, failures)
			c.usedMu.Lock()
			defer c.usedMu.Unlock()
			if w.memory == nil {
				return
			}
			c.used, c.tally = c.used.With(w.memory.Used()), c.tally.With(w.memory.Tally())
			c.hasReleased = w.memory.Reset() || c.hasReleased
			c.memories = append(c.memories, w.memory)
		})
	}
	wg.Wait()
	failures = slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	return results, append(failures, c.panics...)
}

// memory returns the memory of a worker.
func (c *pool) memory() *check.Memory {
	c.usedMu.Lock()
	defer c.usedMu.Unlock()
	m := &check.Memory{}
	if last := len(c.memories) - 1; last >= 0 {
		m, c.memories = c.memories[last], c.memories[:last]
	}
	m.Until(c.until)
	return m
}

// worker checks chunks one after another, and reuses its allocations.
type worker struct {
	pool   *pool
	memory *check.Memory // nil until it is needed
	buffer []byte
	// recorder records what a unit reads, if its results are kept; otherwise nil.
	recorder *recorder

	// Reused for small files: their texts, the source, a result that has not been handed out, and the chunk list that
	// files without findings share.
	texts  arena
	source source.Source
	unused *check.Result
	plain  []*check.Result
}

// work checks units until none are left, then chunks of the files that other workers are still reading.
func (w *worker) work(ctx context.Context, results [][]*check.Result, failures []error) {
	p := w.pool
	for {
		i := int(p.next.Add(1)) - 1
		if i >= len(p.units) {
			break
		}
		w.contain(i, func() { results[i], failures[i] = w.checkUnit(ctx, i) })
		p.plan.options.Progress.step()
		if p.unfinished.Add(-1) == 0 {
			close(p.chunks)
		}
	}
	for part := range p.chunks {
		w.contain(part.place.unit, func() { w.check(part.text, part.into, part.place) })
	}
}

// tree returns the tree that the unit reads.
func (w *worker) tree() find.Tree {
	if w.recorder != nil {
		return w.recorder
	}
	return w.pool.plan.found.Tree
}

// contain makes a panic a failure of a unit, so that the other units are still checked. What the worker reuses may be
// in any state then, so it is not used again.
func (w *worker) contain(index int, check func()) {
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		p := w.pool
		*w = worker{pool: p}
		p.usedMu.Lock()
		defer p.usedMu.Unlock()
		p.panics = append(p.panics, fmt.Errorf("%s: kindvet has a bug; please report it: %v", p.units[index].in().Name, reason))
	}()
	check()
}

// limitSuppressions drops suppressions of a result that are too many for the run.
func (c *pool) limitSuppressions(o *check.Result) {
	list, faults := c.suppressions.Limit(o.Suppressions)
	o.Suppressions = list
	o.Add(faults...)
}

// check checks the documents of a text. It reports whether the result refers to the text.
func (w *worker) check(t text, into *check.Result, at place) (keepsText bool) {
	if w.memory == nil {
		w.memory = w.pool.memory()
	}
	*into = t.engine.Check(w.memory, t.Source, t.file)
	var faults []diag.Violation
	if t.suppressions != nil {
		var list []suppress.Suppression
		list, faults = t.suppressions.In(t.Source)
		into.Suppressions = append(into.Suppressions, list...)
	}
	if t.by != nil {
		t.by.place(into, t.Source)
		if o := w.pool.plan.options; o.Written != nil && w.pool.only == nil {
			o.Written(Written{w.pool.units[at.unit].in().Name, t.Source.Name, t.Source.Rendering, o.Settings.Turn, t.Source.Text})
		}
	}
	if len(into.Violations) > 0 && w.pool.only == nil {
		w.asUsed(into, w.pool.units[at.unit], t.Source)
	}
	into.Add(faults...)
	w.pool.limitSuppressions(into)
	into.Detach()
	if t.by != nil {
		t.by.keep(into)
	}
	w.memory.AddTally(into.Tally)
	into.Tally = nil
	if t.isHeld {
		return true
	}
	if keepsText = w.pool.limit.done(at, into); !keepsText {
		w.pool.recycle(t.memory)
	}
	return keepsText
}

// showNull adds to a syntax error in what a template wrote the line above, if an action wrote null there for an empty value.
func showNull(r *check.Result, src *source.Source) {
	for i := range r.Violations {
		v := &r.Violations[i]
		start := src.Line(v.Place.Found().Start).Start
		if v.Rule != diag.Syntax || start == 0 {
			continue
		}
		above := src.Line(start - 1)
		if text := src.Text[above.Start:above.End]; strings.TrimSpace(text) == "null" {
			above.Start += strings.Index(text, "null")
			at := src.Place(source.Span{Start: above.Start, End: above.Start + len("null")}).Moved()
			at.Detach()
			v.Related = append(v.Related, diag.Related{Place: at, Message: "rendered as: null"})
		}
	}
}

// showEmpty tells in a syntax error about a key without a value, such as image: shop:, that an action printed nothing.
func showEmpty(r *check.Result, src *source.Source) {
	for i := range r.Violations {
		v := &r.Violations[i]
		if v.Rule != diag.Syntax {
			continue
		}
		line := src.Line(v.Place.Found().Start)
		was, is := strings.TrimSpace(src.Text[line.Start:line.End]), strings.TrimSpace(v.Place.Excerpt().Text)
		if at := strings.LastIndex(is, "{{"); at > 0 && strings.HasSuffix(was, ":") && strings.HasSuffix(is, "}}") {
			v.Help = diag.Cut(is[at:], longestAction) + " prints nothing: set the value, or give it a default"
		}
	}
}

// longestAction is the maximum number of characters of an action that a help names.
const longestAction = 80

// pool returns workers that check units with the given engines.
func (p *plan) pool(engines map[*find.Config]*check.Engine) *pool {
	return &pool{plan: p, engines: engines, chunkSize: chunkSize}
}

// recycle returns the memory of a text to the pool; nil for none. Nothing may refer to the text.
func (c *pool) recycle(memory []byte) {
	if memory == nil {
		return
	}
	select {
	case c.free <- memory:
	default:
	}
}
