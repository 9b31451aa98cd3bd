package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Drop declares items of lists that the server drops before it validates an object of a kind of Kubernetes, because a
// feature gate is off. (x-kindvet-drops)
type Drop struct {
	// Lists are the paths of the lists.
	Lists []EachPath
	// With is a field. The server drops the items that have it.
	With string
	// Key is a field with the name of an item. The server also drops the items of the lists at Naming in which the field has
	// the name of a dropped item. It may be empty.
	Key    string
	Naming []EachPath
}

// drop reads one of x-kindvet-drops.
func (c *Compiler) drop(n manifest.Node) Drop {
	d := Drop{}
	for f := range n.Children() {
		switch f.Key() {
		case "items":
			d.Lists = c.eachPaths(f)
		case "with":
			d.With = c.text(f)
		case "key":
			d.Key = c.text(f)
		case "naming":
			d.Naming = c.eachPaths(f)
		}
	}
	if len(d.Lists) == 0 || d.With == "" {
		c.reject(n, diag.MissingField, "dropped items need items and with")
	}
	return d
}
