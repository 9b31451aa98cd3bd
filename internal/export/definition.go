package export

import (
	"io"
	"io/fs"

	"github.com/kindvet/kindvet/internal/kinds"
	"github.com/kindvet/kindvet/rules"
)

// Definitions writes the CustomResourceDefinitions of the embedded kinds, and returns those that no cluster can install.
func Definitions(w io.Writer) ([]Left, error) {
	var left []Left
	first := true
	for _, e := range kinds.Embedded().Entries() {
		if k, ok := e.Kind(e.Versions[0]); ok && k.Resource.NoMetadata {
			left = append(left, Left{e.Name + "." + e.Group, "it has no metadata: it is part of a request, not an object"})
			continue
		}
		text, err := fs.ReadFile(rules.Kinds, "kinds/"+e.Group+"/"+e.Plural+".yaml")
		if err != nil {
			return nil, err
		}
		if !first {
			text = append([]byte("---\n"), text...)
		}
		first = false
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	return left, nil
}
