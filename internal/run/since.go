package run

import (
	"errors"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// sinceState knows the objects that a revision had, by their text: what has the text of one of them has not changed, wherever it
// stands. A nil state knows none.
type sinceState struct {
	seed  maphash.Seed
	texts map[uint64]bool
}

// loadSince reads the objects of the commit in which a revision and the present one parted, and takes the files out of the list that
// are as they were then; nil if everything is asked for.
func loadSince(o *Options, files *[]file) (*sinceState, error) {
	if o.Since == "" {
		return nil, nil
	}
	byRepository, err := repositories(*files)
	if err != nil {
		return nil, err
	}
	if len(byRepository) == 0 {
		return nil, errors.New("nothing to check lies in a git repository")
	}
	state := &sinceState{seed: maphash.MakeSeed(), texts: map[uint64]bool{}}
	same := map[string]bool{}
	for top, paths := range byRepository {
		if err := state.readRepository(top, o, paths, same); err != nil {
			return nil, err
		}
	}
	*files = slices.DeleteFunc(*files, func(f file) bool {
		path, err := filepath.Abs(f.name)
		return err == nil && same[path]
	})
	return state, nil
}

// readRepository adds the old texts of the manifests that have changed, and, to same, the files that have not. paths are the files to
// check, absolute.
func (s *sinceState) readRepository(top string, o *Options, paths []string, same map[string]bool) error {
	out, err := git(top, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", o.Since+"^{commit}")
	if err != nil {
		return fmt.Errorf("no such revision in %s", top)
	}
	if out, err = git(top, nil, "merge-base", strings.TrimSpace(string(out)), "HEAD"); err != nil {
		return fmt.Errorf("it has no commit in common with the present one in %s; a shallow clone lacks them: fetch more", top)
	}
	commit := strings.TrimSpace(string(out))
	changed, err := changedSince(top, commit, o.Staged)
	if err != nil {
		return err
	}
	if out, err = git(top, nil, "ls-tree", "-r", "-z", "--name-only", commit); err != nil {
		return err
	}
	unchanged := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		unchanged[name] = true
	}
	for _, name := range changed {
		delete(unchanged, name)
	}
	for _, path := range paths {
		name, err := nameIn(top, path)
		if err != nil {
			return err
		}
		same[path] = unchanged[name]
	}
	return readBlobs(top, commit, changed, s.add)
}

// add takes in the documents of a file as it was, and the items of its lists.
func (s *sinceState) add(name, text string) {
	src := &source.Source{Name: name, Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		if root := tree.Root(); root.Valid() {
			s.addNode(root)
			continue
		}
		s.addText(text[part.Span.Start:part.Span.End])
	}
}

func (s *sinceState) addNode(n manifest.Node) {
	s.addText(n.Raw())
	list := n
	if items, ok := n.Field("items"); ok {
		list = items
	}
	if list.Type() == manifest.List {
		for item := range list.Children() {
			s.addNode(item)
		}
	}
}

func (s *sinceState) addText(text string) { s.texts[maphash.String(s.seed, text)] = true }

// knows says whether a document had this text already.
func (s *sinceState) knows(text string) bool {
	return s != nil && s.texts[maphash.String(s.seed, text)]
}

func (s *sinceState) knowsNode(n manifest.Node) bool { return s != nil && s.knows(n.Raw()) }
