package kustomize

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
)

// step is a field, or an item of a list, on the way from the root of an object to one of its nodes.
type step struct {
	node  manifest.Node // what the step leads to
	key   string        // "" for an item
	index int           // of an item
}

// stepsTo returns the steps from the root to a node.
func stepsTo(n manifest.Node) (steps []step) {
	for parent := n.Parent(); parent.Valid() && n.Index() != 0; n, parent = parent, parent.Parent() {
		s := step{node: n, key: n.Key()}
		if parent.Type() == manifest.List {
			s.key = ""
			for item := range parent.Children() {
				if item.Index() == n.Index() {
					break
				}
				s.index++
			}
		}
		steps = append([]step{s}, steps...)
	}
	return steps
}

// isItem reports whether a step leads to an item of a list.
func (s step) isItem() bool { return s.node.Parent().Type() == manifest.List }

// identifiers are the fields by which items of lists are usually told apart. The first that an item has counts.
var identifiers = []string{
	"name", "key", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "uid", "id", "type",
}

// isIdentifier reports whether steps lead to a field that identifies an object or an item.
func isIdentifier(steps []step) bool {
	if len(steps) == 0 {
		return false
	}
	key := steps[len(steps)-1].key
	return key == "apiVersion" || key == "kind" || key == "namespace" || slices.Contains(identifiers, key)
}

// follow returns the node that steps lead to from a node of another document, and how many of them exist. Items of
// lists are found by what identifies them.
func follow(n manifest.Node, steps []step) (manifest.Node, int) {
	for i, s := range steps {
		next, ok := followStep(n, s)
		if !ok {
			return n, i
		}
		n = next
	}
	return n, len(steps)
}

func followStep(n manifest.Node, s step) (manifest.Node, bool) {
	if s.isItem() {
		return sameItem(n, s)
	}
	return followField(n, s.key)
}

func followField(n manifest.Node, key string) (manifest.Node, bool) {
	if n.Type() != manifest.Map {
		return n, false
	}
	if !isBooleanWord().MatchString(key) {
		return n.Field(key)
	}
	f, ok := n, false
	for child := range n.Children() {
		if keyOf(child) == key {
			f, ok = child, true
		}
	}
	return f, ok
}

// isBooleanWord matches the plain keys that the API server reads as booleans, by YAML 1.1, and the library as strings.
var isBooleanWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$`)
})

// keyOf returns the key of a field of a file, as the library reads it.
func keyOf(n manifest.Node) string {
	sp := n.KeySpan()
	if raw := n.Tree().Source.Text[sp.Start:sp.End]; isBooleanWord().MatchString(raw) {
		return raw
	}
	return n.Key()
}

// sameItem returns the item of a list that is the same as the one that a step leads to.
func sameItem(list manifest.Node, s step) (manifest.Node, bool) {
	if list.Type() != manifest.List {
		return list, false
	}
	if s.node.Type() != manifest.Map {
		for item := range list.Children() {
			if manifest.Equal(item, s.node) {
				return item, true
			}
		}
		return list, false
	}
	for _, name := range identifiers {
		wanted, ok := s.node.Field(name)
		if !ok || !isScalar(wanted) {
			continue
		}
		if item, ok := itemWith(list, name, wanted); ok {
			return item, true
		}
		return renamedItem(list, s, name)
	}
	if list.Len() == s.node.Parent().Len() {
		return list.Item(s.index)
	}
	return list, false
}

// itemWith returns the item of a list that has a field with the given value.
func itemWith(list manifest.Node, name string, value manifest.Node) (manifest.Node, bool) {
	for item := range list.Children() {
		if own, ok := followField(item, name); ok && manifest.Equal(own, value) {
			return item, true
		}
	}
	return list, false
}

// renamedItem returns the item at the index of a step if none of the items of the output has its identifier. Then a
// JSON patch has changed the identifier.
func renamedItem(list manifest.Node, s step, identifier string) (manifest.Node, bool) {
	item, ok := list.Item(s.index)
	if !ok {
		return list, false
	}
	own, ok := followField(item, identifier)
	if !ok || !isScalar(own) {
		return list, false
	}
	if _, remains := itemWith(s.node.Parent(), identifier, own); remains {
		return list, false
	}
	return item, true
}

func isScalar(n manifest.Node) bool { return n.Type() != manifest.Map && n.Type() != manifest.List }

// pointer returns the steps of a JSON Pointer (RFC 6901).
func pointer(text string) []string {
	if text == "" || text[0] != '/' {
		return nil
	}
	tokens := strings.Split(text[1:], "/")
	for i := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[i])
	}
	return tokens
}

// matches reports whether a token of a JSON Pointer leads where a step leads. "-" is the end of a list.
func (s step) matches(token string) bool {
	if !s.isItem() {
		return token == s.key
	}
	index, err := strconv.Atoi(token)
	return token == "-" || err == nil && index == s.index
}
