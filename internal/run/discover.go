package run

import (
	"context"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/search"
	"github.com/kindvet/kindvet/internal/source"
)

// discovery finds the CRDs among the files of a run before the check. It reads files in chunks. Up to a limit it
// keeps the CRDs and the texts of small files, so that those files are read only once.
type discovery struct {
	tree    find.Tree
	files   []find.File
	options *Options
	uses    map[string]kustomization.Use  // by absolute path of the file
	formats map[string][]*filetype.Format // by absolute path of the file
	next    atomic.Int64                  // the next file to read
	kept    atomic.Int64                  // total bytes of kept texts

	mutex      sync.Mutex
	deployers  map[int]bool             // numbers of the files that may have objects of Flux or Argo CD
	found      map[int]sized            // by file number
	namespaces map[int][]lint.Namespace // by file number
	size       int                      // total size of found
	// end is the number of the first file whose CRDs exceed the limit.
	end   int
	paths []string // the absolute paths of the files; the run changes the list of files
	// built are the CRDs of kustomizations, and replaced the absolute paths of the files that they are built from.
	built    []catalog.Source
	replaced map[string]bool
}

// sized holds the CRDs of a file and their approximate size in bytes.
type sized struct {
	kinds catalog.Source
	size  int
}

// newDiscovery returns a discovery that has read nothing. It ignores the CRDs of files whose configuration turns
// discovery off, and of files that a kustomization uses as patches.
func newDiscovery(o *Options, tree find.Tree) *discovery {
	return &discovery{
		tree: tree, options: o, found: map[int]sized{}, namespaces: map[int][]lint.Namespace{}, deployers: map[int]bool{},
		replaced: map[string]bool{},
		end:      math.MaxInt,
	}
}

// read reads the files that have not been read yet.
func (d *discovery) read(ctx context.Context, files []find.File, uses map[string]kustomization.Use,
	formats map[string][]*filetype.Format) {
	d.next.Store(int64(len(d.files)))
	d.files, d.uses, d.formats = files, uses, formats
	for i := len(d.paths); i < len(files); i++ {
		d.paths = append(d.paths, files[i].Abs)
	}
	workers := d.options.Jobs
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for range min(workers, len(files)-int(d.next.Load())) {
		wg.Go(func() { d.work(ctx) })
	}
	wg.Wait()
}

// maxKept is the maximum number of bytes that kept texts and the list of files take together. fileSize is about what
// the list takes for each file. If there are too many files, only their list is kept.
const (
	maxKept  = 14 << 20
	fileSize = 100
)

func (d *discovery) work(ctx context.Context) {
	var buffer []byte
	var texts arena
	for ctx.Err() == nil {
		i := int(d.next.Add(1)) - 1
		if i >= len(d.files) {
			return
		}
		if f := &d.files[i]; f.IsBuilt || !d.isUsed(f) &&
			(f.IsChart || !d.options.follows() || !d.options.isReadTwice(f, d.tree)) {
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
	formats := d.formats[f.Abs]
	isManifest := !use.IsPatch() && !use.IsConfiguration() && use != kustomization.Expected &&
		(len(formats) == 0 || slices.ContainsFunc(formats, (*filetype.Format).HasSchemas))
	return !d.options.NoDiscovery && f.Config.UsesDiscovery() && isManifest && d.options.isReadTwice(f, d.tree)
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
		if !f.IsStdin && d.kept.Add(int64(n)) <= maxKept-fileSize*int64(len(d.files)) {
			texts.commit(n)
			kept := text
			f.Text = &kept
		}
		if d.mark(index, text); declares(text) {
			d.declared(index, &source.Source{Name: f.Name, Text: text})
		}
	case nil:
		d.mark(index, textIn(buffer))
		switch {
		case f.IsStdin:
			d.chunks(index, newChunks(f.Name, buffer, in, make(chan []byte, 1)))
		case d.isUsed(f) && contains(buffer, in, catalog.CRDMark):
			d.long(index, buffer)
		}
	}
}

// contains reports whether a stream contains a text. It has been read up to the end of the buffer, which is
// overwritten.
func contains(buffer []byte, rest io.Reader, text search.Text) bool {
	kept, n := 0, len(buffer) // bytes at the start of the buffer that have been searched, and all bytes in it
	for n > kept {
		if text.In(textIn(buffer[:n])) {
			return true
		}
		kept = copy(buffer, buffer[max(n-text.Len()+1, 0):n])
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

// text looks for CRDs and Namespaces in a text, and for objects that deploy others. The text is overwritten after the
// call.
func (d *discovery) text(index int, src *source.Source) {
	d.mark(index, src.Text)
	if declares(src.Text) {
		d.declared(index, src)
	}
}

// declares reports whether a text may have CRDs, or Namespaces that enforce a level.
func declares(text string) bool {
	return lint.EnforceMark.In(text) || catalog.CRDMark.In(text)
}

// declared looks for CRDs and Namespaces.
func (d *discovery) declared(index int, src *source.Source) {
	if !d.isUsed(&d.files[index]) {
		return
	}
	if lint.EnforceMark.In(src.Text) {
		d.addNamespaces(index, lint.FindNamespaces(src))
	}
	if !catalog.CRDMark.In(src.Text) {
		return
	}
	if kinds, size := catalog.DiscoverCRDs(src); len(kinds) > 0 {
		d.add(index, kinds, size)
	}
}

// mark records that a file may have objects that deploy others. Of a long file, only the start says so.
func (d *discovery) mark(index int, text string) {
	if d.options.follows() && gitops.Mentioned(text) {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.deployers[index] = true
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
