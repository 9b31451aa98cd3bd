package run

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/source"
)

// discovery finds the CRDs among the files of a run before the check. It reads files in chunks. Up to a limit it
// keeps the CRDs and the texts of small files, so that those files are read only once.
type discovery struct {
	tree    find.Tree
	files   []find.File
	options *Options
	uses    map[string]kustomization.Use // by absolute path of the file
	next    atomic.Int64                 // the next file to read
	kept    atomic.Int64                 // total bytes of kept texts

	mutex      sync.Mutex
	found      map[int]sized            // by file number
	namespaces map[int][]lint.Namespace // by file number
	size       int                      // total size of found
	// end is the number of the first file whose CRDs exceed the limit.
	end int
}

// sized holds the CRDs of a file and their approximate size in bytes.
type sized struct {
	kinds catalog.Source
	size  int
}

// discovered is what a run learns from its files before it checks them.
type discovered struct {
	crds       *catalog.Discovered
	namespaces lint.Namespaces
	notes      []diag.Violation // about CRDs that are not used
}

// discover returns the kinds of the CRDs among files, with a warning if the limit was exceeded, and the Namespaces that
// enforce a level of the Pod Security Standards. It ignores files whose configuration turns discovery off, and files that
// a kustomization uses as patches.
func discover(ctx context.Context, o *Options, found *find.Found, uses map[string]kustomization.Use) discovered {
	if o.NoDiscovery {
		return discovered{}
	}
	d := discovery{
		tree: found.Tree, files: found.Files, options: o, uses: uses, found: map[int]sized{}, namespaces: map[int][]lint.Namespace{},
		end: len(found.Files),
	}
	workers := o.Jobs
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for range min(workers, len(d.files)) {
		wg.Go(func() { d.work(ctx) })
	}
	wg.Wait()
	var sources []catalog.Source
	for i := range d.end {
		sources = append(sources, d.found[i].kinds)
	}
	var namespaces [][]lint.Namespace
	for _, i := range slices.Sorted(maps.Keys(d.namespaces)) {
		namespaces = append(namespaces, d.namespaces[i])
	}
	var notes []diag.Violation
	if d.end < len(d.files) {
		notes = append(notes, notUsed(d.files[d.end].Name))
	}
	for i := range d.files {
		if f := &d.files[i]; f.Config.UsesDiscovery() && !o.isReadTwice(f, d.tree) {
			notes = append(notes, notSearched(f.Name))
		}
	}
	return discovered{catalog.NewDiscovered(sources...), lint.NewNamespaces(namespaces...), notes}
}

// notSearched reports that a stream is not searched for CRDs.
func notSearched(file string) diag.Violation {
	src := source.Source{Name: file}
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Info,
		Message: fmt.Sprintf("not searched for CRDs: the stream is a FIFO, or has more than %d MiB", maxSearched>>20),
		Help:    "write it to a file, or pass its CRDs with --schemas", Place: src.Place(source.Span{}),
	}
}

// relevant drops the notes about streams that were not searched if each document has a schema: no CRD is missing then.
func relevant(notes []diag.Violation, results [][]*check.Result) []diag.Violation {
	for _, parts := range results {
		if slices.ContainsFunc(parts, func(o *check.Result) bool { return o.Summary.Skipped > 0 }) {
			return notes
		}
	}
	return slices.DeleteFunc(notes, func(v diag.Violation) bool { return v.Severity == diag.Info })
}

// notUsed returns the finding that the CRDs of a file and all later files are not used.
func notUsed(file string) diag.Violation {
	src := source.Source{Name: file}
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Warning,
		Message: fmt.Sprintf("CRDs of this file and those after it are not used: all have more than %d MiB", disk.Schemas.Limit()>>20),
		Help:    "name the CRDs to use with --schemas", Place: src.Place(source.Span{}),
	}
}

// maxKept is the maximum number of bytes of texts that are kept in memory.
const maxKept = 3 << 20

func (d *discovery) work(ctx context.Context) {
	var buffer []byte
	var texts arena
	for ctx.Err() == nil {
		i := int(d.next.Add(1)) - 1
		if i >= len(d.files) {
			return
		}
		if !d.isUsed(&d.files[i]) {
			continue
		}
		if buffer == nil {
			buffer = make([]byte, chunkSize)
		}
		d.file(i, buffer, &texts)
	}
}

// isUsed reports whether the CRDs of a file are used.
func (d *discovery) isUsed(f *find.File) bool {
	use := d.uses[f.Abs]
	isManifest := use != kustomization.Patch && use != kustomization.Configuration
	return f.Config.UsesDiscovery() && isManifest && d.options.isReadTwice(f, d.tree)
}

// file looks for CRDs in a file. It ignores read errors, because the check reports them.
func (d *discovery) file(index int, buffer []byte, texts *arena) {
	f := &d.files[index]
	if f.IsChart {
		for _, src := range chart.ArchivedCRDs(f.Name, f.ReadArchives(d.tree)) {
			d.text(index, src)
		}
		return
	}
	in := io.NopCloser(d.options.Stdin)
	if !f.IsStdin {
		var err error
		if in, err = f.Open(d.tree); err != nil {
			return
		}
	}
	defer in.Close()
	n, err := io.ReadFull(in, buffer)
	switch err {
	case io.EOF, io.ErrUnexpectedEOF:
		text := texts.add(buffer[:n])
		if !f.IsStdin && d.kept.Add(int64(n)) <= maxKept {
			texts.commit(n)
			kept := text
			f.Text = &kept
		}
		d.text(index, &source.Source{Name: f.Name, Text: text})
	case nil:
		switch {
		case f.IsStdin:
			d.chunks(index, newChunks(f.Name, buffer, in, make(chan []byte, 1)))
		case contains(buffer, in, catalog.CRDMark):
			d.long(index, buffer)
		}
	}
}

// contains reports whether a stream contains a text. It has been read up to the end of the buffer, which is
// overwritten.
func contains(buffer []byte, rest io.Reader, text string) bool {
	kept, n := 0, len(buffer) // bytes at the start of the buffer that have been searched, and all bytes in it
	for n > kept {
		if bytes.Contains(buffer[:n], []byte(text)) {
			return true
		}
		kept = copy(buffer, buffer[max(n-len(text)+1, 0):n])
		read, _ := io.ReadFull(rest, buffer[kept:])
		n = kept + read
	}
	return false
}

// long looks for CRDs in a long file that has the mark of one. It reads the file again, because the documents of other
// long files are not worth their memory.
func (d *discovery) long(index int, buffer []byte) {
	f := &d.files[index]
	in, err := f.Open(d.tree)
	if err != nil {
		return
	}
	defer in.Close()
	n, err := io.ReadFull(in, buffer)
	if n == 0 || err != nil && err != io.ErrUnexpectedEOF {
		return
	}
	rest := newChunks(f.Name, buffer[:n], in, make(chan []byte, 1))
	rest.total = f.Size(d.tree)
	d.chunks(index, rest)
}

// chunks looks for CRDs in a long file.
func (d *discovery) chunks(index int, rest *chunks) {
	for {
		p, err := rest.next()
		if err != nil {
			return
		}
		d.text(index, p.src)
		if p.memory == nil {
			continue
		}
		select {
		case rest.free <- p.memory:
		default:
		}
	}
}

// text looks for CRDs and Namespaces in a text. The text is overwritten after the call.
func (d *discovery) text(index int, src *source.Source) {
	if strings.Contains(src.Text, lint.EnforceLabel) {
		d.addNamespaces(index, lint.FindNamespaces(src))
	}
	if !strings.Contains(src.Text, catalog.CRDMark) {
		return
	}
	if kinds, size := catalog.DiscoverCRDs(src); len(kinds) > 0 {
		d.add(index, kinds, size)
	}
}

// addNamespaces records the Namespaces of a file.
func (d *discovery) addNamespaces(index int, found []lint.Namespace) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.namespaces[index] = append(d.namespaces[index], found...)
}

// add records the CRDs of a file. If the limit is exceeded, the last files are dropped, so the result does not depend
// on the order in which files are read.
func (d *discovery) add(index int, kinds catalog.Source, size int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if index >= d.end {
		return
	}
	of := d.found[index]
	d.found[index] = sized{append(of.kinds, kinds...), of.size + size}
	d.size += size
	for int64(d.size) > disk.Schemas.Limit() {
		last := slices.Max(slices.Collect(maps.Keys(d.found)))
		d.size -= d.found[last].size
		delete(d.found, last)
		d.end = last
	}
}

// discoveredKinds returns the kinds of discovered CRDs and the built-in kinds that they replace, over all engines.
func discoveredKinds(engines map[*find.Config]*check.Engine) (kinds []diag.Discovered, replaced []diag.Replaced) {
	for _, e := range engines { // order does not matter, the results are sorted
		kinds, replaced = append(kinds, e.Discovered().Kinds()...), append(replaced, e.Discovered().Replaced()...)
	}
	slices.SortFunc(kinds, func(a, b diag.Discovered) int {
		return cmp.Or(
			strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind))
	})
	return slices.Compact(kinds), replaced
}
