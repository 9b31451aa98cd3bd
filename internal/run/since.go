package run

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// sinceState knows the objects that a revision had, by their text: what has the text of one of them has not changed, wherever it
// stands. A nil state knows none.
type sinceState struct {
	seed  maphash.Seed
	texts map[uint64]bool
}

// loadSince reads the objects of the merge base of a revision and HEAD, and removes the files that have not changed since from the list;
// nil if everything is asked for.
func loadSince(ctx context.Context, o *Options, past *find.Past, files *[]find.File) (*sinceState, error) {
	if o.Since == "" {
		return nil, nil
	}
	state := &sinceState{seed: maphash.MakeSeed(), texts: map[uint64]bool{}}
	unchanged, err := past.Since(ctx, o.Since, state.add)
	if err != nil {
		return nil, err
	}
	*files = slices.DeleteFunc(*files, func(f find.File) bool { return !f.IsStdin && unchanged[f.Abs] })
	return state, nil
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
