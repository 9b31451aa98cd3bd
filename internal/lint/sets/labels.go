package sets

import (
	"bytes"
	"iter"
	"slices"
	"sync"
)

var nul = []byte{0}

// nextLabel cuts the first label from a list of labels.
func nextLabel(labels []byte) (key, value, rest []byte) {
	key, rest, _ = bytes.Cut(labels, nul)
	value, rest, _ = bytes.Cut(rest, nul)
	return key, value, rest
}

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
