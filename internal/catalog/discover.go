package catalog

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/derived"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/search"
	"github.com/kindvet/kindvet/internal/source"
)

// CRDMark is part of the text of every CRD.
var CRDMark = search.For("CustomResourceDefinition")

// Declares reports whether a text may have CRDs, or definitions of which controllers make CRDs.
func Declares(text string) bool { return derived.Mentioned(text) }

// DiscoverCRDs finds the CustomResourceDefinitions of a file to check, including those in Lists. It keeps a copy of
// each document that contains CRDs, and nothing else of the text. A CRD that a program has written is where its text was
// written first. It yields no kind for a CRD that lacks a group, a
// kind or a served version, such as a patch, or for a CRD in a template or in a file that states what a test expects.
// Faults of a CRD are found when it is checked like any other document. size is about the number of bytes that the kinds
// keep in memory. DiscoverCRDs ends with the document that makes it more than maxMade.
func DiscoverCRDs(src *source.Source) (kinds Source, size int) {
	for part := range manifest.Parts(src) {
		text := src.Text[part.Span.Start:part.Span.End]
		if !Declares(text) {
			continue
		}
		own := &source.Source{
			Name: src.Name, Text: strings.Clone(text),
			FirstLine: src.Position(part.Span.Start).Line, FirstByte: src.FirstByte + part.Span.Start,
		}
		if src.Written != nil {
			at := src.Place(source.Span{Start: part.Span.Start + max(strings.Index(text, "apiVersion"), 0), End: part.Span.End})
			at.MarkHead()
			at = at.Moved()
			own.Name, own.FirstLine = at.File, at.Start().Line
		}
		found := discover(own, part)
		if len(found) > 0 {
			kinds, size = append(kinds, found...), size+len(text)+len(found)*entrySize
		}
		for _, e := range found {
			if e.src != own { // it is made of a definition
				size += len(e.src.Text)
			}
		}
		if size > maxMade {
			break
		}
	}
	return kinds, size
}

// entrySize is the approximate memory use, in bytes, of an entry whose schema has not been read.
const entrySize = 4 << 10

// discover returns the entries of a document that is the entire text of a source.
func discover(src *source.Source, in manifest.Part) Source {
	part := manifest.Part{Span: source.Span{End: len(src.Text)}, Index: in.Index, Format: in.Format}
	if isOfTest(src) {
		return nil
	}
	found, ok := skimCRDs(src, part)
	if !ok {
		found = readWhole(src, part)
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(src.Text)))
	var usable Source
	for i, e := range found {
		if len(e.Versions) == 0 || IsKubernetesGroup(e.Group) ||
			!isName(e.Group) || !isName(e.Name) || !isName(e.ListName) || !isName(e.Plural) {
			continue
		}
		if e.testData = testDataOf(src.Name); e.testData != "" {
			if _, known := projects.ForKind(e.Group, e.Name); known {
				e.testData = ""
			}
		}
		e.hash = string(sum[:]) + strconv.Itoa(i) + e.testData
		usable = append(usable, e)
	}
	return usable
}

// isName reports whether a text may be the name of a group or kind: it is not empty and not longer than a server
// allows for a group.
func isName(text string) bool { return text != "" && len(text) <= 253 }

// isOfTest reports whether a document is a template, or part of a test.
func isOfTest(src *source.Source) bool {
	_, ok := filetype.At(src.Name).OfObject(&filetype.Document{
		Text: src.Text, APIVersion: crdVersion, Kind: "CustomResourceDefinition",
	})
	return ok
}

// readWhole returns an entry for each CRD of a document that cannot be skimmed. The document is read again for the
// schemas.
func readWhole(src *source.Source, part manifest.Part) Source {
	d := &crdDocument{src: src, part: part}
	d.all = sync.OnceValue(d.loadAll)
	root, _ := d.read(src.Text)
	found := readDerived(src, root)
	for n := range CRDs(root) {
		e, _ := parseHead(n, CRD)
		index := d.count
		d.count++
		e.src, e.load = src, func() loaded { return d.all()[index] }
		found = append(found, e)
	}
	return found
}

// Discovered holds the kinds of CRDs that are among the files to check. Several CRDs may define the same kind, such as
// those of different releases. It is immutable, and may be used with several catalogs.
type Discovered struct{ entries []*Entry }

// NewDiscovered returns the kinds of sources, in the order of their files. Of CRDs with the same text, it keeps the
// first.
func NewDiscovered(sources ...Source) *Discovered {
	d := &Discovered{}
	seen := map[string]bool{}
	for _, s := range sources {
		for _, e := range s {
			if !seen[e.hash] {
				seen[e.hash] = true
				d.entries = append(d.entries, e)
			}
		}
	}
	return d
}
