package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/fetch"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/store"
)

// storedSchemas is the store of the working directory.
type storedSchemas struct {
	base  find.Base
	store store.Store
}

// storeHere returns the store of the working directory, which must exist.
func storeHere() (storedSchemas, error) {
	base, err := here()
	if err != nil {
		return storedSchemas{}, err
	}
	h := storedSchemas{base, find.StoreOf(base)}
	if !h.store.Exists() {
		return h, errors.New(".kindvet/schemas not found in this directory or its parents; 'kindvet schemas add' creates it")
	}
	return h, nil
}

// lockHere returns the store of the working directory and its lock file. It does not read the schemas, so sources can
// be removed from a store that cannot be read.
func lockHere() (storedSchemas, store.Lock, error) {
	h, err := storeHere()
	if err != nil {
		return h, store.Lock{}, err
	}
	lock, err := h.store.ReadLock()
	return h, lock, err
}

// restore returns the sources of a store as a user types them in a shell.
func (h storedSchemas) restore(lock store.Lock) string {
	var list []string
	for _, source := range lock.Sources {
		list = append(list, inShell(h.typed(source)))
	}
	return strings.Join(list, " ")
}

// isNamed reports whether a user means a source of a lock file. The name of a path depends on the working directory.
func (h storedSchemas) isNamed(s store.Source, text string) bool {
	return h.typed(s) == text || !isPath(s) && s.Name == text
}

// nameInLock returns the name of a file or directory in the lock file. It is relative to the directory that contains
// the store, so it does not depend on the working directory. An absolute name outside that directory stays as it is.
func (h storedSchemas) nameInLock(name string) string {
	relative, err := filepath.Rel(h.store.Base, h.base.Abs(name))
	if err != nil || filepath.IsAbs(name) && !filepath.IsLocal(relative) {
		return name
	}
	return asPath(relative)
}

// rejectOwn returns an error for files of the repository that a run checks. A copy of their CRDs would become old.
func (h storedSchemas) rejectOwn(source fetch.Source) error {
	if !source.IsPath() || isArchive(source.Name) {
		return nil
	}
	below, err := filepath.Rel(checkedDirectory(h.store.Base), h.base.Abs(source.Name))
	isHidden := func(name string) bool { return strings.HasPrefix(name, ".") && name != "." }
	if err != nil || !filepath.IsLocal(below) ||
		slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), isHidden) {
		return nil
	}
	return fmt.Errorf("%s: is part of the repository, so its CRDs count without a copy, which would become old: "+
		"check them together with the manifests, or list them under schemas: in .kindvet.yaml", source.Text)
}

// isArchive reports whether a file is an archive, whose CRDs only count if they are added.
func isArchive(name string) bool {
	return slices.ContainsFunc([]string{".tgz", ".gz", ".zip"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// asPath returns a relative path with slashes. It is never the name of the current cluster.
func asPath(name string) string {
	if name = filepath.ToSlash(name); name == fetch.Cluster {
		return "./" + name
	}
	return name
}

// typed returns a source of a lock file as a user types it in the working directory.
func (h storedSchemas) typed(s store.Source) string {
	switch {
	case isPath(s) && !filepath.IsAbs(s.Name):
		return asPath(h.base.Name(filepath.Join(h.store.Base, filepath.FromSlash(s.Name))))
	case s.Version == "":
		return s.Name
	}
	if address, below, ok := strings.Cut(strings.TrimPrefix(s.Name, "git+https://"), "//"); ok &&
		strings.HasPrefix(s.Name, "git+") {
		return "git+https://" + address + "@" + s.Version + "//" + below
	}
	return s.String()
}

// isPath reports whether a source of a lock file is a file or directory.
func isPath(s store.Source) bool { return s.From == "" && s.Name != fetch.Cluster }

// plainInShell matches texts that have no special meaning in a shell.
var plainInShell = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`) })

// inShell returns a text as one word of a POSIX shell. A lock file may be from an untrusted repository, and users copy
// the commands that kindvet prints.
func inShell(text string) string {
	if plainInShell().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// groups returns the API groups of a source.
func groups(s store.Source) []string {
	var list []string
	for _, f := range s.Files {
		group, _, _ := strings.Cut(f.Path, "/")
		list = append(list, group)
	}
	return slices.Compact(list)
}
