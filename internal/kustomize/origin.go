package kustomize

import (
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Source returns the output as a source whose places move to where they were written. It omits the objects of files
// that isExcluded reports, by their names in a report. It is safe for concurrent use.
func (b *Built) Source(isExcluded func(name string) bool) *source.Source {
	var text strings.Builder
	var all []*origins
	for i := range b.objects {
		o := &b.objects[i]
		name := b.repository.reader.Name(o.file)
		if isExcluded(name) {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("---\n")
		}
		all = append(all, &origins{
			repository: b.repository, root: b.root, object: o, kind: o.kind, name: o.name, start: text.Len(),
			checked: source.Source{Name: name, Text: o.text},
		})
		text.WriteString(o.text)
	}
	written := func(sp source.Span, isHead bool) source.Origin {
		i := sort.Search(len(all), func(i int) bool { return all[i].start > sp.Start }) - 1
		if i < 0 {
			return source.Origin{Source: b.root.src}
		}
		return all[i].origin(source.Span{Start: sp.Start - all[i].start, End: sp.End - all[i].start}, isHead)
	}
	return &source.Source{
		Name: b.repository.reader.Name(path.Join(b.root.dir, outputName)), Text: text.String(),
		Written:     func(sp source.Span) source.Origin { return written(sp, false) },
		WrittenHead: func(sp source.Span) source.Origin { return written(sp, true) },
	}
}

// outputName is the name of the output in the directory of a kustomization. No report shows it.
const outputName = "(output).yaml"

// origins finds where the values of an object were written.
type origins struct {
	repository *Repository
	root       *layer
	object     *object
	kind, name string
	start      int // of the object in the output
	checked    source.Source

	once      sync.Once
	tree      manifest.Tree
	chain     []link         // the layers that may change the object, from the outermost
	via       []source.Place // where the layers name each other
	doc       *document      // the file with the object; nil if it cannot be read
	first     manifest.Node  // the object in it, not valid if it is generated
	firstName string
}

// link is a layer that may change the object.
type link struct{ *layer }

// prepare computes what all places of an object need.
func (o *origins) prepare() {
	for part := range manifest.Parts(&o.checked) {
		o.tree.Read(&o.checked, part)
		break
	}
	o.chain, o.via = o.route(o.root)
	o.firstName = o.name
	if o.object.isGenerated {
		return
	}
	if doc, ok := o.repository.sources.read(o.object.file); ok {
		o.doc, o.first = doc, o.firstOf(doc)
		if o.first.Valid() {
			o.firstName = textAt(o.first, "metadata", "name")
		}
	}
}

// firstOf returns the object in its file, before it was changed: it has the same kind, and the name has at most got a
// prefix and a suffix. Of several, one with the same namespace and the longest name is the likeliest.
func (o *origins) firstOf(doc *document) (best manifest.Node) {
	namespace, likeliest := textAt(o.tree.Root(), "metadata", "namespace"), -1
	for _, root := range itemsOf(doc.objects()) {
		if textAt(root, "kind") != o.kind {
			continue
		}
		likely, name := 0, textAt(root, "metadata", "name")
		if strings.Contains(o.name, name) {
			likely = 2*len(name) + 1
			if textAt(root, "metadata", "namespace") == namespace {
				likely++
			}
		}
		if likely > likeliest {
			best, likeliest = root, likely
		}
	}
	if roots := doc.objects(); !best.Valid() && len(roots) > 0 {
		return roots[0]
	}
	return best
}

// itemsOf replaces lists of objects with their items.
func itemsOf(roots []manifest.Node) (all []manifest.Node) {
	for _, root := range roots {
		items, ok := followField(root, "items")
		if !ok || items.Type() != manifest.List || !strings.HasSuffix(textAt(root, "kind"), "List") {
			all = append(all, root)
			continue
		}
		all = append(all, slices.Collect(items.Children())...)
	}
	return all
}

// route returns the layers from one to the layer that names the file of the object, and where they name each other.
// The components of a layer come after it.
func (o *origins) route(l *layer) (chain []link, via []source.Place) {
	if o.isOwner(l) {
		return l.withComponents(), nil
	}
	for _, b := range l.bases {
		rest, inner := o.route(b.layer)
		if rest == nil {
			continue
		}
		return append(l.withComponents(), rest...), append([]source.Place{b.node.Place()}, inner...)
	}
	return nil, nil
}

func (o *origins) isOwner(l *layer) bool {
	if o.object.isGenerated {
		return l.file == o.object.file
	}
	return slices.ContainsFunc(l.resources, func(r resource) bool { return r.path == o.object.file })
}

func (l *layer) withComponents() []link {
	chain := []link{{l}}
	for _, b := range slices.Backward(l.bases) {
		if b.isComponent {
			chain = append(chain, b.withComponents()...)
		}
	}
	return chain
}

// origin implements [source.Source.Written].
func (o *origins) origin(sp source.Span, isHead bool) source.Origin {
	o.once.Do(o.prepare)
	n, inKey := o.tree.NodeAt(sp.Start)
	if !n.Valid() {
		n = o.tree.Root()
	}
	if !n.Valid() {
		return o.fallback(nil)
	}
	if isHead && inKey && isFirstOfItem(n) {
		n, inKey = n.Parent(), false
	}
	steps := stepsTo(n)
	if f, ok := o.find(n, steps); ok {
		return o.at(f, n, inKey, sp)
	}
	return o.fallback(steps)
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
	if isInFile && isIdentifier(steps) && manifest.Equal(first, n) { // patches repeat it
		return found{o.doc, first}, true
	}
	for _, l := range o.chain {
		for i := len(l.patches) - 1; i >= 0; i-- {
			list, whole := l.patches[i].values(o, steps)
			if len(list) == 0 {
				continue
			}
			if isScalar(n) && manifest.Equal(list[0].node, n) || !isScalar(n) && (whole || !isInFile) {
				return list[0], true
			}
		}
	}
	if isInFile && (!isScalar(n) || manifest.Equal(first, n)) {
		return found{o.doc, first}, true
	}
	return o.transformed(n, steps, first)
}

// removed returns the node of a patch that removed a field of a node.
func (o *origins) removed(first, n manifest.Node, steps []step) (found, bool) {
	if first.Type() != manifest.Map || n.Type() != manifest.Map {
		return found{}, false
	}
	for child := range first.Children() {
		if _, ok := n.Field(child.Key()); ok {
			continue
		}
		for _, l := range o.chain {
			for i := len(l.patches) - 1; i >= 0; i-- {
				if f, ok := l.patches[i].removal(o, steps, child.Key()); ok {
					return f, true
				}
			}
		}
	}
	return found{}, false
}

// at returns the place of a node that supplied n. If both are written alike, the span is as exact as that of the
// output.
func (o *origins) at(f found, n manifest.Node, inKey bool, sp source.Span) source.Origin {
	span := f.node.MarkSpan()
	key, own := n.KeySpan(), f.node.KeySpan()
	switch {
	case inKey && own.End-own.Start == key.End-key.Start:
		span = source.Span{Start: own.Start + sp.Start - key.Start, End: own.Start + sp.End - key.Start}
		span.End = min(max(span.End, span.Start), own.End)
	case inKey && own.End > own.Start:
		span = own
	case isScalar(n) && isScalar(f.node) && n.Raw() == f.node.Raw() && sp.End <= n.Span().End:
		by := f.node.Span().Start - n.Span().Start
		span = source.Span{Start: sp.Start + by, End: sp.End + by}
	}
	origin := f.doc.origin(span)
	origin.IsCopy = inKey || manifest.Equal(f.node, n)
	origin.Via = o.viaOf(f.doc)
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
		n, _ := follow(o.first, steps)
		origin := o.doc.origin(n.HeadSpan())
		origin.Via = o.viaOf(o.doc)
		return origin
	case len(o.chain) > 0:
		return source.Origin{Source: o.chain[0].src}
	}
	return source.Origin{Source: o.root.src}
}
