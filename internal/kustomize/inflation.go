package kustomize

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/source"
)

// inflation is a chart that a layer inflates, as kustomize does with --enable-helm (HelmChartInflationGenerator of
// sigs.k8s.io/kustomize/api). Its mutex guards the chart, which is rendered again to find where values were set.
type inflation struct {
	mutex    sync.Mutex
	stream   *chart.Stream
	document *document
	rendered chart.Rendered
	via      source.Place     // where the layer names the chart
	values   []*source.Source // with values, in addition to those of rendered
}

// origin returns where a span of the stream is written.
func (in *inflation) origin(sp source.Span) source.Origin {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	return in.stream.Source.Written(sp)
}

// read returns the document of a file, which may be the output of a chart.
func (o *origins) read(name string) (doc *document, ok bool) {
	o.root.each(func(l *layer) {
		if in := l.inflations[name]; in != nil {
			doc = in.document
		}
	})
	if doc != nil {
		return doc, true
	}
	return o.repository.sources.read(name)
}

func (in *inflation) supplied(sp source.Span) []diag.Related {
	in.mutex.Lock()
	defer in.mutex.Unlock()
	return in.stream.Supplied(sp)
}

// inflatedDir is the directory of the component with the output of charts, in that of the layer that inflates them.
const inflatedDir = ".kindvet-charts"

// Inflated returns the templates of the charts that were inflated, and the files with their values.
func (b *Built) Inflated() (templates, values []*source.Source) {
	b.root.each(func(l *layer) {
		for _, name := range slices.SortedFunc(maps.Keys(l.inflations), byNumber) {
			in := l.inflations[name]
			templates, values = append(templates, in.rendered.Templates...), append(values, in.rendered.ValueFiles...)
			values = append(values, in.values...)
		}
	})
	return templates, values
}

// SkippedByHelm is documents of a chart that Helm skips.
type SkippedByHelm struct {
	Source   *source.Source
	Supplied func(source.Span) []diag.Related
}

// SkippedByHelm returns what Helm skips of each chart that was inflated, unless it skips nothing.
func (b *Built) SkippedByHelm() (list []SkippedByHelm) {
	b.root.each(func(l *layer) {
		for _, name := range slices.SortedFunc(maps.Keys(l.inflations), byNumber) {
			in := l.inflations[name]
			if in.stream.Skipped == nil {
				continue
			}
			of := in.stream.Skipped.Source
			skipped := &source.Source{Name: of.Name, Text: of.Text}
			skipped.Written = func(sp source.Span) source.Origin {
				in.mutex.Lock()
				defer in.mutex.Unlock()
				origin := of.Written(sp)
				origin.Via = append(slices.Clip(origin.Via), in.via)
				return origin
			}
			list = append(list, SkippedByHelm{skipped, func(sp source.Span) []diag.Related {
				in.mutex.Lock()
				defer in.mutex.Unlock()
				return in.stream.Skipped.Supplied(sp)
			}})
		}
	})
	return list
}

// inflatedFile reports whether a path is that of a file with the output of a chart.
func inflatedFile(name string) bool { return path.Base(path.Dir(name)) == inflatedDir }

// addInflations adds the component with the output of charts to the files of a build. fields are those of the layer.
func (f *files) addInflations(l *layer, fields *types.Kustomization) error {
	if len(l.inflations) == 0 {
		return nil
	}
	component := types.Kustomization{
		TypeMeta: types.TypeMeta{APIVersion: types.ComponentVersion, Kind: types.ComponentKind},
	}
	for _, name := range slices.SortedFunc(maps.Keys(l.inflations), byNumber) {
		f.texts[name] = l.inflations[name].stream.Source.Text
		component.Resources = append(component.Resources, "./"+path.Base(name))
	}
	text, err := json.Marshal(component)
	dir := path.Join(l.dir, inflatedDir)
	f.directories[dir], f.texts[path.Join(dir, kustomization.Names[0])] = true, string(text)
	fields.Components = append([]string{"./" + inflatedDir}, fields.Components...)
	return err
}

// byNumber compares the names of charts. A shorter number is smaller.
func byNumber(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
