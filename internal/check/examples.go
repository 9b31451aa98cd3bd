package check

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// examplesOf is the annotation with examples of the kinds that an operator defines, a JSON list in a string.
const examplesOf = "alm-examples"

// examples returns the finding about a ClusterServiceVersion whose examples cannot be read. For its schema
// they are any string. The web console of OpenShift and 'operator-sdk scorecard' read JSON. 'operator-sdk bundle validate'
// also reads YAML, and rejects all but a list of objects that have a kind (operator-framework/api,
// pkg/validation/internal.validateExamplesAnnotations).
func (c *checker) examples(n manifest.Node, d *document) []diag.Violation {
	if group, _ := catalog.SplitAPIVersion(d.APIVersion); d.Kind != "ClusterServiceVersion" || group != "operators.coreos.com" {
		return nil
	}
	list, ok := annotation(n, examplesOf)
	if !ok || list.Type() != manifest.String || strings.TrimSpace(list.Text()) == "" {
		return nil
	}
	src := &source.Source{Text: list.Text()}
	all := source.Span{End: len(src.Text)}
	tree := &manifest.Tree{}
	at := func(sp source.Span, message, help string) []diag.Violation {
		v := violation(list, diag.UnreadableExamples, message, help)
		start := list.TextOffset(sp.Start)
		end := max(start, list.TextOffset(max(sp.End-1, sp.Start))+min(1, sp.End-sp.Start))
		v.Place = list.Tree().Source.Place(source.Span{Start: start, End: end})
		v.Severity = diag.Warning
		return []diag.Violation{v}
	}
	for _, v := range tree.Read(src, manifest.Part{Span: all, Index: 1, Format: manifest.JSON}) {
		switch v.Rule {
		case diag.ReaderLimit:
			return nil
		case diag.Syntax:
			help := "write JSON: the OpenShift console and 'operator-sdk scorecard' read nothing else"
			if !isYAML(src) {
				help = "write JSON: 'operator-sdk bundle validate' rejects this text"
			}
			return at(v.Place.Span, "not JSON: "+v.Message, help)
		}
	}
	root := tree.Root()
	if root.Type() != manifest.List {
		return at(root.MarkSpan(), "must be a JSON list of objects", "write the examples between [ and ]")
	}
	index := 0
	for example := range root.Children() {
		if index++; example.Type() != manifest.Map || example.TextAt("kind") == "" {
			return at(example.MarkSpan(), "example "+strconv.Itoa(index)+" must be an object that has a kind",
				"set its apiVersion and kind")
		}
	}
	return nil
}

// isYAML reports whether a text is one YAML document.
func isYAML(src *source.Source) bool {
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		for _, v := range tree.Read(src, part) {
			if v.Rule == diag.Syntax {
				return false
			}
		}
		return tree.Root().Valid() && tree.Root().Type() == manifest.List
	}
	return false
}
