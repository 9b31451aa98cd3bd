package workspace

import (
	"context"
	"io"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/derived"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/search"
	"github.com/kindvet/kindvet/internal/source"
)

// discovery finds the CRDs among the files of a run before the check. It reads files in chunks. Up to a limit it
// keeps the CRDs and the texts of small files, so that those files are read only once.
type discovery struct {
	tree    find.Tree
	units   []unit
	options *Options
	uses    map[string]kustomization.Use  // by absolute path of the file
	formats map[string][]*filetype.Format // by absolute path of the file
	next    atomic.Int64                  // the next file to read
	bytes   atomic.Int64                  // of the texts that units keep
	kept    *kept                         // nil if nothing is kept

	mutex      sync.Mutex
	deployers  map[string]bool          // files that may have objects of Flux or Argo CD, by absolute path
	found      map[int]sized            // by number
	namespaces map[int][]lint.Namespace // by number
	// policies are the admission policies and bindings of units, and others all other objects of standard input, by number.
	policies, others map[int][]manifest.Node
	size             int // total size of found
	// end is the number of the first file whose CRDs exceed the limit.
	end int
	// built are the CRDs of kustomizations, and replaced the absolute paths of the files that they are built from.
	built       []catalog.Source
	builtHashes []uint64 // of the outputs, if something is kept
	replaced    map[string]bool
}

// sized holds the CRDs of a file and their approximate size in bytes.
type sized struct {
	kinds catalog.Source
	size  int
}

// newDiscovery returns a discovery that has read nothing. It ignores the CRDs of files whose configuration turns
// discovery off, and of files that a kustomization uses as patches.
func newDiscovery(o *Options, tree find.Tree, k *kept) *discovery {
	return &discovery{
		tree: tree, options: o, kept: k, found: map[int]sized{}, namespaces: map[int][]lint.Namespace{}, deployers: map[string]bool{},
		policies: map[int][]manifest.Node{}, others: map[int][]manifest.Node{},
		replaced: map[string]bool{},
		end:      math.MaxInt,
	}
}

// read reads the units that have not been read yet.
func (d *discovery) read(ctx context.Context, units []unit, uses map[string]kustomization.Use,
	formats map[string][]*filetype.Format) {
	d.next.Store(int64(len(d.units)))
	d.units, d.uses, d.formats = slices.Clip(units), uses, formats
	workers := d.options.Jobs
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for range min(workers, len(units)-int(d.next.Load())) {
		wg.Go(func() { d.work(ctx) })
	}
	wg.Wait()
}

// maxKept is the maximum number of bytes that kept texts and the list of files take together. A kept text is not read
// again. fileSize is about what the list takes for each file. If there are too many files, only their list is kept.
const (
	maxKept  = 14 << 20
	fileSize = 100
)

func (d *discovery) work(ctx context.Context) {
	var buffer []byte
	var texts arena
	for ctx.Err() == nil {
		i := int(d.next.Add(1)) - 1
		if i >= len(d.units) {
			return
		}
		if buffer == nil {
			buffer = make([]byte, chunkSize)
		}
		d.recallOrRead(i, buffer, &texts)
	}
}

// recallOrRead finds what is in a unit, unless that is kept.
func (d *discovery) recallOrRead(number int, buffer []byte, texts *arena) {
	f := d.units[number].in()
	isUsed := d.isUsed(f)
	if d.kept == nil || f.Kind == find.Stdin {
		d.unit(number, d.tree, isUsed, buffer, texts)
		return
	}
	d.mutex.Lock()
	known := d.kept.discovered[f.Abs]
	d.mutex.Unlock()
	if known != nil && known.isUsed == isUsed && d.kept.facts.areTrue(known.read) {
		d.recall(number, known)
		return
	}
	r := newRecorder(d.kept.facts)
	if d.unit(number, r, isUsed, buffer, texts); r.facts.until.Err() != nil {
		return
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	known = &discoveredFile{
		isUsed: isUsed, read: r.read, namespaces: d.namespaces[number], policies: d.policies[number], isDeployer: d.deployers[f.Abs],
	}
	if crds, ok := d.found[number]; ok {
		known.crds = &crds
	}
	d.kept.discovered[f.Abs] = known
}

// recall adds what was found in a unit before.
func (d *discovery) recall(number int, known *discoveredFile) {
	if known.crds != nil {
		d.add(number, known.crds.kinds, known.crds.size)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if known.namespaces != nil {
		d.namespaces[number] = known.namespaces
	}
	if known.policies != nil {
		d.policies[number] = known.policies
	}
	if known.isDeployer {
		d.deployers[d.units[number].in().Abs] = true
	}
}

// unit finds what is in a unit.
func (d *discovery) unit(number int, tree find.Tree, isUsed bool, buffer []byte, texts *arena) {
	switch u := d.units[number].(type) {
	case *chartUnit:
		if isUsed {
			d.archives(number, u, tree)
		}
	case *fileUnit:
		if isUsed || d.options.isReadTwice(u.File, d.tree) {
			d.file(number, u, tree, buffer, texts)
		}
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

// archives looks for CRDs in the archives of a chart.
func (d *discovery) archives(index int, u *chartUnit, tree find.Tree) {
	for _, src := range chart.ArchivedCRDs(u.Name, u.ReadArchives(tree)) {
		d.text(index, src)
	}
}

// file looks for CRDs in a file. It ignores read errors, because the check reports them.
func (d *discovery) file(index int, f *fileUnit, tree find.Tree, buffer []byte, texts *arena) {
	in := io.NopCloser(d.options.Stdin)
	if f.Kind != find.Stdin {
		var err error
		if in, err = f.Open(tree); err != nil {
			return
		}
	}
	defer in.Close()
	n, err := io.ReadFull(in, buffer)
	switch err {
	case io.EOF, io.ErrUnexpectedEOF:
		text := texts.add(buffer[:n])
		if f.Kind != find.Stdin && d.kept == nil && d.bytes.Add(int64(n)) <= maxKept-fileSize*int64(len(d.units)) {
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
		case f.Kind == find.Stdin:
			d.chunks(index, newChunks(f.Name, buffer, in, make(chan []byte, 1)))
		case d.isUsed(f.File) && contains(buffer, in, append(derived.Marks[:], policy.Mark)):
			d.long(index, f.File, tree, buffer)
		}
	}
}

// contains reports whether a stream contains one of some texts. It has been read up to the end of the buffer, which is
// overwritten.
func contains(buffer []byte, rest io.Reader, texts []search.Text) bool {
	longest := 0
	for _, t := range texts {
		longest = max(longest, t.Len())
	}
	kept, n := 0, len(buffer) // bytes at the start of the buffer that have been searched, and all bytes in it
	for n > kept {
		if slices.ContainsFunc(texts, func(t search.Text) bool { return t.In(textIn(buffer[:n])) }) {
			return true
		}
		kept = copy(buffer, buffer[max(n-longest+1, 0):n])
		read, _ := io.ReadFull(rest, buffer[kept:])
		n = kept + read
	}
	return false
}

// long looks for CRDs in a long file that has the mark of one. It reads the file again, because the documents of other
// long files are not worth their memory.
func (d *discovery) long(index int, f *find.File, tree find.Tree, buffer []byte) {
	in, err := f.Open(tree)
	if err != nil {
		return
	}
	defer in.Close()
	n, err := io.ReadFull(in, buffer)
	if n == 0 || err != nil && err != io.ErrUnexpectedEOF {
		return
	}
	rest := newChunks(f.Name, buffer[:n], in, make(chan []byte, 1))
	rest.total = f.Size(tree)
	d.chunks(index, rest)
}

// chunks looks for CRDs in a long file.
func (d *discovery) chunks(index int, rest *chunks) {
	for {
		src, memory, err := rest.next()
		if err != nil {
			return
		}
		d.text(index, src)
		if memory == nil {
			continue
		}
		select {
		case rest.free <- memory:
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

// declares reports whether a text may have CRDs, admission policies, or Namespaces that enforce a level.
func declares(text string) bool {
	return lint.EnforceMark.In(text) || catalog.Declares(text) || policy.Mark.In(text)
}

// declared looks for CRDs and Namespaces.
func (d *discovery) declared(index int, src *source.Source) {
	if !d.isUsed(d.units[index].in()) {
		return
	}
	if lint.EnforceMark.In(src.Text) {
		d.addNamespaces(index, lint.FindNamespaces(src))
	}
	if policy.Mark.In(src.Text) {
		d.addPolicies(index, src)
	}
	if !catalog.Declares(src.Text) {
		return
	}
	if kinds, size := catalog.DiscoverCRDs(src); len(kinds) > 0 {
		d.add(index, kinds, size)
	}
}

// mark records that a file may have objects that deploy others. Of a long file, only the start says so.
func (d *discovery) mark(index int, text string) {
	if gitops.Mentioned(text) || gitops.IsHelmfile(filepath.ToSlash(d.units[index].in().Abs)) {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.deployers[d.units[index].in().Abs] = true
	}
}

// addNamespaces records the Namespaces of a file.
func (d *discovery) addNamespaces(index int, found []lint.Namespace) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.namespaces[index] = append(d.namespaces[index], found...)
}

// addPolicies records the admission policies of a file. Standard input cannot be read again for the objects to which they refer.
func (d *discovery) addPolicies(index int, src *source.Source) {
	found := policy.Find(src, policy.Mark, policy.IsPolicy)
	var others []manifest.Node
	if d.units[index].in().Kind == find.Stdin {
		others = policy.Find(src, search.For("kind"), func(group, kind string) bool { return !policy.IsPolicy(group, kind) })
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.policies[index], d.others[index] = append(d.policies[index], found...), append(d.others[index], others...)
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
