package kustomize

import (
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// document is a YAML file, or a text in a kustomization that is YAML itself.
type document struct {
	src *source.Source
	// inlined is the string that contains the text; not valid for a file.
	inlined manifest.Node
	outer   *source.Source
	// inflation is the chart that writes the text; nil for other files.
	inflation *inflation
	// vetted is the file of the configuration of plugins as the library gets it, and vettedRoots the number of documents
	// in it.
	vetted      string
	vettedRoots int

	once  sync.Once
	roots []manifest.Node
	found []diag.Violation // syntax errors
}

// inline returns the document in a string of a file.
func inline(outer *source.Source, n manifest.Node, text string) *document {
	return &document{src: &source.Source{Name: outer.Name, Text: text}, inlined: n, outer: outer}
}

// objects returns the root of each document of the text. Those with syntax errors are omitted.
func (d *document) objects() []manifest.Node {
	d.once.Do(func() {
		for part := range manifest.Parts(d.src) {
			part.WordKeys = true
			tree := &manifest.Tree{}
			d.found = append(d.found, tree.Read(d.src, part)...)
			if root := tree.Root(); root.Valid() {
				d.roots = append(d.roots, root)
			}
		}
	})
	return d.roots
}

// faults returns the syntax errors of the document.
func (d *document) faults() []diag.Violation {
	d.objects()
	return d.found
}

// origin returns where a span of the document is written.
func (d *document) origin(sp source.Span) source.Origin {
	if d.inflation != nil {
		return d.inflation.origin(sp)
	}
	if d.outer == nil {
		return source.Origin{Source: d.src, Span: sp}
	}
	if d.inlined.Type() != manifest.String || d.inlined.Text() != d.src.Text {
		return source.Origin{Source: d.outer, Span: d.inlined.MarkSpan()}
	}
	start, end := d.inlined.TextOffset(sp.Start), d.inlined.TextOffset(max(sp.End-1, sp.Start))
	origin := source.Origin{Source: d.outer, Span: source.Span{Start: start, End: end + min(sp.End-sp.Start, 1)}}
	if d.outer.Written == nil { // otherwise the quotes in the file are others
		origin.Reserved = d.inlined.Reserved()
	}
	return origin
}

// isWrittenOtherwise reports whether a template writes a line of the document, and its own line has another text.
func (d *document) isWrittenOtherwise(sp source.Span, by source.Origin) bool {
	if d.inflation == nil {
		return false
	}
	line := func(src *source.Source, at int) string {
		sp := src.Line(at)
		return strings.TrimSpace(src.Text[sp.Start:sp.End])
	}
	return line(d.src, sp.Start) != line(by.Source, by.Span.Start)
}

// sources holds the documents that places may be in. It is safe for concurrent use.
type sources struct {
	reader Reader
	mutex  sync.Mutex
	known  map[string]*document // by path
}

// of returns the document of a file with a known text.
func (s *sources) of(name, text string) *document {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known[name] == nil {
		s.known[name] = &document{src: &source.Source{Name: s.reader.Name(name), Text: text}}
	}
	return s.known[name]
}

// read returns the document of a file. It returns false if the file cannot be read.
func (s *sources) read(name string) (*document, bool) {
	s.mutex.Lock()
	known := s.known[name]
	s.mutex.Unlock()
	if known != nil {
		return known, true
	}
	text, err := s.reader.Read(name)
	if err != nil {
		return nil, false
	}
	return s.of(name, text), true
}
