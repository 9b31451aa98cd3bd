package catalog

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/definition"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// ReadCRDs finds the CustomResourceDefinitions of a file, those in Lists included, and returns their kinds and how
// many CRDs there were. Other documents of the file are skipped.
//
// Of a CRD only what surrounds its schemas is read at once: what those hold, and what is wrong there, is found when
// its kind is asked for ([Entry.Kind], [Entry.Violations]). The violations are those of documents that cannot be
// read, and all those of a CRD with a fault outside its schemas, which may keep documents of its kind from being
// recognized.
func ReadCRDs(src *source.Source) (kinds Source, found int, violations []diag.Violation) {
	for part := range manifest.Parts(src) {
		if skimmed, ok := skimCRDs(src, part); ok {
			kinds, found = append(kinds, skimmed...), found+len(skimmed)
			continue
		}
		tree := &manifest.Tree{}
		violations = append(violations, tree.Read(src, part)...)
		for n := range CRDs(tree.Root()) {
			found++
			e, _ := parseHead(n, CRD)
			l := loadCRD(n)
			if slices.ContainsFunc(l.violations, isOutsideSchemas) {
				violations = append(violations, l.violations...)
				l.violations = nil
			}
			e.src, e.start = src, part.Span.Start
			e.load = func() loaded { return l }
			if len(e.Versions) > 0 {
				kinds = append(kinds, e)
			}
		}
	}
	return kinds, found, violations
}

func isOutsideSchemas(v diag.Violation) bool {
	return !slices.ContainsFunc(v.Path, func(step diag.Step) bool { return step.Name == schemaField })
}

// skimCRDs returns an entry for each CRD of a document, by what surrounds the schemas. It returns false where that is
// not enough to be sure of what a full reading would give, or has a fault.
func skimCRDs(src *source.Source, part manifest.Part) (Source, bool) {
	text, fields, ok := manifest.Skim(src, part, schemaField)
	if !ok {
		return nil, false
	}
	skimmed := &manifest.Tree{}
	outer := manifest.Part{Span: source.Span{End: len(text)}, Index: 1, Format: manifest.YAML}
	if len(skimmed.Read(&source.Source{Name: src.Name, Text: text}, outer)) > 0 {
		return nil, false
	}
	d := &crdDocument{src: src, part: part}
	d.all = sync.OnceValue(d.loadAll)
	var kinds Source
	for n := range CRDs(skimmed.Root()) {
		e, _ := parseHead(n, CRD)
		if len(e.Versions) == 0 || len(checkHead(n)) > 0 {
			return nil, false
		}
		from, _ := slices.BinarySearch(fields, n.Span().Start)
		to, _ := slices.BinarySearch(fields, n.Span().End)
		index := len(kinds)
		e.load = sync.OnceValue(func() loaded { return d.load(index, from, to) })
		e.src, e.start = src, part.Span.Start
		kinds = append(kinds, e)
	}
	d.count = len(kinds)
	return kinds, true
}

// crdDocument is a document whose CRDs, one or those of a List, are found but not read.
type crdDocument struct {
	src   *source.Source
	part  manifest.Part
	count int // of CRDs

	singly atomic.Int32 // CRDs that were read without the others
	all    func() []loaded
}

// maxSingly is how many CRDs of a List are read one by one, each without the schemas of the others. Then all are read
// together, as each reading skips the whole List.
const maxSingly = 8

// load reads a CRD in full. Its schemas are the from-th to the to-th, to excluded, of the fields that manifest.Skim
// returns.
func (d *crdDocument) load(index, from, to int) loaded {
	if d.count == 1 || d.singly.Add(1) > maxSingly {
		return d.all()[index]
	}
	span := d.part.Span
	text := d.src.Text[:span.Start] + manifest.Blank(d.src, d.part, schemaField, from, to) + d.src.Text[span.End:]
	root, unreadable := d.read(text)
	i := 0
	for n := range CRDs(root) {
		if i == index {
			l := loadCRD(n)
			return loaded{l.kinds, append(unreadable, l.violations...)}
		}
		i++
	}
	return loaded{violations: unreadable} // the schemas cannot be read
}

// loadAll reads all CRDs in full.
func (d *crdDocument) loadAll() []loaded {
	root, unreadable := d.read(d.src.Text)
	list := make([]loaded, 0, d.count)
	for n := range CRDs(root) {
		l := loadCRD(n)
		list = append(list, loaded{l.kinds, slices.Concat(unreadable, l.violations)})
	}
	for len(list) < d.count { // the schemas cannot be read
		list = append(list, loaded{violations: unreadable})
	}
	return list
}

// read reads a text of the file, in which spaces may be for what is left out. Each reading has a source of its own: a
// source is not for several goroutines.
func (d *crdDocument) read(text string) (manifest.Node, []diag.Violation) {
	src := source.Source{Name: d.src.Name, Text: text, FirstLine: d.src.FirstLine, Private: d.src.Private}
	tree := &manifest.Tree{}
	violations := tree.Read(&src, d.part)
	src.Text = d.src.Text // which lives on
	return tree.Root(), violations
}

// loadCRD makes what there is to make of a CRD.
func loadCRD(n manifest.Node) loaded {
	violations := checkCRD(n)
	kinds, unusable := parseCRD(n, CRD)
	unusable = append(unusable, applyNotes(n, kinds)...)
	if len(violations) == 0 {
		violations = unusable
	}
	return loaded{kinds, violations}
}

// CRDs yields the CRDs of a document: the document itself, or the items of a List.
func CRDs(n manifest.Node) iter.Seq[manifest.Node] {
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
