package catalog

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/definition"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// ReadCRDs finds the CustomResourceDefinitions of a file, those in Lists included, and returns their kinds and how many CRDs there
// were. Other documents of the file are skipped.
//
// Of a CRD only what surrounds its schemas is read at once: what those hold, and what is wrong there, is found when its kind is asked
// for ([Entry.Kind], [Entry.Violations]). The violations are those of documents that cannot be read, and all those of a CRD with
// a fault outside its schemas, which may keep documents of its kind from being recognized.
func ReadCRDs(src *source.Source) (kinds Source, found int, violations []diag.Violation) {
	for part := range manifest.Parts(src) {
		d := &crdDocument{src: src, part: part}
		heads, skimmed := d.skim()
		if !skimmed {
			var unreadable []diag.Violation
			heads, unreadable = d.read()
			violations = append(violations, unreadable...)
		}
		found += len(heads)
		load := sync.OnceValue(func() []loaded { return d.load(len(heads)) })
		for i, e := range heads {
			e.file, e.line = src.Name, src.Position(part.Span.Start).Line
			e.load = func() loaded { return load()[i] }
			if !skimmed && slices.ContainsFunc(load()[i].violations, isOutsideSchemas) {
				violations = append(violations, load()[i].violations...)
				e.load = func() loaded { return loaded{kinds: load()[i].kinds} }
			}
			if len(e.Versions) > 0 {
				kinds = append(kinds, e)
			}
		}
	}
	return kinds, found, violations
}

func isOutsideSchemas(v diag.Violation) bool { return !strings.Contains(v.Path, schemaField) }

// crdDocument is a document with CRDs: one, or a List of them.
type crdDocument struct {
	src  *source.Source
	part manifest.Part
	tree *manifest.Tree // nil until it is read in full
}

// skim returns an entry for each CRD of the document, by what surrounds the schemas. It returns false where that is not enough to be
// sure of what a full reading would give, or has a fault.
func (d *crdDocument) skim() ([]*Entry, bool) {
	text, ok := manifest.Skim(d.src, d.part, schemaField)
	if !ok {
		return nil, false
	}
	outer := crdDocument{
		src:  &source.Source{Name: d.src.Name, Text: text},
		part: manifest.Part{Span: source.Span{End: len(text)}, Index: 1, Format: manifest.YAML},
	}
	heads, violations := outer.read()
	if len(violations) > 0 {
		return nil, false
	}
	for n := range crdsOf(outer.tree.Root()) {
		if n.TextAt("apiVersion") != crdVersion || len(checkHead(n)) > 0 {
			return nil, false
		}
	}
	return heads, true
}

// read reads the document, and returns an entry for each CRD. One without versions defines no kind that could be used.
func (d *crdDocument) read() ([]*Entry, []diag.Violation) {
	d.tree = &manifest.Tree{}
	violations := d.tree.Read(d.src, d.part)
	var heads []*Entry
	for n := range crdsOf(d.tree.Root()) {
		e, _ := parseHead(n, CRD)
		heads = append(heads, e)
	}
	return heads, violations
}

// load reads the CRDs of the document in full, as many as skim has found and in that order.
func (d *crdDocument) load(count int) []loaded {
	var unreadable []diag.Violation
	if d.tree == nil {
		_, unreadable = d.read()
	}
	list := make([]loaded, 0, count)
	for n := range crdsOf(d.tree.Root()) {
		violations := checkCRD(n)
		kinds, unusable := parseCRD(n, CRD)
		unusable = append(unusable, applyNotes(n, kinds)...)
		if len(violations) == 0 {
			violations = unusable
		}
		list = append(list, loaded{kinds, slices.Concat(unreadable, violations)})
	}
	for len(list) < count { // the schemas cannot be read
		list = append(list, loaded{violations: unreadable})
	}
	return list
}

// crdsOf yields the CRDs of a document.
func crdsOf(n manifest.Node) iter.Seq[manifest.Node] {
	return func(yield func(manifest.Node) bool) { yieldCRDs(n, yield) }
}

func yieldCRDs(n manifest.Node, yield func(manifest.Node) bool) bool {
	switch {
	case !n.Valid():
		return true
	case IsDefinition(n):
		return yield(n)
	case n.TextAt("kind") != "List" || n.TextAt("apiVersion") != "v1":
		return true
	}
	for item := range n.At("items").Children() {
		if !yieldCRDs(item, yield) {
			return false
		}
	}
	return true
}

// checkCRD holds a CRD of v1 against the schema of its own kind, and its schemas against what makes them structural.
func checkCRD(n manifest.Node) []diag.Violation {
	if n.TextAt("apiVersion") != crdVersion {
		return nil
	}
	return append(checkHead(n), definition.CheckSchemas(n)...)
}

func checkHead(n manifest.Node) []diag.Violation {
	k := crdKind()
	return schema.Check(n, k.Schema, k.Resource, manifest.Node{})
}

// crdKind is the kind CustomResourceDefinition.
var crdKind = sync.OnceValue(func() *Kind {
	loaded := loadEmbedded("kinds/apiextensions.k8s.io/customresourcedefinitions.yaml")
	if len(loaded.kinds) == 0 {
		panic(fmt.Sprintf("the kind of CRDs is embedded: %v", loaded.violations))
	}
	return loaded.kinds[0]
})
