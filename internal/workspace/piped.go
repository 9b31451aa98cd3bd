package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Piped counts the documents of standard input that a chart also renders, and the others.
type Piped struct {
	// Chart is the name of the chart; "" if none was named.
	Chart string
	// Violations are why the chart cannot be rendered.
	Violations   []diag.Violation
	Same, Others int
}

// piped knows the documents that a chart renders, to find those of standard input among them.
type piped struct {
	file    find.File // the chart
	failed  []diag.Violation
	byText  map[string][]renderedDocument
	mutex   sync.Mutex
	isKnown map[int]bool // by offset of the documents in standard input, whether the chart renders them
}

// renderedDocument is a document in an output of a chart, at an offset.
type renderedDocument struct {
	output *chart.Output
	at     int
}

// readPiped renders the chart that the documents of standard input are compared with: for each version of Kubernetes, because the
// text does not say for which of them it was rendered, and once for the plans of all versions, so that a finding has one place.
func (p *plan) readPiped(ctx context.Context, first *plan) error {
	o := p.options
	if o.StdinChart == "" {
		return nil
	}
	if first != nil {
		p.piped = first.piped
		return nil
	}
	at := slices.IndexFunc(p.found.Files, func(f find.File) bool { return f.Kind == find.Stdin })
	if at < 0 {
		return errors.New("--chart is for rendered manifests on standard input; without -, name the chart as a PATH")
	}
	f, tree, err := o.findStdinChart(ctx)
	if err != nil {
		return err
	}
	p.piped = &piped{file: f, byText: map[string][]renderedDocument{}, isKnown: map[int]bool{}}
	options := p.options.Chart
	config := p.found.Files[at].Config
	options.Release, options.Helm = cmp.Or(options.Release, chart.UnnamedRelease), cmp.Or(options.Helm, config.Helm)
	p.piped.render(tree, options, p.resolver.Minors(config))
	return nil
}

func (o *Options) findStdinChart(ctx context.Context) (find.File, find.Tree, error) {
	search := o.Files
	search.Paths = []string{o.StdinChart}
	finder, err := find.New(search)
	if err != nil {
		return find.File{}, nil, err
	}
	found, err := finder.Find(ctx)
	if err != nil {
		return find.File{}, nil, err
	}
	i := slices.IndexFunc(found.Files, func(f find.File) bool { return f.Kind == find.Chart && f.Abs == o.Files.Base.Abs(o.StdinChart) })
	if i < 0 {
		return find.File{}, nil, fmt.Errorf("--chart %s: not a Helm chart", o.StdinChart)
	}
	return found.Files[i], found.Tree, nil
}

// render adds the documents that the chart renders for minor versions of Kubernetes. It has failed if it fails for all of them.
func (p *piped) render(tree find.Tree, o chart.Options, minors []int) {
	files, err := p.file.ReadChart(tree)
	if err != nil {
		p.failed = []diag.Violation{unreadable(&p.file, err)}
		return
	}
	for i, minor := range minors {
		o.Kubernetes = minor
		rendered := chart.Render(p.file.Name, files, o)
		if !rendered.IsFailed {
			p.failed = nil
		} else if i == 0 {
			p.failed = rendered.Violations[len(rendered.Violations)-1:]
		}
		for i := range rendered.Outputs {
			p.add(&rendered.Outputs[i])
		}
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name, "crds/") || strings.Contains(f.Name, "/crds/") {
			src := &source.Source{Name: path.Join(p.file.Name, f.Name), Text: f.Text}
			src.Written = func(sp source.Span) source.Origin { return source.Origin{Source: src, Span: sp} }
			p.add(&chart.Output{Name: inChart + f.Name, Source: src})
		}
	}
}

// inChart stands for the name of a chart in the name of a file that is not a template.
const inChart = "*/"

// add adds the documents of an output.
func (p *piped) add(output *chart.Output) {
	for part := range manifest.Parts(output.Source) {
		text, _, at := content(output.Source.Text, part.Span)
		p.byText[text] = append(p.byText[text], renderedDocument{output, at})
	}
}

// sourceComment is the start of the comment in which Helm names the template of a document.
const sourceComment = "# Source: "

// content returns the text of a document without blank lines and comments before it and space after it, the template
// that a comment of Helm names, and the offset of the text. Helm may move the first comment from the line of the
// separator to a line of its own.
func content(text string, sp source.Span) (own, template string, at int) {
	at = sp.Start
	for line := range strings.Lines(text[sp.Start:sp.End]) {
		trimmed := strings.TrimSpace(line)
		if trimmed != "" && trimmed[0] != '#' {
			break
		}
		if name, ok := strings.CutPrefix(trimmed, sourceComment); ok && template == "" {
			template = name
		}
		at += len(line)
	}
	return strings.TrimRight(text[at:sp.End], " \t\r\n"), template, at
}

// find returns the document that the chart renders with the same text. If several templates write it, the comment of
// Helm decides.
func (p *piped) find(text, template string) (renderedDocument, bool) {
	same := p.byText[text]
	for _, d := range same {
		rest, isFile := strings.CutPrefix(d.output.Name, inChart)
		if d.output.Name == template || isFile && strings.HasSuffix(template, "/"+rest) {
			return d, true
		}
	}
	isOther := func(d renderedDocument) bool { return d.output.Name != same[0].output.Name }
	if len(same) == 0 || template != "" || slices.ContainsFunc(same, isOther) {
		return renderedDocument{}, false
	}
	return same[0], true
}

// placed is a document of standard input that starts at an offset, and the same document of the chart.
type placed struct {
	span source.Span
	same renderedDocument
}

// writer makes the places in a part of standard input those of the chart, in the documents that the chart renders. It
// returns what supplied a span.
func (p *piped) writer(src *source.Source) supplied {
	var list []placed
	for part := range manifest.Parts(src) {
		text, template, at := content(src.Text, part.Span)
		same, ok := p.find(text, template)
		if ok {
			list = append(list, placed{source.Span{Start: at, End: part.Span.End}, same})
		}
		p.mutex.Lock()
		p.isKnown[src.FirstByte+at] = ok
		p.mutex.Unlock()
	}
	in := func(sp source.Span) (*chart.Output, source.Span) {
		for _, d := range list {
			if d.span.Start <= sp.Start && sp.Start < d.span.End {
				moved := d.same.at - d.span.Start
				return d.same.output, source.Span{Start: sp.Start + moved, End: min(sp.End, d.span.End) + moved}
			}
		}
		return nil, sp
	}
	src.Rendering = src.Name
	src.Written = func(sp source.Span) source.Origin {
		output, moved := in(sp)
		if output == nil {
			return source.Origin{Source: src, Span: sp}
		}
		return output.Source.Written(moved)
	}
	return func(sp source.Span) []diag.Related {
		if output, moved := in(source.Span{Start: sp.Start - src.FirstByte, End: sp.End - src.FirstByte}); output != nil {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			return output.Supplied(moved)
		}
		return nil
	}
}

// result returns how many documents the chart renders, too.
func (p *piped) result() Piped {
	if p == nil {
		return Piped{}
	}
	r := Piped{Chart: p.file.Name, Violations: p.failed}
	for _, isKnown := range p.isKnown { // order does not matter
		if isKnown {
			r.Same++
		} else {
			r.Others++
		}
	}
	return r
}
