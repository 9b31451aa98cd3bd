package manifest

import (
	"errors"
	"math"
	"strings"

	yamlvalue "go.yaml.in/yaml/v2"
	yamlnode "go.yaml.in/yaml/v3"
)

// MaxAliased is the maximum number of bytes that the aliases of a YAML document may stand for. An API server accepts
// no object of this size. The libraries limit the number of values that aliases repeat, but not the length of the
// values.
const MaxAliased = 8 << 20

// Aliased returns about how many bytes the aliases of a YAML document stand for, without reading it any further. It is
// more than [MaxAliased] if that cannot be known.
func Aliased(text string) int {
	if !hasAnchor(text) || len(aliasesIn(text, 1)) == 0 {
		return 0
	}
	var root yamlnode.Node
	if err := yamlnode.Unmarshal([]byte(text), &root); err != nil {
		return aliasedUnread(text)
	}
	s := sizes{}
	s.add(&root)
	return s.aliased
}

// hasAnchor reports whether a text has what looks like an anchor: without one, an alias stands for nothing.
func hasAnchor(text string) bool {
	for i := strings.IndexByte(text, '&'); i >= 0 && i+1 < len(text); {
		if isNameByte(text[i+1]) {
			return true
		}
		next := strings.IndexByte(text[i+1:], '&')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}

// aliasesIn returns the offsets of what looks like an alias, at most a number of them. As a regular expression,
// (?:^|[\s\[{,:-])\*[0-9A-Za-z_-], it took a tenth of the time of a repository whose charts read YAML with many
// asterisks.
func aliasesIn(text string, most int) (offsets []int) {
	for i := 0; len(offsets) < most; i++ {
		next := strings.IndexByte(text[i:], '*')
		if next < 0 {
			break
		}
		i += next
		if i+1 < len(text) && isNameByte(text[i+1]) && (i == 0 || strings.IndexByte("\t\n\f\r [{,:-", text[i-1]) >= 0) {
			offsets = append(offsets, i)
		}
	}
	return offsets
}

// isNameByte reports whether the name of an anchor may start with a byte.
func isNameByte(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// fewAliases is a number of aliases that cannot repeat a text often: seven aliases of aliases stand for 12 copies.
const fewAliases = 7

// aliasedUnread is Aliased for a text that only go.yaml.in/yaml/v2 can read. A text with a syntax error stands for
// nothing. The decoder skips fields that a type does not have, and does not expand their aliases.
func aliasedUnread(text string) int {
	var empty struct{}
	err := yamlvalue.Unmarshal([]byte(text), &empty)
	if _, ok := errors.AsType[*yamlvalue.TypeError](err); err != nil && !ok {
		return 0
	}
	if len(aliasesIn(text, fewAliases+1)) <= fewAliases {
		return 0
	}
	return MaxAliased + 1
}

// sizes computes the sizes of values with their aliases expanded. It sums up in aliased what aliases stand for.
type sizes struct {
	anchored map[*yamlnode.Node]int
	aliased  int
}

// nodeSize is about how much a value takes in addition to its text.
const nodeSize = 16

// add returns the size of a node. An alias within its own anchor, which the libraries reject, has none.
func (s *sizes) add(n *yamlnode.Node) int {
	if n.Kind == yamlnode.AliasNode {
		size := s.anchored[n.Alias]
		s.aliased = limited(s.aliased + size)
		return size
	}
	size := nodeSize + len(n.Value)
	for _, child := range n.Content {
		size = limited(size + s.add(child))
	}
	if n.Anchor != "" {
		if s.anchored == nil {
			s.anchored = map[*yamlnode.Node]int{}
		}
		s.anchored[n] = size
	}
	return size
}

// limited keeps a size so small that the sum of two does not overflow.
func limited(size int) int { return min(size, math.MaxInt32/2) }
