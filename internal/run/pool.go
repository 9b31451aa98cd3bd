package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/session"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// pool holds the shared state of the workers of a run.
type pool struct {
	tree    find.Tree
	engines map[*find.Config]*check.Engine
	options *Options
	limit   *limit
	// uses says how kustomizations use files, by absolute path.
	uses map[string]kustomization.Use
	// formats are those of the objects in files, by absolute path.
	formats map[string][]*filetype.Format
	lookup  *find.Lookup
	// settings hold the version of Kubernetes that charts are rendered for.
	settings map[*find.Config]*session.Settings
	// sets are the sets of values that configurations name for charts, by absolute path of the chart.
	sets map[string][]chart.Set
	// oldCharts are the old versions of changed charts, by absolute path.
	oldCharts map[string]find.OldChart
	piped     *piped

	builds *builds // nil if no kustomization is built
	// suppressions limits those of all files.
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
	only       [][]sets.Spot // of each file, the documents to check; nil if all documents of all files are checked
	files      []find.File
	next       atomic.Int64 // the next file to check
	unfinished atomic.Int64 // files that may still produce chunks
	chunks     chan chunk   // chunks of long streams, for any idle worker
	free       chan []byte  // memory of chunks that is no longer in use
}

// chunk is a text of whole documents, with the engine to check it and the place for the result.
type chunk struct {
	src    *source.Source
	engine *check.Engine
	file   check.File
	into   *check.Result
	place  place
	// supplied returns what supplied a span of src, if a template of a chart wrote it; otherwise it is nil.
	supplied func(source.Span) []diag.Related
	// known are the findings with other values; nil if there is one set of values. isFirst means that the template wrote
	// nothing with them.
	known   *knownFindings
	isFirst bool
	// partial is the set of values that wrote the text, if other values are not known; otherwise nil.
	partial *chart.Set
	// mayChange reports whether something else may change a value before it is applied; nil if nothing does.
	mayChange func(diag.Object, diag.Path) bool
	// templates are those of the chart with suppressions in comments.
	templates *suppress.Templates
	// finish changes the result before its places are computed; nil if it need not be changed.
	finish func(*check.Result)
	// memory holds the text; nil if it is not reused.
	memory []byte
}

// file returns the description of a file for the check.
func (c *pool) file(index int) check.File {
	f := &c.files[index]
	known := check.File{IsSearched: f.IsSearched, IsWritten: f.IsStdin, Use: c.uses[f.Abs], Formats: c.formats[f.Abs]}
	if c.only != nil {
		known.Only = c.only[index]
	}
	if kustomization.IsName(filepath.ToSlash(f.Name)) {
		known.Lookup = func(path string) check.Presence { return c.lookup.At(f, path) }
	}
	return known
}

// checkFiles checks all files. results[i] holds the results of the chunks of file i, in order. failures are the errors
// of the files that could not be read.
func (c *pool) checkFiles(ctx context.Context, files []find.File) (results [][]*check.Result, failures []error) {
	if len(files) == 0 {
		return nil, nil
	}
	workers := cmp.Or(c.options.Jobs, runtime.GOMAXPROCS(0))
	c.files, c.chunks, c.free = files, make(chan chunk, 2*(workers-1)), make(chan []byte, 3*workers)
	c.unfinished.Store(int64(len(files)))
	results, failures = make([][]*check.Result, len(files)), make([]error, len(files))
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
	last := len(c.memories) - 1
	if last < 0 {
		return &check.Memory{}
	}
	m := c.memories[last]
	c.memories = c.memories[:last]
	return m
}

// worker checks chunks one after another, and reuses its allocations.
type worker struct {
	pool   *pool
	memory *check.Memory // nil until it is needed
	buffer []byte

	// Reused for small files: their texts, the source, a result that has not been handed out, and the chunk list that
	// files without findings share.
	texts  arena
	source source.Source
	unused *check.Result
	plain  []*check.Result
}

// work checks files until none are left, then chunks of the files that other workers are still reading.
func (w *worker) work(ctx context.Context, results [][]*check.Result, failures []error) {
	p := w.pool
	for {
		i := int(p.next.Add(1)) - 1
		if i >= len(p.files) {
			break
		}
		w.contain(i, func() { results[i], failures[i] = w.checkFile(ctx, i) })
		p.options.Progress.step()
		if p.unfinished.Add(-1) == 0 {
			close(p.chunks)
		}
	}
	for part := range p.chunks {
		w.contain(part.place.file, func() { w.check(part) })
	}
}

// contain makes a panic a failure of a file, so that the other files are still checked. What the worker reuses may be
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
		p.panics = append(p.panics, fmt.Errorf("%s: kindvet has a bug; please report it: %v", p.files[index].Name, reason))
	}()
	check()
}

// open opens a file, or standard input.
func (c *pool) open(f *find.File) (io.ReadCloser, error) {
	if f.IsStdin {
		return io.NopCloser(c.options.Stdin), nil
	}
	return f.Open(c.tree)
}

// checkFile checks one file. If the file is long, other workers may check some of its chunks.
func (w *worker) checkFile(ctx context.Context, index int) ([]*check.Result, error) {
	f := w.pool.files[index]
	if f.IsChart {
		return w.checkChart(ctx, index), nil
	}
	if f.IsBuilt {
		return w.checkBuilt(ctx, index), nil
	}
	if w.pool.builds.covers(&f) {
		return w.checkCovered(index)
	}
	if f.Text != nil {
		results, _ := w.checkText(index, *f.Text)
		return results, nil
	}
	in, err := w.pool.open(&f)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if w.buffer == nil {
		w.buffer = make([]byte, w.pool.chunkSize)
	}
	n, err := io.ReadFull(in, w.buffer)
	switch err {
	case nil:
		rest := newChunks(f.Name, w.buffer, in, w.pool.free)
		rest.total = f.Size(w.pool.tree)
		return w.checkChunks(ctx, index, rest)
	case io.EOF, io.ErrUnexpectedEOF:
		results, keepsText := w.checkText(index, w.texts.add(w.buffer[:n]))
		if keepsText {
			w.texts.commit(n)
		}
		return results, nil
	}
	return nil, f.Failure(err)
}

// checkText checks a file that is a single chunk. It reports whether the results refer to the text.
func (w *worker) checkText(index int, text string) (results []*check.Result, keepsText bool) {
	f := w.pool.files[index]
	o := w.unused
	if o == nil {
		o = &check.Result{}
	}
	w.source = source.Source{Name: f.Name, Text: text}
	keepsText = w.check(chunk{
		src: &w.source, engine: w.pool.engines[f.Config], file: w.pool.file(index), into: o, place: place{file: index},
	})
	o.Summary.Files = 1
	if keepsText || !o.IsPlain() {
		w.unused = nil
		return []*check.Result{o}, keepsText
	}
	w.unused = o
	if w.plain == nil || w.plain[0].Documents != o.Documents || w.plain[0].Summary != o.Summary {
		w.plain = []*check.Result{{Documents: o.Documents, Summary: o.Summary}}
	}
	return w.plain, false
}

// checkChunks sends the chunks of a long stream to idle workers, and checks a chunk itself if no worker is idle.
func (w *worker) checkChunks(ctx context.Context, index int, rest *chunks) (results []*check.Result, err error) {
	f := w.pool.files[index]
	// The first result counts the file and belongs to no chunk, because other workers may already write to the
	// results of the chunks.
	results = append(results, &check.Result{Summary: diag.Summary{Files: 1}})
	for ctx.Err() == nil {
		p, err := rest.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return results, f.Failure(err)
		}
		p.engine, p.file, p.into, p.place = w.pool.engines[f.Config], w.pool.file(index), &check.Result{},
			place{index, len(results)}
		results = append(results, p.into)
		select {
		case w.pool.chunks <- p:
		default:
			w.check(p)
		}
	}
	return results, nil
}

// limitSuppressions drops suppressions of a result that are too many for the run.
func (c *pool) limitSuppressions(o *check.Result) {
	list, faults := c.suppressions.Limit(o.Suppressions)
	o.Suppressions = list
	o.Add(faults...)
}

// check checks the documents of a chunk. It reports whether the result refers to the text.
func (w *worker) check(p chunk) (keepsText bool) {
	if w.memory == nil {
		w.memory = w.pool.memory()
	}
	if w.pool.piped != nil && w.pool.files[p.place.file].IsStdin {
		p.supplied = w.pool.piped.place(p.src)
	}
	*p.into = p.engine.Check(w.memory, p.src, p.file)
	var faults []diag.Violation
	if p.templates != nil {
		var list []suppress.Suppression
		list, faults = p.templates.In(p.src)
		p.into.Suppressions = append(p.into.Suppressions, list...)
	}
	if p.finish != nil {
		p.finish(p.into)
	}
	if p.supplied != nil {
		p.into.Rendered(p.supplied)
		showNull(p.into, p.src)
	}
	if p.partial != nil {
		dropUncertain(p.into, p.partial)
	}
	if p.mayChange != nil {
		dropChanged(p.into, p.mayChange)
	}
	p.into.Add(faults...)
	w.pool.limitSuppressions(p.into)
	p.into.Detach()
	if p.known != nil {
		p.known.filter(p.into, p.isFirst)
	}
	keepsText = w.pool.limit.done(p.place, p.into)
	if !keepsText {
		w.pool.recycle(p)
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
