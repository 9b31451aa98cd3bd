package run

import (
	"context"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// sinceState knows the objects that a revision had, by their text: what has the text of one of them has not changed, wherever it
// stands. A nil state knows none.
type sinceState struct {
	seed  maphash.Seed
	texts map[uint64]bool
}

// loadSince reads the objects of the merge base of a revision and HEAD, and takes the files out of the list that are as they were then;
// nil if everything is asked for.
func loadSince(ctx context.Context, o *Options, past *past, files *[]file) (*sinceState, error) {
	if o.Since == "" {
		return nil, nil
	}
	if err := past.compare(ctx); err != nil {
		return nil, err
	}
	state := &sinceState{seed: maphash.MakeSeed(), texts: map[uint64]bool{}}
	same := map[string]bool{}
	for _, r := range past.repositories {
		if err := state.readRepository(ctx, r, o, same); err != nil {
			return nil, err
		}
	}
	*files = slices.DeleteFunc(*files, func(f file) bool {
		path, err := filepath.Abs(f.name)
		return err == nil && !f.stdin && same[path]
	})
	return state, nil
}

// readRepository adds the old texts of the manifests that have changed, and, to same, the absolute paths of the files that have not.
func (s *sinceState) readRepository(ctx context.Context, r *repository, o *Options, same map[string]bool) error {
	commit, err := r.commit(ctx, o.Since)
	if err != nil {
		return err
	}
	base, ok, err := r.MergeBase(ctx, commit)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("no merge base with HEAD in %s; a shallow clone may lack it: fetch more", r.Top)
	}
	old, changed, err := r.before(ctx, base, o.Staged)
	if err != nil {
		return err
	}
	unchanged := map[string]bool{}
	for name := range old {
		unchanged[name] = true
	}
	for _, f := range changed {
		delete(unchanged, f.Name)
	}
	for _, f := range r.files {
		same[f.path] = len(f.names) > 0 && !slices.ContainsFunc(f.names, func(name string) bool { return !unchanged[name] })
	}
	changed = slices.DeleteFunc(changed, func(f git.File) bool { return f.IsLink })
	return r.Read(ctx, changed, func(f git.File, text string) { s.add(f.Name, text) })
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

func (s *sinceState) addText(text string) { s.texts[s.hash(text)] = true }

// knows reports whether a document had this text already.
func (s *sinceState) knows(text string) bool { return s != nil && s.texts[s.hash(text)] }

// hash returns the hash of a text. Git may store LF where the working tree has CRLF, so the two are the same.
func (s *sinceState) hash(text string) uint64 {
	return maphash.String(s.seed, strings.ReplaceAll(text, "\r\n", "\n"))
}

func (s *sinceState) knowsNode(n manifest.Node) bool { return s != nil && s.knows(n.Raw()) }
