package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// ConditionalDefault is a default of a kind of Kubernetes that depends on other fields (x-kindvet-defaults). It counts
// only on updates: a new object states what a rule needs, but the default that an object got stays if an update
// changes the other fields.
type ConditionalDefault struct {
	// At are the paths of the objects with the field.
	At []EachPath
	// Field is set unless it is there already.
	Field string
	// When is an expression like that of [Each]. It may be empty.
	When string
	// Value is the default. If it is not valid, the default is a copy of the field From of the object. If both are maps,
	// each value of From that Field lacks is copied.
	Value manifest.Node
	From  string
}

// conditionalDefault reads one of x-kindvet-defaults.
func (c *Compiler) conditionalDefault(n manifest.Node) ConditionalDefault {
	d := ConditionalDefault{}
	for f := range n.Children() {
		switch f.Key() {
		case "at":
			d.At = c.eachPaths(f)
		case "field":
			d.Field = c.text(f)
		case "when":
			d.When = c.text(f)
		case "value":
			d.Value = f
		case "from":
			d.From = c.text(f)
		}
	}
	if len(d.At) == 0 {
		d.At = []EachPath{{}}
	}
	if d.Field == "" || d.Value.Valid() == (d.From != "") {
		c.reject(n, diag.MissingField, "a default needs field, and value or from")
	}
	return d
}
