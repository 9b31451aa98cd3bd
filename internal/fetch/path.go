package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/archive"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/source"
)

// readPath reads a file, an archive, or the manifests below a directory such as a chart. It skips hidden files and
// directories, and links.
func (f *Fetched) readPath(name string) error {
	stat, err := os.Stat(name)
	switch {
	case err != nil:
		return reason(err)
	case stat.IsDir():
		return f.readDirectory(name)
	case !stat.Mode().IsRegular(): // opening a FIFO would block
		return errors.New("is not a regular file")
	}
	return f.readFile(name)
}

func (f *Fetched) readDirectory(name string) error {
	l := f.limits.Archive
	entries, total := 0, int64(0)
	root := name + string(filepath.Separator) // the directory itself may be a link
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entries++; entries > l.Entries {
			return fmt.Errorf("has more than %d entries", l.Entries)
		}
		if path != root && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !isSchema(path) {
			return nil
		}
		text, err := disk.Read(path, disk.Schemas)
		if err != nil {
			return err
		}
		if total += int64(len(text)); total > l.Total {
			return fmt.Errorf("has more than %d MiB", l.Total>>20)
		}
		return f.add(filepath.ToSlash(path), text)
	})
}

// readFile reads a file. The file may be an archive, such as a packaged chart.
func (f *Fetched) readFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return reason(err)
	}
	defer file.Close()
	return f.read(name, file, Source{})
}

func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// read reads a text or an archive. The first bytes decide which.
func (f *Fetched) read(name string, in io.Reader, s Source) error {
	l := f.limits
	wanted := archive.Wanted{Path: s.wants, Found: f.add}
	start := bufio.NewReader(in)
	first, err := start.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch archive.FormatOf(first) {
	case archive.TarGzip:
		err = archive.ReadTarGzip(&limited{start, l.Download}, l.Archive, wanted)
	case archive.Zip:
		err = readZip(start, l, wanted)
	default:
		text, err := readAll(start, l.Text)
		if err != nil {
			return err
		}
		return f.add(name, string(text))
	}
	f.sort()
	return err
}

// readZip reads a zip archive. The list of files in a zip archive is at its end.
func readZip(in io.Reader, l Limits, wanted archive.Wanted) error {
	packed, err := readAll(in, l.Text)
	if err != nil {
		return err
	}
	return archive.ReadZip(bytes.NewReader(packed), int64(len(packed)), l.Archive, wanted)
}

// sort sorts the files of an archive by path. Of several files with the same path, the last one counts.
func (f *Fetched) sort() {
	slices.SortStableFunc(f.Files, func(a, b *source.Source) int { return strings.Compare(a.Name, b.Name) })
	var list []*source.Source
	for i, file := range f.Files {
		if i+1 == len(f.Files) || f.Files[i+1].Name != file.Name {
			list = append(list, file)
		}
	}
	f.Files = list
}

func readAll(in io.Reader, limit int64) ([]byte, error) { return io.ReadAll(&limited{in, limit}) }

// limited reads up to a number of bytes. It fails if there are more.
type limited struct {
	in   io.Reader
	left int64
}

var errTooLarge = errors.New("is larger than kindvet fetches")

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.in.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
