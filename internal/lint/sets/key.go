package sets

import (
	"bytes"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
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
	steps rule.Path
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
	below, isBelow := strings.CutPrefix(name, rule.Self+".")
	switch {
	case slices.Contains([]string{"group", "kind", "file", "directory", "field", rule.Self}, name):
		return keyPart{word: name}
	case name == "namespace":
		return keyPart{word: name, steps: namespacePath}
	case name == "name":
		return keyPart{word: name, steps: namePath}
	case isBelow:
		return keyPart{word: rule.Self, steps: rule.MustPath(below), otherwise: otherwise}
	}
	return keyPart{steps: rule.MustPath(name), otherwise: otherwise}
}

var (
	namePath      = rule.MustPath("metadata.name")
	namespacePath = rule.MustPath("metadata.namespace")
)

// start returns the value at which the path of the part starts.
func (p *keyPart) start(root, value manifest.Node) manifest.Node {
	if p.word == rule.Self {
		return value
	}
	return root
}

// node returns the first value that a part leads to.
func (p *keyPart) node(root, value manifest.Node) (n manifest.Node, found bool) {
	n, found = p.steps.First(p.start(root, value))
	return n, found && p.isKnown(n)
}

// isKnown reports whether a value can be part of a key. A name that an API server generates is not known.
func (p *keyPart) isKnown(n manifest.Node) bool {
	return !rule.IsNothing(n) && (p.word != "name" || !n.Defaulted())
}

func appendKeyPart(key []byte, n manifest.Node) []byte {
	if n.Type() == manifest.String {
		return append(key, n.Text()...)
	}
	return n.AppendJSON(key)
}

// keyTexts returns the parts of a key that Collector.keys has joined.
func keyTexts(key string) []string { return strings.Split(strings.TrimSuffix(key, "\x00"), "\x00") }

// partOf returns a part of a key.
func partOf(key []byte, index int) (part []byte) {
	for range index + 1 {
		part, key, _ = bytes.Cut(key, nul)
	}
	return part
}

// parsedKey is the key of a reference or a target.
type parsedKey struct {
	namespace, last []byte
	// bare is the hash of all parts except the namespace, scope that of all parts except the namespace and the last.
	bare, scope uint64
}

// parse splits the text of a key.
func (k *key) parse(text []byte) (p parsedKey) {
	for i := 0; len(text) > 0; i++ {
		var part []byte
		part, text, _ = bytes.Cut(text, nul)
		if i == k.namespace {
			p.namespace = part
			continue
		}
		p.last, p.scope, p.bare = part, p.bare, mix(p.bare, hashOf(part))
	}
	return p
}
