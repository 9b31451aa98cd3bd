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
	"strings"

	"github.com/kindvet/kindvet/internal/archive"
	"github.com/kindvet/kindvet/internal/disk"
)

// readPath reads a file, an archive, or the manifests below a directory such as a chart. It skips hidden files and
// directories, and links.
func (f *Fetched) readPath(name string, l Limits) error {
	stat, err := os.Stat(name)
	if err != nil {
		return reason(err)
	}
	if !stat.IsDir() {
		return f.readFile(name, l)
	}
	entries, total := 0, int64(0)
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entries++; entries > l.Archive.Entries {
			return fmt.Errorf("has more than %d entries", l.Archive.Entries)
		}
		if path != name && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !isSchema(path) {
			return nil
		}
		text, err := disk.Read(path, disk.Schemas)
		if total += int64(len(text)); total > l.Archive.Total {
			return fmt.Errorf("has more than %d MiB", l.Archive.Total>>20)
		}
		f.add(path, text)
		return err
	})
	return err
}

// readFile reads a file. The file may be an archive, such as a packaged chart.
func (f *Fetched) readFile(name string, l Limits) error {
	file, err := os.Open(name)
	if err != nil {
		return reason(err)
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return reason(err)
	}
	if !stat.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	return f.read(name, file, Source{}, l)
}

func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// read reads a text or an archive. The first bytes decide which.
func (f *Fetched) read(name string, in io.Reader, s Source, l Limits) error {
	start := bufio.NewReader(in)
	first, err := start.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var files []archive.File
	switch archive.FormatOf(first) {
	case archive.TarGzip:
		files, err = archive.ReadTarGzip(&limited{start, l.Download}, l.Archive, s.wants)
	case archive.Zip:
		files, err = readZip(start, s, l)
	default:
		text, err := readAll(start, l.Text)
		f.add(name, string(text))
		return err
	}
	for _, file := range files {
		f.add(file.Path, file.Text)
	}
	return err
}

// readZip reads a zip archive. The list of files in a zip archive is at its end.
func readZip(in io.Reader, s Source, l Limits) ([]archive.File, error) {
	packed, err := readAll(in, l.Text)
	if err != nil {
		return nil, err
	}
	return archive.ReadZip(bytes.NewReader(packed), int64(len(packed)), l.Archive, s.wants)
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
