package find

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/store"
)

// noteSkipped records an entry that a search skips, if it is a hidden manifest or a link to a directory: kubectl or
// kustomize may deploy what it holds.
func (s *search) noteSkipped(w walked, d fs.DirEntry, in *directory) {
	isHidden := strings.HasPrefix(d.Name(), ".")
	format := filetype.Link()
	switch {
	case !s.finder.options.Charts || s.finder.options.isOld:
		return // the search is not for a check
	case isHidden && d.IsDir():
		s.noteHidden(w, in)
		return
	case isHidden && (!d.Type().IsRegular() || !isManifest(d.Name()) || isConfig(d.Name()) || !s.holdsManifest(w)):
		return
	case isHidden:
		format = filetype.Hidden()
	case d.Type()&fs.ModeSymlink == 0 || !s.leavesSearch(w.full):
		return
	}
	if in.leavesOutAny() {
		if by, _ := in.leavesOut(s.finder, w.full, !isHidden, nil); by != nil {
			s.exclude(w.path, !isHidden, by)
			return
		}
	}
	s.found.NotSearched = append(s.found.NotSearched, format.Skipped(w.path, isHidden))
}

// Limits of what a run reads in hidden directories, which it does not check: their entries, and the bytes of the files.
// The most that one of 29 public repositories has there is 6,027 entries and 8.6 MB of YAML: the tests of Chainsaw.
// Raise a limit if one reaches half of it.
const (
	maxHiddenEntries = 20_000
	maxHiddenBytes   = 64 << 20
)

// toolDirectories are hidden directories of tools, which hold no manifests of the repository.
var toolDirectories = []string{git.Entry, store.Directory, ".hg", ".svn", ".jj", ".terraform", ".venv", ".cache"}

// noteHidden records the manifests in and below a hidden directory. If they exceed a limit, it records the directory
// itself in place of those that it has not read.
func (s *search) noteHidden(w walked, in *directory) {
	if slices.Contains(toolDirectories, filepath.Base(w.full)) {
		return
	}
	found := s.hiddenIn(w)
	if len(found) == 0 {
		return
	}
	if in.leavesOutAny() {
		if by, _ := in.leavesOut(s.finder, w.full, true, nil); by != nil {
			s.exclude(w.path, true, by)
			return
		}
	}
	for _, name := range found {
		s.found.NotSearched = append(s.found.NotSearched, filetype.Hidden().Skipped(name, true))
	}
}

// hiddenIn returns the names of the manifests in and below a directory. It follows no link.
func (s *search) hiddenIn(w walked) (found []string) {
	entries, err := s.finder.options.Base.Tree.ReadDir(w.full)
	if err != nil {
		return nil
	}
	for _, d := range entries {
		entry := w.below(d.Name())
		switch s.hiddenEntries++; {
		case s.hiddenEntries > maxHiddenEntries || s.hiddenBytes > maxHiddenBytes:
			return append(found, w.path+"/")
		case slices.Contains(toolDirectories, d.Name()) || isConfig(d.Name()):
		case d.IsDir():
			found = append(found, s.hiddenIn(entry)...)
		case d.Type().IsRegular() && isManifest(d.Name()):
			if info, err := d.Info(); err == nil {
				s.hiddenBytes += info.Size()
			}
			if s.holdsManifest(entry) {
				found = append(found, entry.path)
			}
		}
	}
	return found
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

// templatesDirectory is where Ansible looks for templates, which it writes elsewhere.
const templatesDirectory = "templates"

// isOfAnsible reports whether a directory is that of a role or of a playbook of Ansible: next to the directory of tasks with
// their main file, or with a playbook and tasks.
func (s *search) isOfAnsible(w walked, has func(name string) bool) bool {
	if !has("tasks") {
		return false
	}
	entries, err := s.finder.options.Base.Tree.ReadDir(filepath.Join(w.full, "tasks"))
	return err == nil && (hasEntry(entries, "main.yml") || hasEntry(entries, "main.yaml") || has("playbook.yml") || has("playbook.yaml"))
}

// noteTemplates records the manifests among the templates of Ansible.
func (s *search) noteTemplates(w walked) {
	for _, name := range s.hiddenIn(w) {
		s.found.NotSearched = append(s.found.NotSearched, filetype.Template().Skipped(name, true))
	}
}
