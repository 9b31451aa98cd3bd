// Package krm reads a ResourceList and returns it with results, following the KRM functions specification.
//
// The answer is the input, byte for byte, except for its results. So comments and order are kept for functions later
// in the pipeline. (kustomize, cmd/config/docs/api-conventions/functions-spec.md; kyaml, fn/framework.Result.)
package krm

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// List is a parsed ResourceList. The zero value is not valid; call [Read].
type List struct {
	text string
	root manifest.Node
}

// mark occurs near the start of each ResourceList, as part of its apiVersion.
const mark = "config.kubernetes.io/v1"

// MayStart reports whether a text that begins with start may be a ResourceList.
func MayStart(start string) bool { return strings.Contains(start, mark) }

// Read parses a ResourceList. It returns false if text is anything else.
func Read(text string) (List, bool) {
	src := &source.Source{Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if part.Index > 1 || len(tree.Read(src, part)) > 0 {
			return List{}, false
		}
	}
	root := tree.Root()
	if !root.Valid() || root.Type() != manifest.Map || root.TextAt("kind") != "ResourceList" ||
		!strings.HasPrefix(root.TextAt("apiVersion"), mark) {
		return List{}, false
	}
	return List{text, root}, true
}

// Answer returns the text of the list with violations as its results. They replace the results that it had.
func (l List) Answer(violations []diag.Violation) string {
	text := l.results(violations)
	at := source.Span{Start: l.root.First().KeySpan().Start}
	at.End = at.Start
	old, hasOld := l.root.Field("results")
	if !hasOld {
		return edit.Apply(l.text, []edit.Edit{{Span: at, New: text}}).Text
	}
	cut := l.extent(old)
	if cut.Start == at.Start {
		return edit.Apply(l.text, []edit.Edit{{Span: cut, New: text}}).Text
	}
	return edit.Apply(l.text, []edit.Edit{{Span: at, New: text}, {Span: cut}}).Text
}

// results returns violations as the field of a list, with the line break or comma after it; "" if there are none.
func (l List) results(violations []diag.Violation) string {
	if len(violations) == 0 {
		return ""
	}
	var results []string
	for i := range violations {
		results = append(results, l.result(&violations[i]))
	}
	if l.root.Style() == manifest.Flow {
		return `"results": [` + strings.Join(results, ", ") + "], "
	}
	return "results:\n- " + strings.Join(results, "\n- ") + "\n"
}

// extent returns the span to delete in order to remove a field.
func (l List) extent(f manifest.Node) source.Span {
	if next := f.Next(); next.Valid() {
		return source.Span{Start: f.KeySpan().Start, End: next.KeySpan().Start}
	}
	start := f.KeySpan().Start
	for before := l.root.First(); before != f; before = before.Next() {
		start = before.Span().End
	}
	return source.Span{Start: start, End: f.Span().End}
}

// result formats one violation as the specification requires: as JSON on one line, which is also YAML.
func (l List) result(v *diag.Violation) string {
	message := v.Said()
	if v.Help != "" {
		message += "; " + v.Help
	}
	if len(v.Causes) > 0 {
		for _, note := range v.Notes() {
			message += "; " + note.Message
		}
	}
	r := result{Message: message, Severity: v.Severity.String(), Tags: map[string]string{"rule": string(v.Rule)}}
	if v.Object.Kind != "" {
		r.ResourceRef = &resourceRef{v.Object.APIVersion, v.Object.Kind, v.Object.Namespace, v.Object.Name}
	}
	item, ok := l.item(v.Place)
	path := v.Path
	if ok {
		if below, isBelow := path.Below(item.Path()); isBelow {
			path = below
		}
		r.File = fileOf(item)
	}
	if len(path) > 0 {
		r.Field = &field{path.String()}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		panic("a result can be written as JSON: " + err.Error())
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// item returns the item of the list that contains a place.
func (l List) item(p source.Place) (manifest.Node, bool) {
	items, ok := l.root.Field("items")
	if !ok || items.Type() != manifest.List {
		return manifest.Node{}, false
	}
	for item := range items.Children() {
		of := item.Span()
		if of.Start <= p.Span.Start && p.Span.Start < of.End {
			return item, true
		}
	}
	return manifest.Node{}, false
}

// fileOf returns the file that an item was read from, according to its annotations.
func fileOf(item manifest.Node) *file {
	meta, ok := item.Field("metadata")
	if !ok {
		return nil
	}
	annotations, ok := meta.Field("annotations")
	if !ok {
		return nil
	}
	for _, prefix := range []string{"internal.config.kubernetes.io/", "config.kubernetes.io/"} {
		if path := annotations.TextAt(prefix + "path"); path != "" {
			index, _ := strconv.Atoi(annotations.TextAt(prefix + "index")) // 0 if there is none
			return &file{path, index}
		}
	}
	return nil
}

type result struct {
	Message     string            `json:"message"`
	Severity    string            `json:"severity"`
	ResourceRef *resourceRef      `json:"resourceRef,omitempty"`
	Field       *field            `json:"field,omitempty"`
	File        *file             `json:"file,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
}

type resourceRef struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
}

type field struct {
	Path string `json:"path"`
}

type file struct {
	Path  string `json:"path"`
	Index int    `json:"index"`
}
