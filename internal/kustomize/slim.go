package kustomize

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// slim is a file of CRDs without their schemas, for the library: it copies each object at each of its levels, and so
// takes about a second for a megabyte of schemas. A word stands for a schema, and is replaced in the output.
type slim struct {
	word    string // that of the repository
	text    string
	schemas map[string]string // by word: what stands for the schema in the output, as lines
}

// newWord returns what the words of a repository start with. It is random, so that no file can contain it.
func newWord() string { return "kindvet-schema-" + rand.Text() + "-" }

const (
	definitionKind = "CustomResourceDefinition"
	schemaKey      = "openAPIV3Schema"
	// schemaIndent is that of schemaKey in the output of a CRD.
	schemaIndent = "      "
	// fewBytes are those of a file that is not worth the effort.
	fewBytes = 4 << 10
	// maxSlim is the maximum size of all schemas of a repository in memory. Files beyond it are left as they are.
	// Of 29 public repositories, one has CRDs of 60 MB, from all releases of an operator. Raise it if one has more.
	maxSlim = 64 << 20
)

// slim returns the slim form of a file with a known text; nil if it has none.
func (r *Repository) slim(name, text string) *slim {
	if len(text) < fewBytes || !strings.Contains(text, definitionKind) {
		return nil
	}
	known, ok := r.slims[name]
	if !ok {
		if r.slimBytes += len(text); r.slimBytes <= maxSlim {
			known = newSlim(text, fmt.Sprint(r.word, len(r.slims), "-"))
		}
		r.slims[name] = known
	}
	return known
}

// hasAnchor reports whether a text has an anchor, or what looks like one.
func hasAnchor(text string) bool {
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], '&')
		if at += i; i < 0 || at+1 == len(text) {
			return false
		}
		startsHere := at == 0 || strings.IndexByte(" \t\r\n\f[{,", text[at-1]) >= 0
		if startsHere && strings.IndexByte(" \t\r\n\f&", text[at+1]) < 0 {
			return true
		}
	}
}

// newSlim returns the slim form of a text; nil if it has none. Its words start with word.
func newSlim(text, word string) *slim {
	if hasAnchor(text) {
		return nil
	}
	s := &slim{word: word, schemas: map[string]string{}}
	src, at := &source.Source{Text: text}, 0
	var written strings.Builder
	var roots []manifest.Node
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if found := tree.Read(src, part); len(found) > 0 {
			return nil
		}
		root := tree.Root()
		if root.Valid() {
			roots = append(roots, root)
		}
		if root.Valid() && textAt(root, "kind") == definitionKind {
			at = s.cut(&written, text, at, part.Span, root)
		}
	}
	written.WriteString(text[at:])
	s.text = written.String()
	if len(s.schemas) == 0 || !s.isSame(roots) {
		return nil
	}
	return s
}

// cut writes a text from an offset up to the end of the last schema of a CRD, with words for the schemas. It returns
// that end.
func (s *slim) cut(into *strings.Builder, text string, at int, sp source.Span, root manifest.Node) int {
	versions, ok := fieldAt(root, "spec", "versions")
	if !ok || versions.Type() != manifest.List {
		return at
	}
	var whole *kyaml.RNode
	for version := range versions.Children() {
		n, ok := fieldAt(version, "schema", schemaKey)
		if !ok || n.Type() != manifest.Map || n.Style() == manifest.Flow {
			continue
		}
		end := n.Span().End
		if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(text)
		}
		lines, ok := copiedLines(n, end)
		if !ok && hasOddKey(n) {
			continue // the library rejects it
		}
		if !ok && whole == nil {
			var err error
			if whole, err = kyaml.Parse(text[sp.Start:sp.End]); err != nil {
				return at
			}
		}
		if !ok {
			var err error
			if lines, err = schemaLines(whole, version); err != nil {
				continue
			}
		}
		word := fmt.Sprint(s.word, len(s.schemas))
		s.schemas[word] = lines
		into.WriteString(text[at:n.KeySpan().End] + ": " + word + "\n")
		at = end
	}
	return at
}

// hasOddKey reports whether a field below a node may have a key that is not a string for the library.
func hasOddKey(n manifest.Node) bool {
	isMap := n.Type() == manifest.Map
	for child := range n.Children() {
		sp := child.KeySpan()
		raw := n.Tree().Source.Text[sp.Start:sp.End]
		if isMap && (strings.HasPrefix(raw, "!") || notString().MatchString(raw)) || hasOddKey(child) {
			return true
		}
	}
	return false
}

// schemaLines returns what the library writes for the schema of a version of a CRD.
func schemaLines(whole *kyaml.RNode, version manifest.Node) (string, error) {
	index := 0
	for item := range version.Parent().Children() {
		if item.Index() == version.Index() {
			break
		}
		index++
	}
	n, err := whole.Pipe(kyaml.Lookup("spec", "versions", fmt.Sprint(index), "schema", schemaKey))
	if err != nil || n == nil {
		return "", fmt.Errorf("the schema is not found: %w", err)
	}
	own, err := n.MarshalJSON()
	if err != nil {
		return "", err
	}
	// The library writes a CRD with this indentation.
	wrapped, err := json.Marshal(map[string]any{"spec": map[string]any{"versions": []any{
		map[string]any{"schema": map[string]any{schemaKey: json.RawMessage(own)}},
	}}})
	if err != nil {
		return "", err
	}
	text, err := yaml.JSONToYAML(wrapped)
	_, lines, ok := strings.Cut(string(text), schemaIndent+schemaKey+":\n")
	if err != nil || !ok {
		return "", fmt.Errorf("the schema is empty: %w", err)
	}
	return lines, nil
}

// isSame reports whether the slim text has the given objects, except for the schemas.
func (s *slim) isSame(roots []manifest.Node) bool {
	src, i := &source.Source{Text: s.text}, 0
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		if root := tree.Root(); root.Valid() {
			if i == len(roots) || !s.isSameNode(roots[i], root) {
				return false
			}
			i++
		}
	}
	return i == len(roots)
}

func (s *slim) isSameNode(a, b manifest.Node) bool {
	if b.Type() == manifest.String && b.Key() == schemaKey && s.schemas[b.Text()] != "" {
		return true
	}
	if isScalar(a) || a.Type() != b.Type() || a.Len() != b.Len() {
		return manifest.Equal(a, b)
	}
	other := b.First()
	for child := range a.Children() {
		if child.Key() != other.Key() || !s.isSameNode(child, other) {
			return false
		}
		other = other.Next()
	}
	return true
}

// restore replaces the words in the text of an object, which start with word. It returns false if one is where no
// schema is.
func restore(text, word string, schemas map[string]string) (string, bool) {
	const key = schemaIndent + schemaKey + ": "
	var restored strings.Builder
	for {
		before, rest, ok := strings.Cut(text, word)
		if !ok {
			restored.WriteString(text)
			return restored.String(), true
		}
		before, ok = strings.CutSuffix(before, key)
		number, after, _ := strings.Cut(rest, "\n")
		lines, known := schemas[word+number]
		if !ok || !known {
			return "", false
		}
		restored.WriteString(before + schemaIndent + schemaKey + ":\n" + lines)
		text = after
	}
}
