package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// A unit is what is checked as a whole: a file, standard input, a chart with its sets of values, what a kustomization
// builds. Units whose objects deploy others add units to the plan.
type unit interface {
	// in returns the file that stands for the unit in the report.
	in() *find.File
	// check checks the texts of the unit, which is the one with a number in the plan. It returns their results in order;
	// the first one may hold what is not about one of them.
	check(ctx context.Context, w *worker, number int) ([]*check.Result, error)
}

// fileUnit is a file, a stream or standard input.
type fileUnit struct{ *find.File }

// coveredUnit is a file whose objects are checked as kustomizations build them. The file itself yields its suppressions,
// and names to which references lead.
type coveredUnit struct{ *find.File }

// chartUnit is a chart with the sets of values of its tests, of the configuration, and of the objects that deploy it. They
// follow each other in one unit, because a finding is reported with the first set that has it.
type chartUnit struct {
	*find.File
	sets []chart.Set
	// isDeployed means that only objects name the chart. Then it is not rendered with its default values.
	isDeployed bool
	before     *chartUnit // what --since compares with; nil for nothing
}

// load reads and loads the chart.
func (u *chartUnit) load(t find.Tree, a *chart.Allowance) (*chart.Loaded, error) {
	files, err := u.ReadChart(t)
	if err != nil {
		return nil, err
	}
	return u.LoadChart(t, files, a), nil
}

func (u *fileUnit) in() *find.File    { return u.File }
func (u *coveredUnit) in() *find.File { return u.File }
func (u *chartUnit) in() *find.File   { return u.File }

// unitsOf returns the units of files.
func unitsOf(files []find.File) []unit {
	units, plain := make([]unit, len(files)), make([]fileUnit, len(files))
	for i := range files {
		f := &files[i]
		if f.Kind == find.Chart {
			units[i] = &chartUnit{File: f}
			continue
		}
		plain[i].File = f
		units[i] = &plain[i]
	}
	return units
}

// text is a text of whole documents, and what is known about it.
type text struct {
	*source.Source
	file   check.File
	engine *check.Engine
	by     writer // what wrote the text; nil if a person did
	// suppressions are those in the templates that wrote it; nil for none.
	suppressions *suppress.Templates
	// isHeld means that the unit may still change the result.
	isHeld bool
	// memory holds the text; nil if it is not reused.
	memory []byte
}

// A writer wrote a text of other files.
type writer interface {
	// place gives the findings in a text their places in the other files.
	place(r *check.Result, src *source.Source)
	// keep drops the findings that another text of the writer has, too. Places are lines and columns by then.
	keep(r *check.Result)
}

// supplied is a writer that knows what supplied a span of the text.
type supplied func(source.Span) []diag.Related

func (s supplied) place(r *check.Result, src *source.Source) {
	r.Rendered(s)
	showNull(r, src)
	showEmpty(r, src)
}

func (supplied) keep(*check.Result) {}

// about returns what a check needs to know about a file.
func (w *worker) about(u *fileUnit, number int) check.File {
	c, tree := w.pool, w.tree()
	known := check.File{
		IsSearched: u.IsSearched, IsWritten: u.Kind == find.Stdin, Use: c.plan.uses[u.Abs], Formats: c.plan.formats[u.Abs],
	}
	if u.Kind != find.Stdin && known.Use == 0 {
		known.MayBePatch = sync.OnceValue(func() bool { return find.IsNearKustomization(tree, u.File) && !c.plan.deploys(u) })
	}
	if c.only != nil {
		known.Only = c.only[number]
	}
	if kustomization.IsName(filepath.ToSlash(u.Name)) {
		known.Lookup = func(path string) check.Presence { return c.plan.lookup.At(tree, u.File, path) }
	}
	return known
}

// text returns a text of the unit.
func (u *fileUnit) text(w *worker, number int, src *source.Source) text {
	known := w.pool.plan.forms.of(u)
	t := text{Source: src, file: known.in(w.about(u, number)), engine: w.pool.engines[u.Config], by: known.writer(nil)}
	if p := w.pool.plan.piped; p != nil && u.Kind == find.Stdin {
		t.by = p.writer(src)
	}
	return t
}

// open opens the file.
func (u *fileUnit) open(w *worker) (io.ReadCloser, error) {
	if u.Kind == find.Stdin {
		return io.NopCloser(w.pool.plan.options.Stdin), nil
	}
	return u.Open(w.tree())
}

// check checks the file. If it is long, other workers may check some of its chunks.
func (u *fileUnit) check(ctx context.Context, w *worker, number int) ([]*check.Result, error) {
	if u.Text != nil {
		results, _ := u.checkText(w, number, *u.Text)
		return results, nil
	}
	in, err := u.open(w)
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
		rest := newChunks(u.Name, w.buffer, in, w.pool.free)
		rest.total = u.Size(w.tree())
		return u.checkChunks(ctx, w, number, rest)
	case io.EOF, io.ErrUnexpectedEOF:
		results, keepsText := u.checkText(w, number, w.texts.add(w.buffer[:n]))
		if keepsText {
			w.texts.commit(n)
		}
		return results, nil
	}
	return nil, u.Failure(err)
}

// checkText checks a file that is a single chunk. It reports whether the results refer to the text.
func (u *fileUnit) checkText(w *worker, number int, whole string) (results []*check.Result, keepsText bool) {
	o := w.unused
	if o == nil {
		o = &check.Result{}
	}
	w.source = source.Source{Name: u.Name, Text: whole}
	keepsText = w.check(u.text(w, number, &w.source), o, place{unit: number})
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
func (u *fileUnit) checkChunks(ctx context.Context, w *worker, number int, rest *chunks) (results []*check.Result, err error) {
	// The first result counts the file and belongs to no chunk, because other workers may already write to the
	// results of the chunks.
	results = append(results, &check.Result{Summary: diag.Summary{Files: 1}})
	for ctx.Err() == nil {
		src, memory, err := rest.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return results, u.Failure(err)
		}
		c := chunk{u.text(w, number, src), &check.Result{}, place{number, len(results)}}
		c.memory = memory
		results = append(results, c.into)
		if w.recorder != nil { // another worker would not record what it asks for
			w.check(c.text, c.into, c.place)
			continue
		}
		select {
		case w.pool.chunks <- c:
		default:
			w.check(c.text, c.into, c.place)
		}
	}
	return results, nil
}

// unreadable returns the finding that a file of a chart cannot be read.
func unreadable(f *find.File, err error) diag.Violation {
	name := f.Name
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		name, err = of.Path, of.Err
	}
	return diag.Violation{
		Rule: diag.InvalidChart, Severity: diag.Error, Message: err.Error(), Place: source.FileStart(name),
	}
}
