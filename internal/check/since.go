package check

import (
	"hash/maphash"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// OldTexts holds the texts of the objects of a revision. A document with one of these texts is unchanged, even if it
// has moved. A nil *OldTexts is empty.
type OldTexts struct {
	seed  maphash.Seed
	texts map[uint64]bool
}

// NewOldTexts returns an empty set of texts.
func NewOldTexts() *OldTexts { return &OldTexts{seed: maphash.MakeSeed(), texts: map[uint64]bool{}} }

// Add adds the documents of an old file, and the items of its lists.
func (s *OldTexts) Add(name, text string) { s.AddSource(&source.Source{Name: name, Text: text}) }

// AddSource is like Add, for a text that a program made of other files.
func (s *OldTexts) AddSource(src *source.Source) {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		if root := tree.Root(); root.Valid() {
			s.addNode(root)
			continue
		}
		s.addText(src.Text[part.Span.Start:part.Span.End])
	}
}

func (s *OldTexts) addNode(n manifest.Node) {
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

func (s *OldTexts) addText(text string) { s.texts[s.hash(text)] = true }

// knows reports whether an old document had this text.
func (s *OldTexts) knows(text string) bool { return s != nil && s.texts[s.hash(text)] }

// hash returns the hash of a text. LF and CRLF hash the same, because git may store LF where the working tree has
// CRLF.
func (s *OldTexts) hash(text string) uint64 {
	return maphash.String(s.seed, strings.ReplaceAll(text, "\r\n", "\n"))
}

func (s *OldTexts) knowsNode(n manifest.Node) bool { return s != nil && s.knows(n.Raw()) }
