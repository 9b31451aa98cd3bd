package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Annotations that name the file from which an object of a rendered stream was made (kustomize, api/konfig and
// api/resource; for the input path of a function, cmd/config/docs/api-conventions/functions-spec.md).
const (
	originAnnotation     = "config.kubernetes.io/origin"
	pathAnnotation       = "internal.config.kubernetes.io/path"
	legacyPathAnnotation = "config.kubernetes.io/path"
)

// sourceComment starts the comment that Helm writes before each rendered document. The comment names the template.
const sourceComment = "# Source: "

// addOrigin adds the file from which a document was made to its violations.
func (c *checker) addOrigin(n manifest.Node, violations []diag.Violation) {
	origin, ok := c.origin(n)
	if !ok {
		return
	}
	for i := range violations {
		v := &violations[i]
		v.Related = append(v.Related, origin)
		if strings.HasPrefix(v.Help, quoteIt) {
			v.Help = "quote it where it is written"
		}
		for x := range v.All() {
			if len(x.Fixes) > 0 {
				x.Fixes, x.NotFixed = nil, whyProgram
			}
		}
	}
}

// origin returns the file from which a document of a rendered stream was made, if the document names it. n is not
// valid if the document could not be read.
func (c *checker) origin(n manifest.Node) (diag.Related, bool) {
	if last := c.part.Span.End - 1; c.src.Written != nil &&
		c.src.Written(source.Span{Start: last, End: last + 1}).Source != c.src {
		return diag.Related{}, false // the places move there
	}
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

// metadataField returns a field of the metadata of a document. The node is not valid if the field is missing.
func metadataField(n manifest.Node, name string) manifest.Node {
	if meta, ok := n.Field("metadata"); ok {
		if f, ok := meta.Field(name); ok {
			return f
		}
	}
	return manifest.Node{}
}

// annotatedOrigin reads the origin annotations of kustomize and of the functions that it runs.
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

// parseOrigin reads the YAML of an origin annotation: the path of a file, which may be in a repository, or the
// configuration of the generator of the object.
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
	if repository := root.TextAt("repo"); repository != "" { // kustomize writes the address of a remote file like this
		path = repository + "//" + path
		if ref := root.TextAt("ref"); ref != "" {
			path += "?ref=" + ref
		}
	}
	return relatedFile(path, message), true
}

// relatedFile returns a related place in a file. It copies name, because the memory of the document is reused.
func relatedFile(name, message string) diag.Related {
	return diag.Related{Place: source.FileStart(strings.Clone(name)), Message: message}
}

// commentedSource returns the template that is named in the comments at the start of a document.
func commentedSource(text string) (string, bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if template, ok := strings.CutPrefix(line, sourceComment); ok {
			template = strings.TrimSpace(template)
			return template, !strings.Contains(template, "://") // people write from where they copied a file
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			break
		}
	}
	return "", false
}
