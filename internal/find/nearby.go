package find

import (
	"path/filepath"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/kustomization"
)

// Formats returns the formats that the names of found files and of those near them give to their objects, by absolute
// path. A file that the user has named, or that a kustomization or a test uses, has none.
func (f *Found) Formats(uses map[string]kustomization.Use) map[string][]*filetype.Format {
	formats := map[string][]*filetype.Format{}
	known := map[string][]string{}
	for i := range f.Files {
		file := &f.Files[i]
		if !file.IsSearched || file.Kind == Stdin || file.Kind == Chart || uses[file.Abs] != 0 {
			continue
		}
		names := func(levels int) ([]string, bool) {
			directory := filepath.Dir(file.Abs)
			for range levels {
				directory = filepath.Dir(directory)
			}
			if levels > maxParts || !disk.IsWithin(file.top, directory) {
				return nil, false
			}
			list, ok := known[directory]
			if !ok {
				list = namesIn(f.Tree, directory)
				known[directory] = list
			}
			return list, true
		}
		if near := filetype.Near(filepath.ToSlash(file.Name), names); len(near) > 0 {
			formats[file.Abs] = near
		}
	}
	return formats
}

// namesIn returns the names of what is in a directory; none if it cannot be read.
func namesIn(tree Tree, directory string) []string {
	entries, err := tree.ReadDir(directory)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}
