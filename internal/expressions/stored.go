package expressions

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// stored are the expressions of an old object that the server has stored.
type stored struct {
	isAll bool
	texts map[string]bool
}

// isStored reports whether an expression of the field that is being checked is stored.
func (c *checker) isStored(text string) bool {
	if c.field.declared.StoredTrimmed {
		text = strings.TrimSpace(text)
	}
	return c.stored.isAll || c.stored.texts[text]
}

// storedOf returns the expressions of a field that the server has stored, given the document and the old object, which may
// not be valid.
func storedOf(e schema.Expression, root, old manifest.Node) stored {
	s := stored{texts: map[string]bool{}}
	if !old.Valid() {
		return s
	}
	if e.StoredIfSame != "" {
		path := strings.Split(e.StoredIfSame, ".")
		is, was := root.At(path...), old.At(path...)
		s.isAll = is.Valid() && was.Valid() && manifest.Equal(is, was)
	}
	for _, path := range e.StoredIn {
		s.add(old, strings.Split(path, "."))
	}
	return s
}

// add adds the strings at a path below a node; the items of a list are the step *.
func (s stored) add(n manifest.Node, steps []string) {
	switch {
	case len(steps) == 0:
		if n.Type() == manifest.String {
			s.texts[strings.Clone(n.Text())] = true
		}
	case steps[0] == "*":
		if n.Type() == manifest.List {
			for item := range n.Children() {
				s.add(item, steps[1:])
			}
		}
	default:
		if f, ok := n.Field(steps[0]); ok {
			s.add(f, steps[1:])
		}
	}
}
