package chart

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/kindvet/kindvet/internal/source"
)

// templates are the parsed templates of a chart and its selected subcharts.
type templates struct {
	engine *engine
	root   *template.Template
	names  []string // in the order in which they are parsed and rendered
}

// parseAll parses templates, unless they are those that have been parsed before; nil if there are none.
func parseAll(b *budget, list map[string]scoped, before *templates) (*templates, error) {
	b.forget()
	files := map[string]*templateFile{}
	for name, t := range list {
		files[name] = t.file
	}
	if before != nil && maps.Equal(before.engine.files, files) {
		before.engine.reset()
		return before, nil
	}
	b.actions = 0 // templates that have been parsed before are not used again
	e := newEngine(b)
	root, names, err := e.parse(list)
	if err != nil {
		return nil, err
	}
	return &templates{e, root, slices.Clip(names)}, nil
}

// reset gives an engine the state of a new one that has parsed its templates.
func (e *engine) reset() {
	e.message, e.tpls = "", 0
	clear(e.included)
}

// tree returns the nodes of a template; nil if there is no such template.
func (t *templates) tree(name string) *parse.Tree {
	if one := t.root.Lookup(name); one != nil {
		return one.Tree
	}
	return nil
}

// keep returns a function that makes the templates forget what the calls of tpl since then have added.
func (t *templates) keep() (forget func()) {
	e := t.engine
	nodes, done := len(e.nodes), e.done
	e.done = maps.Clone(done)
	return func() { e.nodes, e.done = e.nodes[:nodes], done }
}

// writtenText is what a template has written.
type writtenText struct {
	// src holds the text. Its places are in the template, as [source.Source.Written] describes.
	src  *source.Source
	out  *output
	cuts []cut
}

// execute executes a template. It returns false if the text is blank.
func (t *templates) execute(name string, one scoped) (writtenText, bool, error) {
	one.scope["Template"] = map[string]any{"Name": name, "BasePath": one.base}
	out, err := t.engine.run(t.root, name, one.scope)
	if err != nil {
		return writtenText{}, false, err
	}
	text, cuts := out.withoutMissing()
	src := &source.Source{Name: one.file.src.Name, Text: text, Rendering: name, AfterSeparators: true}
	src.Written = func(sp source.Span) source.Origin {
		w, ok := out.spanOf(source.Span{
			Start: before(cuts, sp.Start), End: before(cuts, max(sp.End-1, sp.Start)) + min(sp.End-sp.Start, 1),
		})
		if !ok {
			return source.Origin{Source: one.file.src}
		}
		return source.Origin{Source: w.file.src, Span: w.span, Via: w.calls}
	}
	return writtenText{src, out, cuts}, strings.TrimSpace(text) != "", nil
}

// hasAction reports whether an action wrote a part of a span.
func (w *writtenText) hasAction(sp source.Span) bool {
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

// actionsAt returns the texts of all actions that led to a byte.
func (w *writtenText) actionsAt(at int) []string {
	by, _ := w.out.locate(before(w.cuts, at))
	return by.actions
}

// startOf returns where the node started that wrote the end of a part, or where the line starts.
func (w *writtenText) startOf(end int, line source.Span) int {
	marks, at := w.out.marks, before(w.cuts, end)
	i := sort.Search(len(marks), func(i int) bool { return marks[i].at >= at }) - 1
	if i < 0 {
		return line.Start
	}
	return max(line.Start, marks[i].at) // without cuts before the part, which is rare
}
