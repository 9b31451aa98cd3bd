package lint

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
)

// appendSelector returns the labels that a selector requires: alternating keys and values, each followed by a NUL. A
// selector is a map of labels, or a label selector. One without labels selects everything, and one with expressions is
// not evaluated; both give nil.
func (c *checker) appendSelector(n manifest.Node, found bool) []byte {
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

// mostLabels is the maximum number of labels of an object that are compared with selectors.
const mostLabels = 100

// appendLabels appends the labels of a map. It appends nothing if a label has no valid value.
func (c *checker) appendLabels(to []byte, n manifest.Node, found bool) []byte {
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

// withoutSet removes the labels that controllers set on pods from a selector.
func withoutSet(selector []byte) []byte {
	kept := selector[:0]
	for rest := selector; len(rest) > 0; {
		key, _, next := nextLabel(rest)
		label := rest[:len(rest)-len(next)]
		if rest = next; !slices.Contains(setLabels(), string(key)) {
			kept = append(kept, label...)
		}
	}
	return kept
}

// setLabels returns the keys of the labels that controllers set on pods.
var setLabels = sync.OnceValue(func() (keys []string) {
	for _, x := range providers() {
		if x.kind == "Label" {
			keys = append(keys, x.name)
		}
	}
	return keys
})

// nextLabel cuts the first label from a list of labels.
func nextLabel(labels []byte) (key, value, rest []byte) {
	key, rest, _ = bytes.Cut(labels, nul)
	value, rest, _ = bytes.Cut(rest, nul)
	return key, value, rest
}

var nul = []byte{0}

// labelsOf yields the keys and values of a list of labels.
func labelsOf(labels []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for len(labels) > 0 {
			var key, value []byte
			if key, value, labels = nextLabel(labels); !yield(key, value) {
				return
			}
		}
	}
}

// hasLabel reports whether a list of labels contains one.
func hasLabel(labels, key, value []byte) bool {
	have, ok := valueOf(labels, key)
	return ok && bytes.Equal(have, value)
}

// selects reports whether labels contain all labels of a selector.
func selects(selector, labels []byte) bool {
	for key, value := range labelsOf(selector) {
		if !hasLabel(labels, key, value) {
			return false
		}
	}
	return true
}

// valueOf returns the value of a label.
func valueOf(labels, key []byte) ([]byte, bool) {
	for k, value := range labelsOf(labels) {
		if bytes.Equal(k, key) {
			return value, true
		}
	}
	return nil, false
}
