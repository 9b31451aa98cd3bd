package find

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lfs"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Parts are what a kustomization consists of, as far as its files can be read: some may be missing or invalid.
type Parts struct {
	// Directories are those of all kustomizations and components, its own first. Files are those of their objects. The
	// paths are absolute.
	Directories, Files []string
	// Targets are the objects that they may change. ChangesAny means that these may be any.
	Targets    []kustomization.Target
	ChangesAny bool
	// IsComponent means that the kustomization itself is a component.
	IsComponent bool
	// Unread says what is not known of the parts, and what that means; "" if all is known.
	Unread string
}

// MayChange reports whether a part may change an object of the others.
func (p *Parts) MayChange(kind, name string) bool {
	return p.ChangesAny ||
		slices.ContainsFunc(p.Targets, func(t kustomization.Target) bool { return t.Matches(kind, name) })
}

// Limits of the parts of a kustomization: how many kustomizations and components are followed, and objects are changed by
// name. Without them, each of thousands of kustomizations could read all others. A public repository has 638 in all.
// Raise a limit if a repository reaches it.
const (
	maxPartDirectories = 1000
	maxTargets         = 1000
)

// Limits of all kustomizations of a reader: the parts that are looked at, each as often as one names it and another has
// it, and the bytes of patches. A kustomization of 1 MiB may name a patch of 16 MiB 60,000 times. A part that is not
// looked at is checked as it is; a patch that is not read may change any object. One of 29 public repositories has 3,467
// parts and 33 kB of patches; raise a limit if one reaches half of it.
const (
	maxPartEntries = 500_000
	maxPatchBytes  = 64 << 20
)

// PartReader reads the parts of kustomizations, each kustomization once.
type PartReader struct {
	tree  Tree
	known map[string]*Parts // of one directory only
	// parts and patchBytes are how many may still be looked at.
	parts, patchBytes int
}

// NewPartReader returns a reader of the kustomizations in a tree.
func NewPartReader(t Tree) *PartReader {
	return &PartReader{tree: t, known: map[string]*Parts{}, parts: maxPartEntries, patchBytes: maxPatchBytes}
}

// Of returns the parts of the kustomization in a directory. It looks at nothing outside of the top of a file.
func (r *PartReader) Of(f *File, dir string) (all Parts) {
	all.Directories = []string{dir}
	seen := map[string]bool{dir: true}
	for i := 0; i < len(all.Directories); i++ {
		if i == maxPartDirectories || r.parts <= 0 {
			all.Unread = "it has too many parts, so the last ones are checked as they are"
			break
		}
		one := r.read(f, all.Directories[i])
		all.IsComponent = all.IsComponent || i == 0 && one.IsComponent
		r.parts -= 1 + len(one.Directories) + len(one.Files)
		for _, below := range one.Directories {
			if !seen[below] {
				seen[below] = true
				all.Directories = append(all.Directories, below)
			}
		}
		all.Files = append(all.Files, one.Files...)
		all.Unread = cmp.Or(all.Unread, one.Unread)
		if !all.ChangesAny && !one.ChangesAny && len(all.Targets)+len(one.Targets) > maxTargets {
			all.ChangesAny, all.Unread = true, "it changes more than 1,000 objects by name, so it may change any"
		}
		if all.ChangesAny = all.ChangesAny || one.ChangesAny; !all.ChangesAny {
			all.Targets = append(all.Targets, one.Targets...)
		}
	}
	return all
}

// read reads the kustomization in a directory. Its directories are those that it names.
func (r *PartReader) read(f *File, dir string) *Parts {
	if known := r.known[dir]; known != nil {
		return known
	}
	p := &Parts{}
	r.known[dir] = p
	name, ok := kustomizationIn(r.tree, dir)
	if !ok {
		return p
	}
	text, err := r.tree.Read(name, disk.Kustomization)
	if err != nil {
		return p
	}
	src := &source.Source{Name: name, Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if tree.Read(src, part); tree.Root().Valid() {
			r.add(p, f, dir, tree.Root())
		}
	}
	return p
}

// add adds what a kustomization in a directory names.
func (r *PartReader) add(p *Parts, f *File, dir string, root manifest.Node) {
	isWithin := func(full, name string) bool {
		return disk.IsWithin(f.top, full) && disk.FollowWithin(f.top, full, name, disk.ErrLeadsOut) == nil
	}
	_, kind := kustomization.Identity(root.TextAt("apiVersion"), root.TextAt("kind"))
	p.IsComponent = p.IsComponent || kind == "Component"
	targets, isAny := kustomization.Targets(root, func(name string) (string, bool) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if r.patchBytes < 0 || !isWithin(full, name) {
			return "", false
		}
		text, err := r.tree.Read(full, disk.Built)
		r.patchBytes -= len(text)
		return text, err == nil && !lfs.IsPointer(text) && r.patchBytes >= 0
	})
	p.Targets, p.ChangesAny = append(p.Targets, targets...), p.ChangesAny || isAny
	if r.patchBytes < 0 {
		p.Unread = "the patches have more than 64 MiB, so it may change any object"
	}
	for _, named := range kustomization.References(root) {
		if r.parts--; r.parts < 0 {
			p.Unread = "it has too many parts, so the last ones are checked as they are"
			return
		}
		full := filepath.Join(dir, filepath.FromSlash(named.Path))
		isObject := named.Use == kustomization.Source || named.Use == kustomization.Base
		if !isObject || filepath.IsAbs(filepath.FromSlash(named.Path)) || !isWithin(full, named.Path) {
			continue
		}
		stat, err := r.tree.Stat(full)
		switch {
		case err != nil: // a component that is missing may change any object
			p.ChangesAny = p.ChangesAny || named.Use == kustomization.Base
		case stat.IsDir():
			p.Directories = append(p.Directories, full)
		default:
			p.Files = append(p.Files, full)
		}
	}
}
