package find

import (
	"context"
	"io"
	"io/fs"

	"github.com/kindvet/kindvet/internal/disk"
)

// Until returns a tree that reads nothing after a context has ended, so all that reads from it ends soon.
func Until(ctx context.Context, tree Tree) Tree { return &until{tree, ctx} }

type until struct {
	Tree
	ctx context.Context
}

// ended returns an error if nothing is read any more.
func (u *until) ended(path string) error {
	if err := u.ctx.Err(); err != nil {
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return nil
}

// Lstat, Stat, ReadDir, Open and Read implement [Tree]. Following links reads no file.

func (u *until) Lstat(path string) (fs.FileInfo, error) {
	if err := u.ended(path); err != nil {
		return nil, err
	}
	return u.Tree.Lstat(path)
}

func (u *until) Stat(path string) (fs.FileInfo, error) {
	if err := u.ended(path); err != nil {
		return nil, err
	}
	return u.Tree.Stat(path)
}

func (u *until) ReadDir(path string) ([]fs.DirEntry, error) {
	if err := u.ended(path); err != nil {
		return nil, err
	}
	return u.Tree.ReadDir(path)
}

func (u *until) Open(path string) (io.ReadCloser, error) {
	if err := u.ended(path); err != nil {
		return nil, err
	}
	in, err := u.Tree.Open(path)
	if err != nil {
		return nil, err
	}
	return &untilReader{in, u, path}, nil
}

func (u *until) Read(path string, use disk.Use) (string, error) {
	if err := u.ended(path); err != nil {
		return "", err
	}
	return u.Tree.Read(path, use)
}

// untilReader is an open file of such a tree.
type untilReader struct {
	io.ReadCloser
	tree *until
	path string
}

func (r *untilReader) Read(buffer []byte) (int, error) {
	if err := r.tree.ended(r.path); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(buffer)
}
