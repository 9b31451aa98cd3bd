package definition

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// keyPlace returns the place of the key of a field.
func keyPlace(n manifest.Node, name string) source.Place {
	f, _ := n.Field(name)
	return f.KeyPlace()
}
