package settings

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
)

// amount is a number of entries of directories, and the size of files in bytes.
type amount struct{ entries, bytes int }

// outsideLimits are how much the schemas or the rules of one configuration may be outside its repository, and how much
// those of all configurations. An untrusted configuration may name any directory of the machine. Projects with
// thousands of CRDs have less than 100 MiB.
type outsideLimits struct{ one, all amount }

func defaultOutsideLimits() outsideLimits {
	return outsideLimits{one: amount{50_000, 256 << 20}, all: amount{500_000, 1 << 30}}
}

// errOutside is the reason why nothing more is read outside a repository.
var errOutside = errors.New("the limit outside the repository is exceeded")

// outside counts what is read outside a repository. Its zero value allows nothing.
type outside struct {
	used, most amount
	limit      amount // most, or the limit of all configurations if they have left less
	isShared   bool   // limit is that of all configurations
}

// outside returns a count for the schemas or rules of a configuration. It includes what is in use, and not what was
// read and dropped, so that a workspace can read the same files again and again.
func (e *Resolver) outside() *outside {
	left := e.limits.all
	for _, k := range e.kinds { // order does not matter
		left.entries, left.bytes = left.entries-k.outside.used.entries, left.bytes-k.outside.used.bytes
	}
	for _, r := range e.rules {
		left.entries, left.bytes = left.entries-r.outside.used.entries, left.bytes-r.outside.used.bytes
	}
	one := e.limits.one
	if left.entries >= one.entries && left.bytes >= one.bytes {
		return &outside{most: one, limit: one}
	}
	return &outside{
		most:  amount{min(one.entries, left.entries), min(one.bytes, left.bytes)},
		limit: e.limits.all, isShared: true,
	}
}

func (o *outside) isOver() bool {
	return o.used.entries > o.most.entries || o.used.bytes > o.most.bytes
}

// base returns the base for reading an auxiliary, which counts if the auxiliary is private.
func (o *outside) base(b find.Base, a find.Auxiliary) find.Base {
	if a.Private {
		b.Tree = outsideTree{b.Tree, o}
	}
	return b
}

// wrap returns an error about an auxiliary for schemas or rules. If there was too much to read, it has a place in the
// configuration.
func (o *outside) wrap(use string, a find.Auxiliary, err error) error {
	if !o.isOver() {
		return fmt.Errorf("%s: %w", use, err)
	}
	what := "more than %d files and directories or %d MiB outside the repository; name a smaller directory"
	if o.isShared {
		what = "the configurations of this run name more than %d files and directories or %d MiB outside the repository"
	}
	return config.ErrorAt(a.At, a.Path+": "+fmt.Sprintf(what, o.limit.entries, o.limit.bytes>>20))
}

// outsideTree is a tree that counts what is read.
type outsideTree struct {
	find.Tree
	count *outside
}

func (t outsideTree) ReadDir(path string) ([]fs.DirEntry, error) {
	if t.count.isOver() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errOutside}
	}
	entries, err := t.Tree.ReadDir(path)
	if t.count.used.entries += len(entries); t.count.isOver() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errOutside}
	}
	return entries, err
}

func (t outsideTree) Read(path string, use disk.Use) (string, error) {
	text, err := t.Tree.Read(path, use)
	if t.count.used.bytes += len(text); t.count.isOver() {
		return "", &fs.PathError{Op: "open", Path: path, Err: errOutside}
	}
	return text, err
}
