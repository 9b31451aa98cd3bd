package kustomize

import (
	"cmp"
	"context"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Source returns the output as a source whose places move to where they were written. It omits the objects of files
// that isExcluded reports, by their names in a report. supplied returns where values of a chart are set that supplied
// a span. Both are safe for concurrent use.
func (b *Built) Source(isExcluded func(name string) bool) (src *source.Source,
	supplied func(source.Span) []diag.Related) {
	var text strings.Builder
	var all []*origins
	for i := range b.objects {
		o := &b.objects[i]
		one := &origins{
			built: b, repository: b.repository, root: b.root, object: o, kind: o.kind, name: o.name,
			checked: source.Source{Name: b.repository.reader.Name(cmp.Or(o.file, b.root.file)), Text: o.text},
		}
		if isExcluded(one.fileName()) {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("---\n")
		}
		one.start = text.Len()
		all = append(all, one)
		text.WriteString(o.text)
	}
	in := func(sp source.Span) (*origins, source.Span) {
		i := sort.Search(len(all), func(i int) bool { return all[i].start > sp.Start }) - 1
		if i < 0 {
			return nil, sp
		}
		return all[i], source.Span{Start: sp.Start - all[i].start, End: sp.End - all[i].start}
	}
	written := func(sp source.Span, isHead bool) source.Origin {
		if o, own := in(sp); o != nil && !b.isCanceled() {
			return o.origin(own, isHead)
		}
		return source.Origin{Source: b.root.src}
	}
	src = &source.Source{
		Name: b.repository.reader.Name(path.Join(b.root.dir, b.root.outputName())), Text: text.String(),
		Written:     func(sp source.Span) source.Origin { return written(sp, false) },
		WrittenHead: func(sp source.Span) source.Origin { return written(sp, true) },
	}
	return src, func(sp source.Span) []diag.Related {
		if o, own := in(sp); o != nil && !b.isCanceled() {
			return o.supplied(own)
		}
		return nil
	}
}

// Until makes the search for where values were written end when a context ends. What it finds then may not be reported.
func (b *Built) Until(ctx context.Context) { b.until = ctx }

func (b *Built) isCanceled() bool { return b.until != nil && b.until.Err() != nil }

// outputName is the name of the output in the directory of a kustomization. No report shows it. That of a
// kustomization that an object changes is another one.
func (l *layer) outputName() string {
	if l.edit != nil {
		return "(output of " + l.named.String() + ").yaml"
	}
	return "(output).yaml"
}

// origins finds where the values of an object were written.
type origins struct {
	built      *Built
	repository *Repository
	root       *layer
	object     *object
	kind, name string
	start      int // of the object in the output
	checked    source.Source

	once      sync.Once
	file      string // of the object
	tree      manifest.Tree
	chain     []*layer       // the layers that may change the object, from the outermost
	via       []source.Place // where the layers name each other
	doc       *document      // the file with the object; nil if it cannot be read
	first     manifest.Node  // the object in it, not valid if it is generated
	firstName string
	names     []string // that it has or had, as far as prefixes and suffixes changed it
}

// prepare computes what all places of an object need.
func (o *origins) prepare() {
	for part := range manifest.Parts(&o.checked) {
		o.tree.Read(&o.checked, part)
		break
	}
	if o.file = o.object.file; o.file == "" {
		o.file = o.likeliestFile()
	}
	o.doc, _ = o.read(o.file)
	if o.object.isGenerated {
		o.doc = nil
	}
	o.setRoute()
	o.firstName = o.name
	switch {
	case o.object.isGenerated:
		o.firstName = cmp.Or(o.generatorName(), o.name)
	case o.doc != nil:
		if o.first = o.firstOf(o.doc); o.first.Valid() {
			o.firstName = textAt(o.first, "metadata", "name")
		}
	}
	o.names = append(namesOf(o.kind, o.firstName, o.merged(o.chain)), o.name)
}

// merged returns the layers of a chain, without the changes of an object, which its root has.
func (o *origins) merged(chain []*layer) []*layer {
	if len(chain) > 0 && chain[0] == o.root.edit {
		return chain[1:]
	}
	return chain
}

// fileName returns the name of the file that the object was written in first. That of a chart is the template.
func (o *origins) fileName() string {
	if o.object.file == "" || inflatedFile(o.object.file) {
		if o.once.Do(o.prepare); o.first.Valid() {
			return o.doc.origin(o.first.HeadSpan()).Source.Name
		}
	}
	return o.checked.Name
}

// origin implements [source.Source.Written].
func (o *origins) origin(sp source.Span, isHead bool) source.Origin {
	f, n, span, ok := o.locate(sp, isHead)
	switch {
	case ok:
		return o.at(f, n.node, n.isKey, span)
	case !n.node.Valid():
		return o.fallback(nil)
	}
	return o.fallback(stepsTo(n.node))
}

// checkedNode is a node of the output, or its key.
type checkedNode struct {
	node  manifest.Node
	isKey bool
}

// locate returns the node that supplied the start of a span of the output, and the span in its document. n is the node
// of the output; it is not valid if the output is not YAML.
func (o *origins) locate(sp source.Span, isHead bool) (f found, n checkedNode, at source.Span, ok bool) {
	o.once.Do(o.prepare)
	n.node, n.isKey = o.tree.NodeAt(sp.Start)
	if !n.node.Valid() {
		n.node = o.tree.Root()
	}
	if !n.node.Valid() {
		return f, n, sp, false
	}
	if isHead && n.isKey && isFirstOfItem(n.node) {
		n.node, n.isKey = n.node.Parent(), false
	}
	if f, ok = o.find(n.node, stepsTo(n.node)); !ok {
		return f, n, sp, false
	}
	return f, n, spanIn(f.node, n.node, n.isKey, sp), true
}

// isFirstOfItem reports whether a field is the first one of an item of a list, or of the object.
func isFirstOfItem(n manifest.Node) bool {
	parent := n.Parent()
	return parent.Valid() && parent.Key() == "" && parent.First().Index() == n.Index()
}

// find returns the node that supplied a node of the output.
func (o *origins) find(n manifest.Node, steps []step) (found, bool) {
	first, depth := manifest.Node{}, -1
	if o.first.Valid() {
		first, depth = follow(o.first, steps)
	}
	isInFile := depth == len(steps)
	if isInFile && !isScalar(n) {
		if f, ok := o.removed(first, n, steps); ok {
			return f, true
		}
	}
	if !isScalar(n) {
		return o.mapOrList(first, isInFile, steps)
	}
	isOwn := isInFile && manifest.Equal(first, n)
	list := o.suppliers(n, steps, isOwn && isIdentifier(steps))
	if isOwn {
		list = append(list, supplier{found: found{doc: o.doc, node: first}, isCertain: true})
	}
	if f, ok := o.decide(list, steps); ok {
		return f, true
	}
	if len(steps) == 0 || o.object.isGenerated || !first.Valid() {
		return found{}, false
	}
	return o.affix(n, found{doc: o.doc, node: first})
}

// mapOrList returns the node that supplied a map or list of the output.
func (o *origins) mapOrList(first manifest.Node, isInFile bool, steps []step) (found, bool) {
	for _, l := range o.chain {
		for i := len(l.patches) - 1; i >= 0; i-- {
			list, whole := l.patches[i].values(o, steps)
			if len(list) > 0 && (whole || !isInFile) {
				return list[0], true
			}
		}
	}
	return found{doc: o.doc, node: first}, isInFile
}

// removed returns the node of a patch that removed a field of a node.
func (o *origins) removed(first, n manifest.Node, steps []step) (found, bool) {
	if first.Type() != manifest.Map || n.Type() != manifest.Map {
		return found{}, false
	}
	for child := range first.Children() {
		if _, ok := n.Field(keyOf(child)); ok {
			continue
		}
		for _, l := range o.chain {
			for i := len(l.patches) - 1; i >= 0; i-- {
				if f, ok := l.patches[i].removal(o, steps, keyOf(child)); ok {
					return f, true
				}
			}
		}
	}
	return found{}, false
}

// spanIn returns the span in a node that supplied n. If both are written alike, it is as exact as that of the output.
func spanIn(f, n manifest.Node, inKey bool, sp source.Span) source.Span {
	span := f.MarkSpan()
	key, own := n.KeySpan(), f.KeySpan()
	switch {
	case inKey && own.End-own.Start == key.End-key.Start:
		span = source.Span{Start: own.Start + sp.Start - key.Start, End: own.Start + sp.End - key.Start}
		span.End = min(max(span.End, span.Start), own.End)
	case inKey && own.End > own.Start:
		span = own
	case isScalar(n) && isScalar(f) && n.Raw() == f.Raw() && sp.End <= n.Span().End:
		by := f.Span().Start - n.Span().Start
		span = source.Span{Start: sp.Start + by, End: sp.End + by}
	}
	return span
}

// at returns the place of a span in a document, in a node that supplied n.
func (o *origins) at(f found, n manifest.Node, inKey bool, span source.Span) source.Origin {
	origin := f.doc.origin(span)
	origin.IsGuess = origin.IsGuess || f.isGuess
	origin.IsCopy = (inKey || manifest.Equal(f.node, n)) && !f.isGuess && !f.doc.isWrittenOtherwise(span, origin)
	origin.Via = append(o.viaOf(f.doc), origin.Via...)
	return origin
}

// viaOf returns where the layers name each other on the way to the file of the object. A place in any other file says
// for itself which kustomization it belongs to.
func (o *origins) viaOf(doc *document) []source.Place {
	if doc != o.doc {
		return nil
	}
	return slices.Clone(o.via)
}

// fallback returns the place of the nearest node above the end of steps that the file of the object has, or where
// the object is generated.
func (o *origins) fallback(steps []step) source.Origin {
	switch {
	case o.object.isGenerated && len(o.chain) > 0:
		return o.generator(steps)
	case o.first.Valid():
		n, depth := follow(o.first, steps)
		span := n.HeadSpan()
		if depth == len(steps) && n.Type() == manifest.String && strings.Contains(n.Text(), "${") {
			span = n.MarkSpan() // a variable has been replaced
		}
		origin := o.doc.origin(span)
		origin.Via = append(o.viaOf(o.doc), origin.Via...)
		return origin
	case len(o.chain) > 0:
		return source.Origin{Source: o.chain[0].src}
	}
	return source.Origin{Source: o.root.src}
}
