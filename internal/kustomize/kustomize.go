// Package kustomize builds kustomizations in memory, and knows where the output was written.
//
// The output is that of 'kustomize build' with the library of kustomize itself. A [Repository] reads the files that
// the kustomizations name, so nothing here reads the disk, the environment, the clock or the network.
//
// # What the library may load
//
// The library fetches URLs, clones repositories and runs programs if a kustomization says so. It never sees such a
// kustomization. Each one is read first, every path in it is looked up among the files of the repository, and the
// library gets a copy in which each path starts with "./" or "../": it takes such a path for nothing but a local file.
// A kustomization that names anything else, or a plugin, is not built, and the reason is a finding.
//
// # Speed
//
// The library copies, writes and reads each object many times. So it gets CRDs without their schemas, unless something
// may reach those, and annotates objects with their files only if their names do not tell. See slim and names. In
// kubeflow/manifests it loads 230 kustomizations 1,547 times, because many share bases. It has no door for a base that
// is built already: its package target is internal, and in the output of a base the first names of objects are lost,
// by which references find them.
//
// # Places
//
// The library says in which file an object was written first. A value of the output may be that of the file, or of a
// field of a kustomization above it that changes objects, such as a patch or an image. If several have it, one of them
// is changed, and the kustomization is built again: the value of the output changes with the one that set it. A value
// that only one field has needs no such trial, which costs as much as a build. See [Built.Source].
//
// # Limits
//
// A build cannot be interrupted. The number of kustomizations, their bytes and the estimated growth of the output are
// limited before it starts. The caller limits what the library allocates: package workspace.
package kustomize

import (
	"path"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Reader reads the files of a repository. Paths have slashes and are relative to its top, which is ".".
type Reader struct {
	// Read returns the text of a file.
	Read func(path string) (string, error)
	// IsDirectory reports whether a path is a directory.
	IsDirectory func(path string) bool
	// Chart returns the files of the Helm chart in a directory.
	Chart func(path string) ([]chart.File, error)
	// Name returns the name of a path in a report.
	Name func(path string) string
	// IsIgnored reports whether git ignores a path where no file is; nil if that is not known.
	IsIgnored func(path string) bool
}

// Repository holds the kustomizations of a directory tree. It is not safe for concurrent use, except as
// [Built.Source] says.
type Repository struct {
	// Charts are the options for charts that kustomizations inflate. Its values and release do not count.
	Charts chart.Options

	reader   Reader
	layers   map[string]*loaded
	sources  sources
	charts   map[string]*inflated // by directory
	inflated int                  // charts
	// slims are the slim forms of files, by path; nil for those that have none. slimBytes is the size of the files.
	slims     map[string]*slim
	slimBytes int
	word      string                // what stands for a schema in the slim forms starts with it
	contents  map[string][]identity // of files, by path
	counted   map[string]bool       // the files that NewBytes has counted
	// trying guards everything during builds that find where values were set.
	trying sync.Mutex
	// outcomes are the results of builds that may be needed again. kept is the size of their objects.
	outcomes map[*layer]earlier
	kept     int
}

// New returns a repository.
func New(r Reader) *Repository {
	r.Read = readOnce(r.Read)
	return &Repository{
		reader: r, layers: map[string]*loaded{}, sources: sources{reader: r, known: map[string]*document{}},
		charts: map[string]*inflated{}, slims: map[string]*slim{}, word: newWord(), contents: map[string][]identity{},
		counted: map[string]bool{}, outcomes: map[*layer]earlier{},
	}
}

// loaded is the result of loading a layer; isLoading marks those whose bases are being loaded.
type loaded struct {
	layer     *layer
	fault     *Fault
	isLoading bool
}

// layer is a kustomization or component that has been read.
type layer struct {
	dir, file string // relative to the top of the repository
	src       *source.Source
	root      manifest.Node
	isBare    bool                // it has no fields, so nothing that names it can be built
	fields    types.Kustomization // as the library gets it: with rewritten paths
	resources []resource
	bases     []base
	patches   []patch
	configs   []*document // configurations of transformers
	// pluginPatches are the patches in configurations, or that these name.
	pluginPatches []*document
	texts         map[string]string // further files for the library, by path
	inputs        []string          // files whose text generators copy
	sizes         map[string]int    // bytes of files that were read, by path
	empty         map[string]bool   // files that do not exist, and are empty for the library
	// inflations are the charts that the layer inflates, by the path of a file with the output.
	inflations map[string]*inflation
	files      []string                   // all files that were read, of this layer only
	missing    []string                   // those that do not exist
	absent     []*Fault                   // what the library does not get
	kept       map[string][]int           // the indices of the items that the library gets, by the name of a list
	left       map[string][]manifest.Node // the items that are left in a list from which some were removed
	charts     []string                   // the directories of charts
	bytes      int                        // their size
	documents  int                        // about how many objects the layer adds
	cost       cost

	replacements []replacement
	// configurations are the texts of crds and configurations.
	configurations []string
	// edit are the changes of an object, which names the layer at a place; nil if there is none. given is the text of a
	// layer without a file.
	edit  *layer
	named source.Place
	given *source.Source

	references references
	largest    int // bytes of the largest file
}

// resource is a file of objects.
type resource struct {
	path string
	node manifest.Node // where the layer names it
}

// base is a directory among the resources or components of a layer.
type base struct {
	*layer
	node        manifest.Node // where the layer names it
	isComponent bool
}

// Kustomization is a kustomization that can be built.
type Kustomization struct {
	repository *Repository
	layer      *layer
	substitute func(text string) string // nil for none
}

// Load reads the kustomization in a directory, and all that it names. Exactly one of the results is not nil.
func (r *Repository) Load(dir string) (*Kustomization, *Fault) {
	l, fault := r.load(dir, 0)
	if fault == nil {
		fault = l.tooLarge()
	}
	if fault != nil {
		return nil, fault
	}
	return &Kustomization{repository: r, layer: l}, nil
}

// Name returns the name of its file in a report.
func (k *Kustomization) Name() string { return k.layer.src.Name }

// Unfinished returns the fault that a limit of the caller ended the build, or is used up.
func (k *Kustomization) Unfinished(reason string) *Fault { return k.layer.limit(reason) }

// NewBytes returns the size of its files that no kustomization of the repository counted before.
func (k *Kustomization) NewBytes() (size int) {
	count := func(name string, bytes int) {
		if !k.repository.counted[name] {
			k.repository.counted[name] = true
			size += bytes
		}
	}
	k.layer.each(func(l *layer) {
		count(l.file, len(l.src.Text))
		for name, bytes := range l.sizes { // order does not matter
			count(name, bytes)
		}
	})
	return size
}

// IsComponent reports whether it is a component, which can only be built as a part of other kustomizations.
func (k *Kustomization) IsComponent() bool { return k.layer.fields.Kind == types.ComponentKind }

// Bases returns the directories of the kustomizations and components that it names directly.
func (k *Kustomization) Bases() (dirs []string) {
	for _, b := range k.layer.bases {
		dirs = append(dirs, b.dir)
	}
	return dirs
}

// Directories returns the directories of all kustomizations and components that it consists of, its own included.
func (k *Kustomization) Directories() (dirs []string) {
	k.layer.each(func(l *layer) { dirs = append(dirs, l.dir) })
	return dirs
}

// Resources returns the files of objects that are built, and Files all files that are read, with repetitions.
func (k *Kustomization) Resources() (files []string) {
	k.layer.each(func(l *layer) {
		for _, f := range l.resources {
			files = append(files, f.path)
		}
	})
	return files
}

// Files implements what Resources says. Missing returns the files that do not exist, and Charts the directories of the
// charts that are inflated, whose files are among the others.
func (k *Kustomization) Files() (files []string) {
	k.layer.each(func(l *layer) { files = append(files, l.files...) })
	return files
}

// Missing implements what Files says.
func (k *Kustomization) Missing() (files []string) {
	k.layer.each(func(l *layer) { files = append(files, l.missing...) })
	return files
}

// Charts implements what Files says.
func (k *Kustomization) Charts() (directories []string) {
	k.layer.each(func(l *layer) { directories = append(directories, l.charts...) })
	return directories
}

// each visits a layer and all below it, each once.
func (l *layer) each(visit func(*layer)) {
	seen := map[*layer]bool{}
	var walk func(*layer)
	walk = func(l *layer) {
		if seen[l] {
			return
		}
		seen[l] = true
		visit(l)
		for _, b := range l.bases {
			walk(b.layer)
		}
	}
	walk(l)
}

// within returns a path that a file in dir names, relative to the top. It returns false if the path is absolute or
// leads out of the repository.
func within(dir, name string) (string, bool) {
	if path.IsAbs(name) || strings.ContainsAny(name, "\n\x00") {
		return "", false
	}
	full := path.Join(dir, name)
	return full, full != ".." && !strings.HasPrefix(full, "../")
}

// place returns where a node of a layer is.
func place(n manifest.Node) source.Place {
	p := n.Place()
	p.Detach()
	return p
}
