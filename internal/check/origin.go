package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Annotations that say which file an object of a rendered stream was made from (kustomize, api/konfig and
// api/resource; the path of a function's input by cmd/config/docs/api-conventions/functions-spec.md).
const (
	originAnnotation     = "config.kubernetes.io/origin"
	pathAnnotation       = "internal.config.kubernetes.io/path"
	legacyPathAnnotation = "config.kubernetes.io/path"
)

// sourceComment is before each document that Helm has rendered, and names its template.
const sourceComment = "# Source: "

// addOrigin relates the violations of a document to the file that it was made from.
func (c *checker) addOrigin(n manifest.Node, violations []diag.Violation) {
	origin, ok := c.origin(n)
	if !ok {
		return
	}
	for i := range violations {
		violations[i].Related = append(violations[i].Related, origin)
	}
}

// origin returns the file that a document of a rendered stream was made from, if the document says so. n is not valid
// for a document that could not be read.
func (c *checker) origin(n manifest.Node) (diag.Related, bool) {
	if n.Valid() {
		if annotations := metadataField(n, "annotations"); annotations.Valid() {
			if related, ok := annotatedOrigin(annotations); ok {
				return related, true
			}
		}
	}
	if template, ok := commentedSource(c.src.Text[c.part.Span.Start:c.part.Span.End]); ok {
		return relatedFile(template, "rendered from this template"), true
	}
	return diag.Related{}, false
}

// metadataField returns a field of the metadata of a document; it is not valid if there is none.
func metadataField(n manifest.Node, name string) manifest.Node {
	if meta, ok := n.Field("metadata"); ok {
		if f, ok := meta.Field(name); ok {
			return f
		}
	}
	return manifest.Node{}
}

// annotatedOrigin reads the annotations of kustomize and of the functions that it runs.
func annotatedOrigin(annotations manifest.Node) (diag.Related, bool) {
	if text := annotations.TextAt(originAnnotation); text != "" {
		if related, ok := parseOrigin(text); ok {
			return related, true
		}
	}
	for _, name := range []string{pathAnnotation, legacyPathAnnotation} {
		if path := annotations.TextAt(name); path != "" {
			return relatedFile(path, "read from this file"), true
		}
	}
	return diag.Related{}, false
}

// parseOrigin reads the YAML in an origin annotation: the path of a file, in a repository or not, or the
// configuration of what has generated the object.
func parseOrigin(text string) (diag.Related, bool) {
	tree := &manifest.Tree{}
	src := &source.Source{Text: text}
	for part := range manifest.Parts(src) {
		if len(tree.Read(src, part)) > 0 {
			return diag.Related{}, false
		}
	}
	root := tree.Root()
	if !root.Valid() {
		return diag.Related{}, false
	}
	path, message := root.TextAt("path"), "read from this file"
	if path == "" {
		path, message = root.TextAt("configuredIn"), "generated from this file"
	}
	if path == "" {
		return diag.Related{}, false
	}
	if repository := root.TextAt("repo"); repository != "" { // as kustomize writes the address of a remote file
		path = repository + "//" + path
		if ref := root.TextAt("ref"); ref != "" {
			path += "?ref=" + ref
		}
	}
	return relatedFile(path, message), true
}

// relatedFile makes a related place of a file; the name is its own copy, since memory of a document that was read is
// used again.
func relatedFile(name, message string) diag.Related {
	return diag.Related{Place: source.FileStart(strings.Clone(name)), Message: message}
}

// commentedSource returns the template that the comments at the start of a document name.
func commentedSource(text string) (string, bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if template, ok := strings.CutPrefix(line, sourceComment); ok {
			return strings.TrimSpace(template), true
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			break
		}
	}
	return "", false
}

// partOfTemplate reports whether the part that is being checked belongs to a template that has been reported: that is
// done once for each file. Documents without the marks of a template are checked also there.
func (c *checker) partOfTemplate(violations []diag.Violation) bool {
	known := c.template
	for i := range violations {
		c.template = c.template || manifest.IsTemplate(&violations[i])
	}
	return known && strings.Contains(c.src.Text[c.part.Span.Start:c.part.Span.End], manifest.TemplateMark)
}
