// Package archive reads tar and zip archives from untrusted sources.
//
// Nothing is unpacked to disk: the caller gets the texts of the files that it wants, one at a time. All counts and
// sizes have limits, which also apply to skipped files, so a small archive cannot use much time or memory. Only
// regular files are read; links, devices and directories are skipped. An archive with a path that leads out of it is
// malicious and rejected as a whole.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// Limits bound what is read. The zero value allows nothing.
type Limits struct {
	// Total is the maximum size of all files of an archive, File that of a single wanted file, both in bytes.
	Total, File int64
	// Entries is the maximum number of files, links and directories.
	Entries int
}

// Format is the format of an archive.
type Format int

// The formats.
const (
	None Format = iota // not an archive
	TarGzip
	Zip
)

// FormatOf returns the format of a file from its first bytes. Four bytes are sufficient.
func FormatOf(start []byte) Format {
	switch {
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		return TarGzip
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte("PK\x05\x06")):
		return Zip
	}
	return None
}

// Wanted selects the files of an archive and receives their texts. Paths have slashes.
type Wanted struct {
	// Path reports whether the file at a path is wanted.
	Path func(path string) bool
	// Found is called with each wanted file, in the order of the archive. An error ends the reading. A tar archive may
	// have several files with the same path; the last one counts.
	Found func(path, text string) error
}

// reading is the state of reading one archive.
type reading struct {
	limits  Limits
	wanted  Wanted
	entries int
	total   int64
}

// ReadTarGzip reads the wanted files of a gzip-compressed tar archive.
func ReadTarGzip(in io.Reader, l Limits, wanted Wanted) error {
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	r := reading{limits: l, wanted: wanted}
	// Headers and padding do not count as content. This limits them as well.
	bounded := &bounded{in: unpacked, left: l.Total + int64(l.Entries)*maxHeader}
	archive := tar.NewReader(bounded)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.entry(header.Name, header.Typeflag == tar.TypeReg, archive); err != nil {
			return err
		}
	}
}

// maxHeader is how many bytes a tar archive may use for an entry in addition to the content. A header
// takes 512 bytes, and long names take more. Raise it if an archive of many small files is rejected.
const maxHeader = 4 << 10

// ReadZip reads the wanted files of a zip archive.
func ReadZip(in io.ReaderAt, size int64, l Limits, wanted Wanted) error {
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return err
	}
	r := reading{limits: l, wanted: wanted}
	for _, f := range archive.File {
		if err := r.zipped(f); err != nil {
			return err
		}
	}
	return nil
}

// zipped reads a file of a zip archive. It does not unpack files that are not wanted.
func (r *reading) zipped(f *zip.File) error {
	if !f.Mode().IsRegular() || !r.wanted.Path(path.Clean(f.Name)) {
		return r.entry(f.Name, false, nil)
	}
	content, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	defer content.Close()
	return r.entry(f.Name, true, content)
}

// entry reads or skips one entry.
func (r *reading) entry(name string, isRegular bool, content io.Reader) error {
	if r.entries++; r.entries > r.limits.Entries {
		return fmt.Errorf("has more than %d entries", r.limits.Entries)
	}
	clean := path.Clean(name)
	if !filepath.IsLocal(filepath.FromSlash(clean)) || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf("has the path %q, which leads out of it", name)
	}
	if !isRegular {
		return nil
	}
	if !r.wanted.Path(clean) {
		n, err := io.Copy(io.Discard, io.LimitReader(content, r.limits.Total-r.total+1))
		return r.count(n, err)
	}
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(content, min(r.limits.File, r.limits.Total-r.total)+1))
	if n > r.limits.File {
		return fmt.Errorf("%s: has more than %d MiB", clean, r.limits.File>>20)
	}
	if err := r.count(n, err); err != nil {
		return err
	}
	return r.wanted.Found(clean, text.String())
}

func (r *reading) count(n int64, err error) error {
	if r.total += n; r.total > r.limits.Total {
		return r.limits.tooLarge()
	}
	return err
}

func (l Limits) tooLarge() error {
	return fmt.Errorf("has more than %d MiB when it is unpacked", l.Total>>20)
}

// bounded reads up to a number of bytes and then fails.
type bounded struct {
	in   io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("is too large when it is unpacked")
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
