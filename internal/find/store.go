package find

import (
	"path/filepath"

	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/store"
)

// StoreOf returns the store for the files in the directory of a base: the nearest one in or above it, up to the root
// of the repository. If none exists, it returns the store that would be at the root or, outside a repository, in the
// directory.
func StoreOf(b Base) store.Store {
	for path := b.Dir; ; path = filepath.Dir(path) {
		s := b.store(path)
		switch {
		case s.Exists() || git.IsTop(path):
			return s
		case filepath.Dir(path) == path:
			return b.store(b.Dir)
		}
	}
}

func (b Base) store(path string) store.Store {
	return store.Store{Base: path, Name: b.Name(path), Tree: b.Tree}
}
