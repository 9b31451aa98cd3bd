package session

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Document is one document of a text.
type Document struct {
	Part manifest.Part
	// Written is the tree of the document before defaulting and pruning.
	Written *manifest.Tree
	// Syntax holds the violations found while reading the document.
	Syntax []diag.Violation
	// Kind is the kind of the document, or of the items if IsList; nil if it is unknown.
	Kind   *catalog.Kind
	IsList bool

	source *source.Source
	cursor int
	stored *manifest.Tree
}

// Stored returns the document as an API server stores it: with defaults, and without the fields that the server
// drops. It is a separate tree, made on first use. If the kind is unknown, it equals the written tree.
func (d *Document) Stored() *manifest.Tree {
	if d.stored != nil {
		return d.stored
	}
	d.stored = &manifest.Tree{}
	d.stored.ReadTolerant(d.source, d.Part, d.cursor)
	if root := d.stored.Root(); root.Valid() && d.Kind != nil && !d.IsList {
		d.Kind.Prepare(root)
	}
	return d.stored
}

// maxDocumentTexts limits for how many texts the documents are kept.
const maxDocumentTexts = 100

// NoCursor is the cursor of a text that is not being edited.
const NoCursor = -1

// readDocuments holds the documents of a text as read for a cursor position.
type readDocuments struct {
	documents []*Document
	cursor    int
}

// isFor reports whether reading for another cursor position would give the same documents.
func (r *readDocuments) isFor(cursor int) bool {
	return r.cursor == cursor || !slices.ContainsFunc(r.documents, func(d *Document) bool { return len(d.Syntax) > 0 })
}

// Documents returns the documents of the text at an absolute path. If a document has a syntax error, its usable part
// is read. cursor is the byte offset at which the user is typing, or NoCursor. The documents are cached until the
// text or its settings change. They are not safe for concurrent use.
func (s *Session) Documents(path string, cursor int) ([]*Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.documents[path]; ok && known.isFor(cursor) {
		return known.documents, nil
	}
	d, err := s.directory(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	src, err := s.source(path)
	if err != nil {
		return nil, err
	}
	r := &readDocuments{cursor: cursor}
	for part := range manifest.Parts(src) {
		one := &Document{Part: part, Written: &manifest.Tree{}, source: src, cursor: cursor}
		one.Syntax = one.Written.ReadTolerant(src, part, cursor)
		if root := one.Written.Root(); root.Valid() {
			group, version := catalog.SplitAPIVersion(root.TextAt("apiVersion"))
			one.Kind, one.IsList, _ = d.settings.Catalog().Lookup(group, version, root.TextAt("kind"))
		}
		r.documents = append(r.documents, one)
	}
	if len(s.documents) >= maxDocumentTexts {
		clear(s.documents)
	}
	s.documents[path] = r
	return r.documents, nil
}

// NodeAt returns the document at a byte offset of a text, and the innermost written node there, as
// [manifest.Tree.NodeAt] returns it. The user may be typing at the offset.
func (s *Session) NodeAt(path string, offset int) (d *Document, n manifest.Node, inKey bool, err error) {
	documents, err := s.Documents(path, offset)
	if err != nil {
		return nil, manifest.Node{}, false, err
	}
	for _, one := range documents {
		if one.Part.Span.Start <= offset {
			d = one
		}
	}
	if d == nil {
		return nil, manifest.Node{}, false, nil
	}
	n, inKey = d.Written.NodeAt(offset)
	return d, n, inKey, nil
}

// source returns the text at a path, named relative to the base.
func (s *Session) source(path string) (*source.Source, error) {
	stat, err := s.tree.Stat(path)
	if err == nil && !stat.Mode().IsRegular() { // reading a FIFO could block forever
		err = &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	in, err := s.tree.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, manifest.MaxPart+1))
	if err == nil && len(text) > manifest.MaxPart {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("has more than %d MiB", manifest.MaxPart>>20)}
	}
	return &source.Source{Name: s.engines.base.Name(path), Text: string(text)}, err
}
