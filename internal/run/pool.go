package run

import (
	"cmp"
	"context"
	"io"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// result is what became of one chunk of a file.
type result struct {
	file, chunk  int // which file of the run, and which chunk of it
	violations   []diag.Violation
	notEvaluated []diag.NotEvaluated
	objects      []diag.Verdict
	transitions  int // rules that wanted an old object
	documents    int // of the chunk, those without a resource included
	secrets      secrets
	suppressions []suppress.Suppression
	records      lint.Records
	details      []lint.Detail
	summary      diag.Summary
	err          error
}

// shiftDocumentNumbers adds the documents that stand before the chunk in its file to the numbers of its own.
func (o *result) shiftDocumentNumbers(before int) {
	if before == 0 {
		return
	}
	for i := range o.violations {
		if v := &o.violations[i]; v.Object.Document > 0 { // a comment that accepts something belongs to none
			v.Object.Document += before
		}
	}
	for i := range o.notEvaluated {
		o.notEvaluated[i].Object.Document += before
	}
	for i := range o.objects {
		o.objects[i].Object.Document += before
	}
	for i := range o.suppressions {
		if s := &o.suppressions[i]; s.Object.Document > 0 {
			s.Object.Document += before
		}
	}
	for i := range o.details {
		o.details[i].Object.Document += before
	}
}

// pool holds the workers of a run, and what they share.
type pool struct {
	candidates lint.Candidates // not nil the second time that files are checked, for what rules about sets say of them
	settings   map[*find.Config]*settings
	old        *oldState
	since      *sinceState
	options    *Options
	limit      *limit

	// used are the kinds that documents were of, which workers add when they have finished.
	used   usedKinds
	usedMu sync.Mutex

	// chunkSize is how many bytes of a file are read at once.
	chunkSize  int
	files      []find.File
	next       atomic.Int64 // file that nobody has taken
	unfinished atomic.Int64 // files that may yet give chunks
	chunks     chan chunk   // of long streams, for whoever is free
	free       chan []byte  // memory of chunks that nothing refers to any more
}

// chunk is a text of whole documents, what they are checked with, and where to put what becomes of them.
type chunk struct {
	src      *source.Source
	settings *settings
	into     *result
	// memory is what the text lies in, for another chunk of the stream; nil for what does not come back.
	memory []byte
}

// keepsText reports whether something of the result may be part of the text that was checked. Secrets are copies.
func (o *result) keepsText() bool {
	return len(o.violations) > 0 || len(o.notEvaluated) > 0 || len(o.objects) > 0 || len(o.suppressions) > 0 || len(o.details) > 0
}

// isPlain reports whether the result is only a number of documents and a summary of them.
func (o *result) isPlain() bool {
	return !o.keepsText() && o.transitions == 0 && o.secrets.none() && o.records.None() && o.err == nil
}

// each yields the results of all files.
func each(results [][]*result) iter.Seq[*result] {
	return func(yield func(*result) bool) {
		for _, chunks := range results {
			for _, o := range chunks {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// recycle gives the memory of a chunk back, to which nothing refers that was found.
func (c *pool) recycle(p chunk) {
	if p.memory == nil {
		return
	}
	select {
	case c.free <- p.memory:
	default:
	}
}

// checkFiles checks all files; the results are those of the chunks of each, in order.
func (c *pool) checkFiles(ctx context.Context, files []find.File) [][]*result {
	if len(files) == 0 {
		return nil
	}
	workers := cmp.Or(c.options.Jobs, runtime.GOMAXPROCS(0))
	c.files, c.chunks, c.free = files, make(chan chunk, 2*(workers-1)), make(chan []byte, 3*workers)
	c.unfinished.Store(int64(len(files)))
	results := make([][]*result, len(files))
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w := &worker{pool: c, used: usedKinds{}}
			w.work(ctx, results)
			c.usedMu.Lock()
			defer c.usedMu.Unlock()
			c.used = c.used.with(w.used)
		})
	}
	wg.Wait()
	return results
}

// worker checks one chunk after the other, and reuses what it allocated.
type worker struct {
	*pool
	tree   manifest.Tree
	shown  lint.Document // the document, as lint rules see it
	used   usedKinds     // nil where nobody asks
	buffer []byte

	// What small files are checked with: their texts, the source, a result that nobody has seen yet, and the chunks
	// of a file of which there is nothing to say, which many files share.
	texts  arena
	source source.Source
	unused *result
	plain  []*result
}

// work takes files until there are none left, then the chunks of those that others are still reading.
func (w *worker) work(ctx context.Context, results [][]*result) {
	for {
		i := int(w.next.Add(1)) - 1
		if i >= len(w.files) {
			break
		}
		results[i] = w.checkFile(ctx, i)
		w.options.Progress.step()
		if w.unfinished.Add(-1) == 0 {
			close(w.chunks)
		}
	}
	for p := range w.chunks {
		w.check(p)
	}
}

// open opens a file, or standard input.
func open(f *find.File, o *Options) (io.ReadCloser, error) {
	if f.IsStdin && f.Text == nil {
		return io.NopCloser(o.Stdin), nil
	}
	return f.Open()
}

// checkFile checks one file. Of a long one it checks only those chunks that nobody else takes.
func (w *worker) checkFile(ctx context.Context, index int) []*result {
	f := w.files[index]
	in, err := open(&f, w.options)
	if err != nil {
		return []*result{{err: err}}
	}
	defer in.Close()
	if w.buffer == nil {
		w.buffer = make([]byte, w.chunkSize)
	}
	n, err := io.ReadFull(in, w.buffer)
	switch err {
	case nil:
		return w.checkChunks(ctx, index, newChunks(f.Name, w.buffer, in, w.free))
	case io.EOF, io.ErrUnexpectedEOF:
		return w.checkSmall(index, w.buffer[:n])
	}
	return []*result{{err: f.Failure(err)}}
}

// checkSmall checks a file that is one chunk.
func (w *worker) checkSmall(index int, read []byte) []*result {
	f := w.files[index]
	o := w.unused
	if o == nil {
		o = &result{}
	}
	*o = result{file: index, summary: diag.Summary{Files: 1}}
	w.source = source.Source{Name: f.Name, Text: w.texts.add(read)}
	keepsText := w.check(chunk{src: &w.source, settings: w.settings[f.Config], into: o})
	if keepsText {
		w.texts.commit(len(read))
	}
	if keepsText || !o.isPlain() {
		w.unused = nil
		return []*result{o}
	}
	w.unused = o
	if w.plain == nil || w.plain[0].documents != o.documents || w.plain[0].summary != o.summary {
		w.plain = []*result{{documents: o.documents, summary: o.summary}}
	}
	return w.plain
}

// arena holds texts one after the other in blocks of memory. If nothing refers to a text any more, the next one takes
// its place.
type arena struct {
	block []byte
	used  int
}

const arenaBlock = 64 << 10

// add returns a copy of what was read as a text. It is valid until the next call, or for good after commit.
func (a *arena) add(read []byte) string {
	if len(read) > len(a.block)-a.used {
		a.block, a.used = make([]byte, max(arenaBlock, len(read))), 0
	}
	n := copy(a.block[a.used:], read)
	return unsafe.String(unsafe.SliceData(a.block[a.used:]), n)
}

// commit keeps the text that was added last, of so many bytes.
func (a *arena) commit(size int) { a.used += size }

// checkChunks hands out the chunks of a long stream, and checks those that nobody takes.
func (w *worker) checkChunks(ctx context.Context, index int, rest *chunks) (results []*result) {
	f := w.files[index]
	o := &result{file: index, summary: diag.Summary{Files: 1}}
	for ctx.Err() == nil {
		p, err := rest.next()
		if err == io.EOF {
			break
		}
		p.settings, p.into = w.settings[f.Config], o
		results = append(results, o)
		if err != nil {
			o.err = f.Failure(err)
			break
		}
		select {
		case w.chunks <- p:
		default:
			w.check(p)
		}
		o = &result{file: index, chunk: len(results)}
	}
	return results
}

// check checks the documents of a chunk. It reports whether something of the text is kept.
func (w *worker) check(p chunk) (keepsText bool) {
	c := &checker{worker: w, settings: p.settings, src: p.src, result: p.into}
	for part := range manifest.Parts(p.src) {
		c.checkPart(part)
	}
	c.findSuppressions()
	keepsText = w.limit.done(p.into)
	if !keepsText {
		w.recycle(p)
	}
	return keepsText
}
