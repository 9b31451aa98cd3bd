package sets

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
)

// keys calls visit for each key of a value: the parts, each followed by a NUL. There are several if the last part is a
// path that leads to several values. at is the value of the last part, or the value itself if the last part is a word
// about the document. The text is valid until the next call.
func (c *Collector) keys(k *key, value manifest.Node, visit func(text []byte, at manifest.Node)) {
	text := c.buffer[:0]
	for i := range k.parts {
		part := &k.parts[i]
		if part.steps == nil && part.word != rule.Self {
			text = append(c.appendWord(text, part.word, value), 0)
			continue
		}
		if i == len(k.parts)-1 && i != k.namespace {
			part.steps.Walk(part.start(c.document.Root, value), func(n manifest.Node) bool {
				if part.isKnown(n) {
					c.buffer = append(appendKeyPart(text, n), 0)
					visit(c.buffer, n)
				}
				return true
			})
			return
		}
		n, found := part.node(c.document.Root, value)
		switch {
		case found:
			text = appendKeyPart(text, n)
		case part.otherwise == "namespace":
			text = c.appendNamespace(text)
		case part.otherwise != "":
			text = append(text, part.otherwise...)
		case i != k.namespace:
			return
		}
		text = append(text, 0)
	}
	c.buffer = text
	visit(text, value)
}

// appendNamespace appends the namespace of the document, if it has one.
func (c *Collector) appendNamespace(text []byte) []byte {
	if n, ok := namespacePath.First(c.document.Root); ok && !rule.IsNothing(n) {
		return appendKeyPart(text, n)
	}
	return text
}

// appendWord appends what a word of a key says about the document or the value.
func (c *Collector) appendWord(text []byte, word string, value manifest.Node) []byte {
	switch word {
	case "group":
		return append(text, c.document.Group...)
	case "kind":
		return append(text, c.document.Kind...)
	case "file": // two charts may write the same object with a template that they share
		return append(append(text, value.Tree().Source.Name...), value.Tree().Source.Rendering...)
	case "directory":
		src := value.Tree().Source
		text = append(text, path.Dir(filepath.ToSlash(src.Name))...)
		if src.Rendering != "" {
			text = append(text, path.Dir(src.Rendering)...)
		}
		return text
	}
	return append(text, value.Key()...)
}

// appendSelector returns the labels that a selector requires: alternating keys and values, each followed by a NUL. A
// selector is a map of labels, or a label selector. One without labels selects everything, and one with expressions is
// not evaluated; both give nil.
func (c *Collector) appendSelector(n manifest.Node, found bool) []byte {
	if !found || n.Type() != manifest.Map {
		return nil
	}
	labels, hasLabels := n.Field("matchLabels")
	expressions, hasExpressions := n.Field("matchExpressions")
	switch {
	case hasExpressions && expressions.Len() > 0:
		return nil
	case hasLabels:
		n = labels
	}
	c.labels = c.appendLabels(c.labels[:0], n, true)
	c.labels = withoutSet(c.labels)
	return c.labels
}

// labelIn returns the label of a selector that has the key of a label KEY=VALUE, and the value. If there is none, it
// returns the selector.
func labelIn(selector manifest.Node, label string) (at manifest.Node, value string) {
	key, value, _ := strings.Cut(label, "=")
	labels := selector
	if f, ok := selector.Field("matchLabels"); ok {
		labels = f
	}
	if f, ok := labels.Field(key); ok {
		return f, value
	}
	return selector, ""
}

// mostLabels is the maximum number of labels of an object that are compared with selectors. In 29 public repositories,
// an object has at most 13.
const mostLabels = 100

// appendLabels appends the labels of a map. It appends nothing if a label has no valid value.
func (c *Collector) appendLabels(to []byte, n manifest.Node, found bool) []byte {
	if !found || n.Type() != manifest.Map || n.Len() > mostLabels {
		return nil
	}
	for label := range n.Children() {
		if label.Type() != manifest.String {
			return nil
		}
		to = append(append(to, label.Key()...), 0)
		to = append(append(to, label.Text()...), 0)
	}
	return to
}
