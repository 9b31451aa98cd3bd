package find

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// noteSkipped records an entry that a search skips, if it is a hidden manifest or a link to a directory: kubectl or
// kustomize may deploy what it holds.
func (s *search) noteSkipped(w walked, d fs.DirEntry, in *directory) {
	isHidden := strings.HasPrefix(d.Name(), ".")
	format := filetype.Link()
	switch {
	case !s.finder.options.Charts || s.finder.isOld:
		return // the search is not for a check
	case isHidden && (!d.Type().IsRegular() || !isManifest(d.Name()) || isConfig(d.Name()) || !s.holdsManifest(w)):
		return
	case isHidden:
		format = filetype.Hidden()
	case d.Type()&fs.ModeSymlink == 0 || !s.leavesSearch(w.full):
		return
	}
	if in.leavesOutAny() {
		if by := in.leavesOut(s.finder, w.full, !isHidden); by != nil {
			s.exclude(w.path, !isHidden, by)
			return
		}
	}
	s.found.NotSearched = append(s.found.NotSearched, format.Skipped(w.path, isHidden))
}

// leavesSearch reports whether a link leads to a directory that the search does not find: a hidden one, or one
// elsewhere.
func (s *search) leavesSearch(link string) bool {
	if stat, err := s.finder.options.Base.Tree.Stat(link); err != nil || !stat.IsDir() {
		return false
	}
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	start, err := filepath.EvalSymlinks(s.start)
	if err != nil || !disk.IsWithin(start, real) {
		return true
	}
	below, _ := filepath.Rel(start, real)
	return below != "." && slices.ContainsFunc(strings.Split(below, string(filepath.Separator)),
		func(name string) bool { return strings.HasPrefix(name, ".") })
}

// holdsManifest reports whether a document of a file is a manifest.
func (s *search) holdsManifest(w walked) bool {
	text, err := s.finder.options.Base.Tree.Read(w.full, disk.Chart)
	if err != nil || !strings.Contains(text, "apiVersion") {
		return false
	}
	src := &source.Source{Name: w.path, Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		if n := tree.Root(); n.TextAt("apiVersion") != "" && n.TextAt("kind") != "" &&
			(n.At("metadata").Valid() || n.At("items").Valid()) {
			return true
		}
	}
	return false
}
