package engine

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/kindvet/kindvet/internal/source"
)

// Templates are the parsed templates of a chart and its selected subcharts.
type Templates struct {
	engine *engine
	root   *template.Template
	Names  []string // in the order in which they are parsed and rendered
}

// Parse parses templates, unless they are those of before, which is nil if none have been parsed. What the templates
// of before have written must no longer be used. isHelm4 means that they have the functions of Helm 4.
func Parse(b *Budget, list map[string]Template, before *Templates, isHelm4 bool) (*Templates, error) {
	b.forget()
	files := map[string]*File{}
	for name, t := range list {
		files[name] = t.File
	}
	if before != nil && before.engine.isHelm4 == isHelm4 && maps.Equal(before.engine.files, files) {
		before.engine.reset()
		return before, nil
	}
	b.actions = 0 // templates that have been parsed before are not used again
	e := newEngine(b)
	e.isHelm4 = isHelm4
	root, names, err := e.parse(list)
	if err != nil {
		return nil, err
	}
	return &Templates{e, root, slices.Clip(names)}, nil
}

// reset gives an engine the state of a new one that has parsed its templates.
func (e *engine) reset() {
	e.message, e.isFailed, e.tpls = "", false, 0
	clear(e.included)
}

// Tree returns the nodes of a template; nil if there is no such template.
func (t *Templates) Tree(name string) *parse.Tree {
	if one := t.root.Lookup(name); one != nil {
		return one.Tree
	}
	return nil
}

// Keep returns a function that makes the templates forget what the calls of tpl since then have added.
func (t *Templates) Keep() (forget func()) {
	e := t.engine
	nodes, done := len(e.nodes), e.done
	e.done = maps.Clone(done)
	return func() { e.nodes, e.done = e.nodes[:nodes], done }
}

// Text is what a template has written.
type Text struct {
	// Source holds the text. Its places are in the template, as [source.Source.Written] describes.
	Source *source.Source
	out    *output
	cuts   []cut
}

// Execute executes a template. It returns false if the text is blank.
func (t *Templates) Execute(name string, one Template) (Text, bool, error) {
	one.Scope["Template"] = map[string]any{"Name": name, "BasePath": one.Base}
	out, err := t.engine.run(t.root, name, one.Scope)
	if err != nil {
		return Text{}, false, err
	}
	text, cuts := out.withoutMissing()
	src := &source.Source{Name: one.File.Source.Name, Text: text, Rendering: name, AfterSeparators: true}
	src.Written = func(sp source.Span) source.Origin {
		w, ok := out.spanOf(source.Span{
			Start: before(cuts, sp.Start), End: before(cuts, max(sp.End-1, sp.Start)) + min(sp.End-sp.Start, 1),
		})
		if !ok {
			return source.Origin{Source: one.File.Source}
		}
		return source.Origin{Source: w.file.Source, Span: w.span, Via: w.calls, IsGuess: w.isGuess}
	}
	return Text{src, out, cuts}, strings.TrimSpace(text) != "", nil
}

// HasAction reports whether an action wrote a part of a span.
func (w *Text) HasAction(sp source.Span) bool {
	start, end := before(w.cuts, sp.Start), before(w.cuts, max(sp.End, sp.Start+1))
	marks := w.out.marks
	first := max(sort.Search(len(marks), func(i int) bool { return marks[i].at > start })-1, 0)
	for _, m := range marks[first:] {
		if m.at >= end {
			return false
		}
		if w.out.engine.nodes[m.node].kind != literal {
			return true
		}
	}
	return false
}

// ActionsAt returns the texts of all actions that led to a byte.
func (w *Text) ActionsAt(at int) []string {
	by, _ := w.out.locate(before(w.cuts, at))
	return by.actions
}

// StartOf returns where the node started that wrote the end of a part, or where the line starts.
func (w *Text) StartOf(end int, line source.Span) int {
	marks, at := w.out.marks, before(w.cuts, end)
	i := sort.Search(len(marks), func(i int) bool { return marks[i].at >= at }) - 1
	if i < 0 {
		return line.Start
	}
	return max(line.Start, marks[i].at) // without cuts before the part, which is rare
}
