package find

import (
	"path/filepath"

	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/store"
)

// StoreOf returns the store of the files in the directory of a base: the nearest one in it or above, up to the root of
// the repository. If there is none, it is the one that the root would have or, outside a repository, the directory.
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
