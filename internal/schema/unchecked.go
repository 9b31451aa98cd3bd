package schema

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Unchecked declares a field of a kind of Kubernetes that the server does not validate: on updates, so that objects of
// older versions can be updated, or never, if it is Accepted. (x-kindvet-unchecked)
type Unchecked struct {
	// Object is the path of the object with the field, from the root of the document.
	Object []string
	Field  string
	// IfSame are fields of Object. The server validates the field if one of them has changed.
	IfSame []string
	// IfInvalid means that the server validates the field if Object was valid before the update.
	IfInvalid bool
	// Accepted is what comes of a value that should be validated. What is wrong with it is a warning with this text. It is
	// "" if the server is right not to look at the field.
	Accepted string
}

// unchecked reads one of x-kindvet-unchecked.
func (c *Compiler) unchecked(n manifest.Node) Unchecked {
	u := Unchecked{}
	for f := range n.Children() {
		switch f.Key() {
		case "at":
			path := strings.Split(c.text(f), ".")
			last := len(path) - 1
			u.Object, u.Field = path[:last], path[last]
		case "ifSame":
			u.IfSame = c.texts(f)
		case "ifInvalid":
			u.IfInvalid = c.boolean(f)
		case "accepted":
			u.Accepted = c.text(f)
		}
	}
	return u
}
