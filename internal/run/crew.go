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

// outcome is what became of one piece of a file.
type outcome struct {
	file, piece  int // which file of the run, and which piece of it
	violations   []diag.Violation
	notEvaluated []diag.NotEvaluated
	objects      []diag.Verdict
	transitions  int // rules that wanted an old object
	documents    int // of the piece, those without a resource included
	secrets      secrets
	suppressions []suppress.Suppression
	records      lint.Records
	details      []lint.Detail
	summary      diag.Summary
	err          error
}

// number adds the documents that stand before the piece in its file to the numbers of its own.
func (o *outcome) number(before int) {
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

// crew is the workers of a run, and what they share.
type crew struct {
	suspects lint.Suspects // not nil the second time that files are checked, for what rules about sets say of them
	settings map[*find.Config]*settings
	old      *oldState
	since    *sinceState
	options  *Options
	limit    *limit

	// used are the kinds that documents were of, which workers add when they have finished.
	used   usedKinds
	usedMu sync.Mutex

	// pieceSize is how many bytes of a file are read at once.
	pieceSize  int
	files      []find.File
	next       atomic.Int64 // file that nobody has taken
	unfinished atomic.Int64 // files that may yet give pieces
	pieces     chan piece   // of long streams, for whoever is free
	free       chan []byte  // memory of pieces that nothing refers to any more
}

// piece is a text of whole documents, what they are checked with, and where to put what becomes of them.
type piece struct {
	src      *source.Source
	settings *settings
	into     *outcome
	// memory is what the text lies in, for another piece of the stream; nil for what does not come back.
	memory []byte
}

// keepsText says whether something of the outcome may be part of the text that was checked. Secrets are copies.
func (o *outcome) keepsText() bool {
	return len(o.violations) > 0 || len(o.notEvaluated) > 0 || len(o.objects) > 0 || len(o.suppressions) > 0 || len(o.details) > 0
}

// isPlain says whether the outcome is but a number of documents, and what became of them.
func (o *outcome) isPlain() bool {
	return !o.keepsText() && o.transitions == 0 && o.secrets.none() && o.records.None() && o.err == nil
}

// each yields the outcomes of all files.
func each(outcomes [][]*outcome) iter.Seq[*outcome] {
	return func(yield func(*outcome) bool) {
		for _, pieces := range outcomes {
			for _, o := range pieces {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// recycle gives the memory of a piece back, to which nothing refers that was found.
func (c *crew) recycle(p piece) {
	if p.memory == nil {
		return
	}
	select {
	case c.free <- p.memory:
	default:
	}
}

// checkFiles checks all files; the outcomes are those of the pieces of each, in order.
func (c *crew) checkFiles(ctx context.Context, files []find.File) [][]*outcome {
	if len(files) == 0 {
		return nil
	}
	workers := cmp.Or(c.options.Jobs, runtime.GOMAXPROCS(0))
	c.files, c.pieces, c.free = files, make(chan piece, 2*(workers-1)), make(chan []byte, 3*workers)
	c.unfinished.Store(int64(len(files)))
	outcomes := make([][]*outcome, len(files))
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w := &worker{crew: c, used: usedKinds{}}
			w.work(ctx, outcomes)
			c.usedMu.Lock()
			defer c.usedMu.Unlock()
			c.used = c.used.with(w.used)
		})
	}
	wg.Wait()
	return outcomes
}

// worker checks one piece after the other, and reuses what it allocated.
type worker struct {
	*crew
	tree   manifest.Tree
	shown  lint.Document // the document, as lint rules see it
	used   usedKinds     // nil where nobody asks
	buffer []byte

	// What small files are checked with: their texts, the source, an outcome that nobody has seen yet, and the pieces of a file of which
	// there is nothing to say, which many files share.
	texts  texts
	source source.Source
	unused *outcome
	plain  []*outcome
}

// work takes files until there are none left, then the pieces of those that others are still reading.
func (w *worker) work(ctx context.Context, outcomes [][]*outcome) {
	for {
		i := int(w.next.Add(1)) - 1
		if i >= len(w.files) {
			break
		}
		outcomes[i] = w.checkFile(ctx, i)
		w.options.Progress.step()
		if w.unfinished.Add(-1) == 0 {
			close(w.pieces)
		}
	}
	for p := range w.pieces {
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

// checkFile checks one file. Of a long one it checks only those pieces that nobody else takes.
func (w *worker) checkFile(ctx context.Context, index int) []*outcome {
	f := w.files[index]
	in, err := open(&f, w.options)
	if err != nil {
		return []*outcome{{err: err}}
	}
	defer in.Close()
	if w.buffer == nil {
		w.buffer = make([]byte, w.pieceSize)
	}
	n, err := io.ReadFull(in, w.buffer)
	switch err {
	case nil:
		return w.checkPieces(ctx, index, newPieces(f.Name, w.buffer, in, w.free))
	case io.EOF, io.ErrUnexpectedEOF:
		return w.checkSmall(index, w.buffer[:n])
	}
	return []*outcome{{err: f.Failure(err)}}
}

// checkSmall checks a file that is one piece.
func (w *worker) checkSmall(index int, read []byte) []*outcome {
	f := w.files[index]
	o := w.unused
	if o == nil {
		o = &outcome{}
	}
	*o = outcome{file: index, summary: diag.Summary{Files: 1}}
	w.source = source.Source{Name: f.Name, Text: w.texts.put(read)}
	keepsText := w.check(piece{src: &w.source, settings: w.settings[f.Config], into: o})
	if keepsText {
		w.texts.keep(len(read))
	}
	if keepsText || !o.isPlain() {
		w.unused = nil
		return []*outcome{o}
	}
	w.unused = o
	if w.plain == nil || w.plain[0].documents != o.documents || w.plain[0].summary != o.summary {
		w.plain = []*outcome{{documents: o.documents, summary: o.summary}}
	}
	return w.plain
}

// texts holds texts one behind the other. Where nothing refers to a text any more, the next takes its place.
type texts struct {
	chunk []byte
	used  int
}

const textChunk = 64 << 10

// put returns what was read as a text, which is sound until the next call, or for good where keep is called.
func (t *texts) put(read []byte) string {
	if len(read) > len(t.chunk)-t.used {
		t.chunk, t.used = make([]byte, max(textChunk, len(read))), 0
	}
	n := copy(t.chunk[t.used:], read)
	return unsafe.String(unsafe.SliceData(t.chunk[t.used:]), n)
}

// keep keeps the text that was put last, of so many bytes.
func (t *texts) keep(size int) { t.used += size }

// checkPieces hands out the pieces of a long stream, and checks those that nobody takes.
func (w *worker) checkPieces(ctx context.Context, index int, rest *pieces) (outcomes []*outcome) {
	f := w.files[index]
	o := &outcome{file: index, summary: diag.Summary{Files: 1}}
	for ctx.Err() == nil {
		p, err := rest.next()
		if err == io.EOF {
			break
		}
		p.settings, p.into = w.settings[f.Config], o
		outcomes = append(outcomes, o)
		if err != nil {
			o.err = f.Failure(err)
			break
		}
		select {
		case w.pieces <- p:
		default:
			w.check(p)
		}
		o = &outcome{file: index, piece: len(outcomes)}
	}
	return outcomes
}

// check checks the documents of a piece. It reports whether something of the text is kept.
func (w *worker) check(p piece) (keepsText bool) {
	c := &checker{worker: w, settings: p.settings, src: p.src, outcome: p.into}
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
