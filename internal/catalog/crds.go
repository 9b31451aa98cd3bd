package catalog

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/definition"
	"github.com/kindvet/kindvet/internal/derived"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// ReadCRDs finds the CustomResourceDefinitions of a file, including those in Lists, and returns their kinds and the
// number of CRDs. It skips other documents in the file.
//
// Only the part of a CRD outside its schemas is read at once. The schemas and their faults are read when the kind is
// requested ([Entry.Kind], [Entry.Violations]). ReadCRDs returns the violations of documents that cannot be read. It
// also returns all violations of a CRD with a fault outside its schemas, because such a fault may prevent documents of
// its kind from being recognized.
func ReadCRDs(src *source.Source) (kinds Source, found int, violations []diag.Violation) {
	for part := range manifest.Parts(src) {
		if skimmed, ok := skimCRDs(src, part); ok {
			kinds, found = append(kinds, skimmed...), found+len(skimmed)
			continue
		}
		tree := &manifest.Tree{}
		violations = append(violations, tree.Read(src, part)...)
		made := readDerived(src, tree.Root())
		kinds, found = append(kinds, made...), found+len(made)
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

// skimCRDs returns an entry for each CRD of a document, made from the part outside the schemas. It returns false if
// that part has a fault, or does not suffice to be sure of the result of a full reading.
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
	for range within(skimmed.Root(), derived.IsDefinition) {
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

// crdDocument is a document whose CRDs have been found but not read: a single one, or those of a List.
type crdDocument struct {
	src   *source.Source
	part  manifest.Part
	count int // number of CRDs

	singly atomic.Int32 // CRDs that were read separately
	all    func() []loaded
}

// maxSingly is the maximum number of CRDs of a List that are read separately, each without the schemas of the others.
// After that, all are read together, because each reading has to skip the whole List. None of 29 public repositories
// has CRDs in a List.
const maxSingly = 8

// load reads a CRD in full. Its schemas are those with indexes from to to-1 among the fields that manifest.Skim
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

// loadAll reads every CRD in full.
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

// read reads a text of the file, in which spaces may replace the parts that are left out. Each reading has its own
// source, because a source must not be used by several goroutines.
func (d *crdDocument) read(text string) (manifest.Node, []diag.Violation) {
	src := source.Source{Name: d.src.Name, Text: text, FirstLine: d.src.FirstLine, Private: d.src.Private}
	tree := &manifest.Tree{}
	violations := tree.Read(&src, d.part)
	src.Text = d.src.Text // which stays in memory
	return tree.Root(), violations
}

// loadCRD reads the kinds and the violations of a CRD.
func loadCRD(n manifest.Node) loaded {
	violations := checkCRD(n)
	kinds, unusable := parseCRD(n, CRD)
	unusable = append(unusable, applyNotes(n, kinds)...)
	if len(violations) == 0 {
		violations = unusable
	}
	return loaded{kinds, violations}
}

// CRDs yields the CRDs of a document: the document itself, or its items, which kubectl applies whatever its kind is.
func CRDs(n manifest.Node) iter.Seq[manifest.Node] { return within(n, IsDefinition) }

// within yields a document that satisfies a condition, or those of its items.
func within(n manifest.Node, is func(manifest.Node) bool) iter.Seq[manifest.Node] {
	return func(yield func(manifest.Node) bool) { yieldWithin(n, is, yield) }
}

func yieldWithin(n manifest.Node, is, yield func(manifest.Node) bool) bool {
	switch {
	case !n.Valid():
		return true
	case is(n):
		return yield(n)
	case n.Type() != manifest.Map || n.TextAt("kind") == "":
		return true
	}
	for item := range n.At("items").Children() {
		if !yieldWithin(item, is, yield) {
			return false
		}
	}
	return true
}

// maxMade is the maximum size of the CRDs that controllers make of a document, in bytes. The items of a List may be short
// definitions of long CRDs. It is that of a file with CRDs.
const maxMade = 64 << 20

// MadeCRDs yields the CRDs that controllers make of a document and its items, each as a file that starts where the
// definition does. It ends with the CRD that exceeds maxMade.
func MadeCRDs(src *source.Source, n manifest.Node) iter.Seq[*source.Source] {
	return func(yield func(*source.Source) bool) {
		size := 0
		for n := range within(n, derived.IsDefinition) {
			for text := range derived.CRDs(n) {
				start := n.Span().Start
				made := &source.Source{
					Name: src.Name, Text: text, FirstLine: src.Position(start).Line, FirstByte: src.FirstByte + start,
					Private: src.Private,
				}
				if size += len(text); !yield(made) || size > maxMade {
					return
				}
			}
		}
	}
}

// readDerived returns the kinds of the CRDs that controllers make of a document.
func readDerived(src *source.Source, n manifest.Node) (kinds Source) {
	for made := range MadeCRDs(src, n) {
		for part := range manifest.Parts(made) {
			for _, e := range readWhole(made, part) {
				if len(e.Versions) > 0 {
					kinds = append(kinds, e)
				}
			}
		}
	}
	return kinds
}

// checkCRD validates a v1 CRD against the schema of its kind, and checks that its own schemas are structural.
func checkCRD(n manifest.Node) []diag.Violation {
	if n.TextAt("apiVersion") != crdVersion {
		return nil
	}
	return append(checkHead(n), definition.CheckSchemas(n)...)
}

func checkHead(n manifest.Node) []diag.Violation {
	k := crdKind()
	return k.Check(n, manifest.Node{})
}

// crdKind is the kind CustomResourceDefinition.
var crdKind = sync.OnceValue(func() *Kind {
	loaded := loadEmbedded("kinds/apiextensions.k8s.io/customresourcedefinitions.yaml")
	if len(loaded.kinds) == 0 {
		panic(fmt.Sprintf("the kind of CRDs is embedded: %v", loaded.violations))
	}
	return loaded.kinds[0]
})
