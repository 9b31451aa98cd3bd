package helmvalues

import (
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Form is what an action writes of a field.
type Form uint8

const (
	Whole  Form = iota // all of it
	Quoted             // all that is between the quotes
	Part               // a part of a text
	Fields             // fields of a map
	Items              // items of a list
)

// Field is a field of an object that an action writes.
type Field struct {
	Kind   *catalog.Kind
	Object string // its name
	// Path leads to the field, with [] for each item of a list.
	Path   string
	Form   Form
	schema *schema.Schema // nil if it is not known
	text   string         // its description
}

// maxFlows is the maximum number of fields that an action is known to write, and maxFlowNodes that of nodes that are looked at.
// One that writes more is in a helper that everything includes.
const (
	maxFlows     = 20
	maxFlowNodes = 2_000_000
)

// addOutput adds which actions wrote the fields of the objects in an output.
func (a *Analysis) addOutput(src *source.Source, kinds *catalog.Catalog) {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if len(tree.Read(src, part)) > 0 || !tree.Root().Valid() || tree.Root().Type() != manifest.Map {
			continue
		}
		root := tree.Root()
		group, version := catalog.SplitAPIVersion(root.TextAt("apiVersion"))
		k, isList, ok := kinds.Lookup(group, version, root.TextAt("kind"))
		if !ok || isList || k.Schema == nil {
			continue
		}
		name := ""
		if metadata, ok := root.Field("metadata"); ok && metadata.Type() == manifest.Map {
			name = metadata.TextAt("name")
		}
		w := &walker{analysis: a, src: src, of: Field{Kind: k, Object: name, schema: k.Schema}}
		w.node(root, w.of)
	}
}

type walker struct {
	analysis *Analysis
	src      *source.Source
	of       Field
}

func (w *walker) node(n manifest.Node, at Field) {
	if w.analysis.visited++; w.analysis.visited > maxFlowNodes {
		return
	}
	switch n.Type() {
	case manifest.Map:
		if w.isWhole(n.Span(), at) {
			return
		}
		for f := range n.Children() {
			if w.isBy(f.KeySpan(), at, Fields) {
				continue
			}
			w.node(f, at.below(f.Key()))
		}
	case manifest.List:
		if w.isWhole(n.Span(), at) {
			return
		}
		for item := range n.Children() {
			if dash, ok := w.dash(item); ok && w.isBy(dash, at, Items) {
				continue
			}
			w.node(item, at.item())
		}
	default:
		w.scalar(n, at)
	}
}

// dash returns the place of the dash of an item; false in a list in brackets.
func (w *walker) dash(item manifest.Node) (source.Span, bool) {
	start := item.HeadSpan().Start
	text := w.src.Text[w.src.Line(start).Start:start]
	i := strings.LastIndexByte(text, '-')
	if i < 0 || strings.Trim(text[i+1:], " ") != "" && item.Type() != manifest.Map {
		return source.Span{}, false
	}
	at := w.src.Line(start).Start + i
	return source.Span{Start: at, End: at + 1}, true
}

func (w *walker) scalar(n manifest.Node, at Field) {
	sp := n.Span()
	form := Whole
	if text := w.src.Text[sp.Start:sp.End]; len(text) >= 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		sp, form = source.Span{Start: sp.Start + 1, End: sp.End - 1}, Quoted
		if actions, outermost, isWhole := chart.WrittenBy(w.src, n.Span()); isWhole { // such as that of a call of quote
			w.add(actions[0], outermost, at, Whole)
			return
		}
	}
	if sp.Start >= sp.End {
		return
	}
	actions, outermost, isWhole := chart.WrittenBy(w.src, sp)
	for _, action := range actions {
		if isWhole {
			w.add(action, outermost, at, form)
		} else {
			w.add(action, outermost, at, Part)
		}
	}
}

// isWhole adds a map or list that one action wrote, such as {}, and reports whether one did.
func (w *walker) isWhole(sp source.Span, at Field) bool {
	if sp.Start >= sp.End || w.src.Text[sp.Start] != '{' && w.src.Text[sp.Start] != '[' {
		return false
	}
	return w.isBy(sp, at, Whole)
}

// isBy adds an action that wrote a part of the output, and reports whether one did.
func (w *walker) isBy(sp source.Span, at Field, form Form) bool {
	actions, outermost, isWhole := chart.WrittenBy(w.src, sp)
	if isWhole {
		w.add(actions[0], outermost, at, form)
	}
	return isWhole
}

func (w *walker) add(action, outermost source.Place, at Field, form Form) {
	by := writer{positionOf(action), positionOf(outermost)}
	at.Form = form
	list := w.analysis.flows[by]
	isSame := func(f Field) bool { return f.Kind == at.Kind && f.Path == at.Path && f.Form == form }
	if len(list) < maxFlows && !slices.ContainsFunc(list, isSame) {
		w.analysis.flows[by] = append(list, at)
	}
}

// below returns the field of a map.
func (f Field) below(name string) Field {
	next := f
	if strings.ContainsAny(name, ".[]\"/") {
		next.Path += `["` + name + `"]`
	} else {
		next.Path = strings.TrimPrefix(f.Path+"."+name, ".")
	}
	next.schema, next.text = nil, ""
	if f.schema == nil {
		return next
	}
	if s, ok := f.schema.Property(name); ok {
		next.schema = s
		for i := range f.schema.Properties {
			if p := &f.schema.Properties[i]; p.Name == name {
				next.text = p.Text()
			}
		}
	} else if f.schema.Additional != nil {
		next.schema = f.schema.Additional
	}
	return next
}

// item returns the items of a list.
func (f Field) item() Field {
	next := f
	next.Path += "[]"
	next.schema, next.text = nil, ""
	if f.schema != nil {
		next.schema = f.schema.Items
	}
	return next
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
