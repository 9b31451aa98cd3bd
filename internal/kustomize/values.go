package kustomize

import (
	"encoding/json"
	"path"
	"reflect"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// setValues sets the values: those of valuesFile or of the chart, merged with valuesInline, and then those of
// additionalValuesFiles.
func (f *inflator) setValues(o *chart.Options) *Fault {
	own, fault := f.valuesFile()
	if fault != nil {
		return fault
	}
	switch f.ValuesMerge {
	case "", "override", "merge", "replace":
	default:
		return f.layer.fault(f.at("valuesMerge"), "valuesMerge must be one of override, merge, replace")
	}
	if len(f.ValuesInline) > 0 {
		fault = f.mergeInline(o, own)
	} else {
		fault = f.addValues(o, own)
	}
	if fault != nil {
		return fault
	}
	for i, name := range f.AdditionalValuesFiles {
		n, _ := fieldOf(f.node, "additionalValuesFiles").Item(i)
		if !n.Valid() {
			n = f.via
		}
		_, full, text, fault := f.file(name, n)
		if fault != nil {
			return fault
		}
		if fault := f.addFile(o, &source.Source{Name: f.repository.reader.Name(full), Text: text}); fault != nil {
			return fault
		}
	}
	return nil
}

// valuesFile returns the file of values that replaces that of the chart. It is the latter if the layer names none.
func (f *inflator) valuesFile() (*source.Source, *Fault) {
	if f.ValuesFile != "" {
		n := fieldOf(f.node, "valuesFile")
		if kustomization.IsRemote(f.ValuesFile) {
			if _, _, _, fault := f.file(f.ValuesFile, n); fault != nil {
				return nil, f.layer.remote(n, f.ValuesFile)
			}
		}
		_, full, text, fault := f.file(f.ValuesFile, n)
		if fault != nil {
			return nil, fault
		}
		return &source.Source{Name: f.repository.reader.Name(full), Text: text}, nil
	}
	full := path.Join(f.dir, "values.yaml")
	text, ok, err := f.repository.text(full)
	switch {
	case err != nil:
		return nil, f.layer.fault(place(f.via), causeOf(err))
	case !ok:
		return nil, f.layer.fault(place(f.via), "kustomize needs values.yaml in the chart, or valuesFile")
	}
	return &source.Source{Name: f.repository.reader.Name(full), Text: text}, nil
}

// addValues adds a file of values. That of the chart has no effect, except that its null removes a key.
func (f *inflator) addValues(o *chart.Options, own *source.Source) *Fault {
	if values, err := chart.ReadValues(own.Text); f.ValuesFile == "" && err == nil && !hasNull(values) {
		return nil
	}
	return f.addFile(o, own)
}

func (f *inflator) addFile(o *chart.Options, src *source.Source) *Fault {
	if v, ok := o.Values.CheckFile(src); !ok {
		return f.failed(v)
	}
	return nil
}

// mergeInline adds the values of the layer, merged with those of a file.
func (f *inflator) mergeInline(o *chart.Options, own *source.Source) *Fault {
	inline := f.ValuesInline
	f.values = append(f.values, f.node.Tree().Source)
	roots := []manifest.Node{fieldOf(f.node, "valuesInline")}
	values := inline
	if f.ValuesMerge != "replace" {
		var err error
		isWeak := f.ValuesMerge == "merge"
		if values, err = merged(own.Text, inline, isWeak); err != nil {
			reason, _, _ := strings.Cut(causeOf(err), " for the following resource")
			return f.layer.fault(f.at("valuesInline"),
				"the values cannot be merged: "+strings.TrimPrefix(reason, "received error yaml: "))
		}
		if f.isJustInline(own, values) {
			values = inline
		} else {
			tree := &manifest.Tree{}
			for part := range manifest.Parts(own) {
				tree.Read(own, part)
				break
			}
			f.values = append(f.values, own)
			if tree.Root().Valid() {
				roots = append(roots, tree.Root())
			}
			if isWeak && len(roots) > 1 {
				roots[0], roots[1] = roots[1], roots[0]
			}
		}
	}
	o.Values.AddMerged(f.layer.src.Name, values, roots...)
	return nil
}

// isJustInline reports whether Helm merges the values of the layer with those of the chart to the same result. Then
// the latter need not be part of both.
func (f *inflator) isJustInline(own *source.Source, values map[string]any) bool {
	if f.ValuesFile != "" || f.ValuesMerge == "merge" || hasNull(f.ValuesInline) {
		return false
	}
	of, err := chart.ReadValues(own.Text)
	return err == nil && !hasNull(of) && reflect.DeepEqual(chart.Override(of, f.ValuesInline), values)
}

// merged returns the values of a file, merged with those of a layer as kustomize does it. isWeak means that those of
// the file win.
func merged(text string, inline map[string]any, isWeak bool) (map[string]any, error) {
	file, err := yaml.Parse(text)
	if err != nil {
		return nil, err
	}
	own, err := yaml.FromMap(inline)
	if err != nil {
		return nil, err
	}
	from, into := own, file
	if isWeak {
		from, into = file, own
	}
	both, err := merge2.Merge(from, into.Copy(), yaml.MergeOptions{})
	if err != nil {
		return nil, err
	}
	values, err := both.Map()
	if err != nil {
		return nil, err
	}
	written, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	clear(values)
	return values, json.Unmarshal(written, &values)
}

// hasNull reports whether a value has a null.
func hasNull(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, x := range v {
			if hasNull(x) {
				return true
			}
		}
	case []any:
		for _, x := range v {
			if hasNull(x) {
				return true
			}
		}
	}
	return false
}

// Supplied returns what [Built.Source] says.
func (o *origins) supplied(sp source.Span) []diag.Related {
	f, n, at, ok := o.locate(sp, false)
	switch {
	case ok && f.isGuess:
		origin := o.at(f, n.node, n.isKey, at)
		return []diag.Related{{Place: origin.Source.Place(origin.Span), Message: "likely set here"}}
	case !ok || f.doc.inflation == nil:
		return nil
	}
	return f.doc.inflation.supplied(at)
}
