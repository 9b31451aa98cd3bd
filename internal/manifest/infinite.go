package manifest

import (
	"strings"

	yamlnode "go.yaml.in/yaml/v3"

	"github.com/kindvet/kindvet/internal/diag"
)

// notFinite is in the library's message about a value that JSON cannot represent: infinity or NaN. It names no place.
const notFinite = "unsupported value"

const (
	infiniteMessage = "infinity and NaN are not allowed in a manifest"
	infiniteHelp    = "use a finite number"
)

// finite returns the text of the part with zeros in place of infinity and NaN, and records where these are. So the other
// values of the document can be read.
func (r *libraryReader) finite(text []byte) []byte {
	var root yamlnode.Node
	if err := yamlnode.Unmarshal(text, &root); err != nil {
		return text
	}
	text = []byte(string(text))
	r.infiniteEnd = map[int]int{}
	r.findInfinite(&root, text)
	return text
}

func (r *libraryReader) findInfinite(n *yamlnode.Node, text []byte) {
	if n.Kind == yamlnode.ScalarNode && n.ShortTag() == "!!float" && isInfinite(n.Value) {
		start := r.offset(n)
		from := start - r.part.Span.Start
		if i := strings.Index(string(text[from:]), n.Value); i >= 0 { // after a tag or an anchor
			for j := range n.Value {
				text[from+i+j] = '0'
			}
			r.infiniteEnd[start] = start + i + len(n.Value)
		}
	}
	for i, child := range n.Content {
		if n.Kind == yamlnode.MappingNode && i%2 == 0 {
			continue // a key
		}
		r.findInfinite(child, text)
	}
}

func isInfinite(text string) bool {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".inf", ".nan":
		return true
	}
	return false
}

// infiniteViolations reports the values that are infinity or NaN. Rules that read them are not evaluated.
func (r *libraryReader) infiniteViolations() (violations []diag.Violation) {
	var overflow diag.Overflow
	for _, i := range r.infinite {
		n := Node{r.tree, i}
		n.Block()
		if !overflow.Counts(violations, diag.Syntax, diag.Error) {
			violations = append(violations, n.Finding(diag.Violation{
				Rule: diag.Syntax, Severity: diag.Error, Message: infiniteMessage, Help: infiniteHelp,
			}))
		}
	}
	return violations
}
