package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
)

// keep reads a stream into memory. The maximum is the size limit of a document.
func keep(in io.Reader) (string, error) {
	text := &strings.Builder{}
	_, err := io.Copy(text, io.LimitReader(in, manifest.MaxPart+1))
	if err == nil && text.Len() > manifest.MaxPart {
		err = fmt.Errorf("larger than %d MiB, the limit for a stream that is read twice, for lint rules or several versions of "+
			"Kubernetes; write it to a file", manifest.MaxPart>>20)
	}
	return text.String(), err
}

// rereadable makes sure that standard input and FIFOs can be read a second time, which rules about sets of documents
// may need. It keeps streams in memory.
func rereadable(o *Options, found *find.Found) error {
	texts := find.NewOverlay(found.Tree)
	for _, f := range found.Files {
		if f.Kind != find.Stream {
			continue
		}
		in, err := f.Open(found.Tree)
		if err != nil {
			return err
		}
		text, err := keep(in)
		if err = errors.Join(err, in.Close()); err != nil {
			return &fs.PathError{Op: "read", Path: f.Name, Err: err}
		}
		texts.Set(f.Abs, text)
		found.Tree = texts
	}
	if !slices.ContainsFunc(found.Files, func(f find.File) bool { return f.Kind == find.Stdin }) {
		return nil
	}
	in, ok := o.Stdin.(io.ReadSeeker)
	if ok {
		_, err := in.Seek(0, io.SeekCurrent)
		ok = err == nil
	}
	if !ok {
		text, err := keep(o.Stdin)
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		in = strings.NewReader(text)
	}
	start, err := in.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	o.Stdin = &rewinder{in, start}
	return nil
}

// maxSearched is the maximum number of bytes of standard input that are kept in memory to search them for CRDs. Raise
// it if the output of charts that people use, with their CRDs, is longer.
const maxSearched = 2 << 20

// readTwice makes standard input and FIFOs readable twice. If lint rules about sets need that, it keeps all of them.
// Otherwise it keeps only a short standard input, to search it for CRDs.
func (o *Options) readTwice(byRules bool, found *find.Found) error {
	switch {
	case byRules:
		return rereadable(o, found)
	case o.NoDiscovery || !slices.ContainsFunc(found.Files, func(f find.File) bool { return f.Kind == find.Stdin }):
		return nil
	}
	text := &strings.Builder{}
	_, err := io.Copy(text, io.LimitReader(o.Stdin, maxSearched+1))
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if text.Len() > maxSearched {
		o.Stdin = io.MultiReader(strings.NewReader(text.String()), o.Stdin)
		return nil
	}
	o.Stdin = &rewinder{in: strings.NewReader(text.String())}
	return nil
}

// isReadTwice reports whether a file can be read a second time. It must be called after readTwice.
func (o *Options) isReadTwice(f *find.File, tree find.Tree) bool {
	if f.Kind == find.Stdin {
		_, ok := o.Stdin.(*rewinder)
		return ok
	}
	if f.Kind != find.Stream {
		return true
	}
	stat, err := tree.Stat(f.Abs)
	return err == nil && stat.Mode().IsRegular()
}

// rewinder starts again at the beginning after it has been read to the end.
type rewinder struct {
	in    io.ReadSeeker
	start int64
}

func (r *rewinder) Read(buffer []byte) (int, error) {
	n, err := r.in.Read(buffer)
	if err == io.EOF && n == 0 {
		if _, again := r.in.Seek(r.start, io.SeekStart); again != nil {
			return 0, again
		}
	}
	return n, err
}

// rewind makes standard input and FIFOs readable again, after a check with another version of Kubernetes. That only the
// configuration of files that an object deploys selects several may be known too late.
func (o *Options) rewind(first *plan) error {
	for i := range first.found.Files {
		f := &first.found.Files[i]
		if !o.isReadTwice(f, first.found.Tree) {
			return fmt.Errorf("%s: cannot be read again for another version of Kubernetes; write it to a file", f.Name)
		}
		if f.Kind == find.Stdin {
			r := o.Stdin.(*rewinder)
			if _, err := r.in.Seek(r.start, io.SeekStart); err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
		}
	}
	return nil
}

// keptText keeps a copy of the bytes written to it, up to a maximum size.
type keptText struct {
	text bytes.Buffer
	most int64
	over bool
}

// Write implements [io.Writer].
func (k *keptText) Write(b []byte) (int, error) {
	if k.over = k.over || int64(k.text.Len()+len(b)) > k.most; k.over {
		k.text = bytes.Buffer{}
		return len(b), nil
	}
	return k.text.Write(b)
}

// keepStdin copies standard input as it is read, if line hashes need it. The copy holds at most the given number of
// bytes.
func (o *Options) keepStdin(most int64) *keptText {
	copied := &keptText{most: most}
	if o.Report.LineHashes && o.Stdin != nil {
		o.Stdin = io.TeeReader(o.Stdin, copied)
	}
	return copied
}
