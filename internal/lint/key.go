package lint

import (
	"hash/maphash"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// key lists the values that identify a document to a rule about a set of documents.
type key struct {
	parts []keyPart
	// namespace is the index of the part that is a namespace, or -1. A document may lack it.
	namespace int
}

// keyPart is a part of a key: a word, or the path of a value in the document. With the word self, the path starts at
// the value.
type keyPart struct {
	word  string // "" for a path from the root
	steps []step
	// otherwise is the text of the part if the path does not exist: "namespace" means that of the document. "" means
	// that the document then has no key.
	otherwise string
}

// newKey parses a key. namespaceAs holds the words of the key that says which part is the namespace.
func newKey(names, namespaceAs []string) key {
	k := key{namespace: slices.Index(namespaceAs, "namespace")}
	for _, name := range names {
		k.parts = append(k.parts, newKeyPart(name))
	}
	return k
}

func newKeyPart(name string) keyPart {
	name, otherwise, _ := strings.Cut(name, "|")
	below, isBelow := strings.CutPrefix(name, self+".")
	switch {
	case slices.Contains([]string{"group", "kind", "file", "directory", "field", self}, name):
		return keyPart{word: name}
	case name == "namespace":
		return keyPart{word: name, steps: namespacePath}
	case name == "name":
		return keyPart{word: name, steps: namePath}
	case isBelow:
		return keyPart{word: self, steps: mustPath(below), otherwise: otherwise}
	}
	return keyPart{steps: mustPath(name), otherwise: otherwise}
}

var (
	namePath      = mustPath("metadata.name")
	namespacePath = mustPath("metadata.namespace")
)

// start returns the value at which the path of the part starts.
func (p *keyPart) start(root, value manifest.Node) manifest.Node {
	if p.word == self {
		return value
	}
	return root
}

// node returns the first value that a part leads to.
func (p *keyPart) node(root, value manifest.Node) (n manifest.Node, found bool) {
	n, found = first(p.start(root, value), p.steps)
	return n, found && p.isKnown(n)
}

// isKnown reports whether a value can be part of a key. A name that an API server generates is not known.
func (p *keyPart) isKnown(n manifest.Node) bool {
	return !isNothing(n) && (p.word != "name" || !n.Defaulted())
}

// keys calls visit for each key of a value: the parts, each followed by a NUL. There are several if the last part is a
// path that leads to several values. at is the value of the last part, or the value itself if the last part is a word
// about the document. The text is valid until the next call.
func (c *checker) keys(k *key, value manifest.Node, visit func(text []byte, at manifest.Node)) {
	text := c.buffer[:0]
	for i := range k.parts {
		part := &k.parts[i]
		if part.steps == nil && part.word != self {
			text = append(c.appendWord(text, part.word, value), 0)
			continue
		}
		if i == len(k.parts)-1 && i != k.namespace {
			walk(part.start(c.document.Root, value), part.steps, func(n manifest.Node) bool {
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
func (c *checker) appendNamespace(text []byte) []byte {
	if n, ok := first(c.document.Root, namespacePath); ok && !isNothing(n) {
		return appendKeyPart(text, n)
	}
	return text
}

// appendWord appends what a word of a key says about the document or the value.
func (c *checker) appendWord(text []byte, word string, value manifest.Node) []byte {
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

func appendKeyPart(key []byte, n manifest.Node) []byte {
	if n.Type() == manifest.String {
		return append(key, n.Text()...)
	}
	return n.AppendJSON(key)
}

// keyTexts returns the parts of a key that checker.key has joined.
func keyTexts(key string) []string { return strings.Split(strings.TrimSuffix(key, "\x00"), "\x00") }

var hashSeed = maphash.MakeSeed()

// recordPlace returns what is marked for a document of a group: the value that the rule checks. For a whole
// document this is its name.
func (c *checker) recordPlace(n manifest.Node) source.Place {
	if n == c.document.Root {
		if name, ok := first(n, namePath); ok {
			return name.Place()
		}
	}
	return n.Place()
}
