package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
)

var small = Limits{Total: 1 << 20, File: 64 << 10, Entries: 10}

func isYAML(path string) bool { return strings.HasSuffix(path, ".yaml") }

type entry struct {
	name, text string
	typ        byte
}

func tarGzip(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.typ, Mode: 0o644, Size: int64(len(e.text))}
		if e.typ == 0 {
			h.Typeflag = tar.TypeReg
		}
		if e.typ == tar.TypeSymlink || e.typ == tar.TypeLink {
			h.Linkname, h.Size = e.text, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			io.WriteString(w, e.text)
		}
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func zipped(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		switch e.typ {
		case tar.TypeSymlink:
			h.SetMode(fs.ModeSymlink | 0o777)
		case tar.TypeChar:
			h.SetMode(fs.ModeDevice | fs.ModeCharDevice)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, e.text)
	}
	w.Close()
	return b.Bytes()
}

// files lists the found files as PATH=TEXT.
type files []string

func (f *files) wanted() Wanted {
	return Wanted{isYAML, func(path, text string) error {
		*f = append(*f, path+"="+text)
		return nil
	}}
}

func readTar(in io.Reader, l Limits) (f files, err error) {
	err = ReadTarGzip(in, l, f.wanted())
	return f, err
}

func readZip(b []byte, l Limits) (f files, err error) {
	err = ReadZip(bytes.NewReader(b), int64(len(b)), l, f.wanted())
	return f, err
}

// formats are both formats, with what writes and reads one.
func formats(t *testing.T) map[string]func(l Limits, entries ...entry) (files, error) {
	return map[string]func(Limits, ...entry) (files, error){
		"tar": func(l Limits, entries ...entry) (files, error) {
			return readTar(bytes.NewReader(tarGzip(t, entries...)), l)
		},
		"zip": func(l Limits, entries ...entry) (files, error) { return readZip(zipped(t, entries...), l) },
	}
}

func TestLinksAndDevicesAreSkippedInBothFormats(t *testing.T) {
	for name, read := range formats(t) {
		have, err := read(small, entry{"link.yaml", "/etc/passwd", tar.TypeSymlink}, entry{"null.yaml", "", tar.TypeChar},
			entry{"a.yaml", "a", 0}, entry{"b.yaml", "b", 0})
		if fmt.Sprint(have) != "[a.yaml=a b.yaml=b]" || err != nil {
			t.Errorf("%s: have %v, %v", name, have, err)
		}
	}
}

// What is skipped counts in a tar archive, which must be unpacked to skip it. A wanted file is read up to what is left.
func TestTheTotalLimitsWhatIsRead(t *testing.T) {
	l := Limits{Total: 100, File: 80, Entries: 10}
	sizes := func(n ...int) (list []entry) {
		for i, size := range n {
			list = append(list, entry{fmt.Sprint(i, ".yaml"), strings.Repeat("x", size), 0})
		}
		return list
	}
	for name, read := range formats(t) {
		for _, c := range []struct {
			entries []entry
			fails   bool
		}{
			{sizes(80, 20), false}, {sizes(80, 21), true}, {sizes(40, 40, 20), false}, {sizes(40, 40, 21), true},
			{append(sizes(50), entry{"skipped", strings.Repeat("x", 50), 0}), false},
			{append(sizes(50), entry{"skipped", strings.Repeat("x", 51), 0}), name == "tar"},
		} {
			if _, err := read(l, c.entries...); (err != nil) != c.fails {
				t.Errorf("%s: %d entries: have %v, want an error: %v", name, len(c.entries), err, c.fails)
			}
		}
	}
	content := strings.NewReader(strings.Repeat("x", 80))
	r := reading{limits: l, wanted: (&files{}).wanted(), total: 70}
	if err := r.entry("a.yaml", true, content); err == nil || content.Len() != 80-31 {
		t.Errorf("with 30 bytes left, %d are read: %v", 80-content.Len(), err)
	}
}

func TestOnlyWantedRegularFilesAreRead(t *testing.T) {
	b := tarGzip(t, entry{"r-1/", "", tar.TypeDir}, entry{"r-1/b.yaml", "b", 0}, entry{"./r-1/a.yaml", "a", 0},
		entry{"r-1/go.mod", "x", 0},
		entry{"r-1/link.yaml", "/etc/passwd", tar.TypeSymlink}, entry{"r-1/hard.yaml", "r-1/a.yaml", tar.TypeLink},
		entry{"r-1/null.yaml", "", tar.TypeChar}, entry{"r-1/b.yaml", "c", 0})
	have, err := readTar(bytes.NewReader(b), small)
	if want := "[r-1/b.yaml=b r-1/a.yaml=a r-1/b.yaml=c]"; err != nil || fmt.Sprint(have) != want {
		t.Errorf("have %v, %v; want %s", have, err, want)
	}
	have, err = readZip(zipped(t, entry{"b.yaml", "b", 0}, entry{"a/", "", 0}, entry{"a/a.yaml", "a", 0},
		entry{"x", "x", 0}), small)
	if want := "[b.yaml=b a/a.yaml=a]"; err != nil || fmt.Sprint(have) != want {
		t.Errorf("have %v, %v; want %s", have, err, want)
	}
}

func TestPathsThatLeadOutAreRejected(t *testing.T) {
	for _, name := range []string{
		"../a.yaml", "a/../../b.yaml", "/etc/a.yaml", `..\a.yaml`, "../x", `a\b.yaml`, "a\x00.yaml", "x\x00",
	} {
		if !strings.Contains(name, "\x00") { // the writer of tar archives rejects it
			_, err := readTar(bytes.NewReader(tarGzip(t, entry{name, "a", 0})), small)
			if err == nil || !strings.Contains(err.Error(), "leads out") {
				t.Errorf("tar with %q: %v", name, err)
			}
		}
		if _, err := readZip(zipped(t, entry{name, "a", 0}), small); err == nil ||
			!strings.Contains(err.Error(), "leads out") {
			t.Errorf("zip with %q: %v", name, err)
		}
	}
}

func TestEachLimitHolds(t *testing.T) {
	many := func(n int) (list []entry) {
		for i := range n {
			list = append(list, entry{name: fmt.Sprint(i, ".yaml")})
		}
		return list
	}
	zeros := func(n int64) string { return strings.Repeat("\x00", int(n)) }
	for _, c := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"as many entries as are allowed", many(small.Entries), ""},
		{"one entry more", many(small.Entries + 1), "has more than 10 entries"},
		{"a file of the most bytes", []entry{{"a.yaml", zeros(small.File), 0}}, ""},
		{"a file of one byte more", []entry{{"a.yaml", zeros(small.File + 1), 0}}, "a.yaml: has more than 0 MiB"},
	} {
		_, tarErr := readTar(bytes.NewReader(tarGzip(t, c.entries...)), small)
		_, zipErr := readZip(zipped(t, c.entries...), small)
		for _, err := range []error{tarErr, zipErr} {
			if have := fmt.Sprint(err); (err != nil || c.want != "") && have != c.want {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
	l := Limits{Total: 100, File: 60, Entries: 10}
	for _, c := range []struct {
		last int64
		want string
	}{{40, "<nil>"}, {41, "has more than 0 MiB when it is unpacked"}} {
		entries := []entry{{"a.yaml", zeros(60), 0}, {"b.yaml", zeros(c.last), 0}}
		if _, err := readTar(bytes.NewReader(tarGzip(t, entries...)), l); fmt.Sprint(err) != c.want {
			t.Errorf("tar with %d bytes more: %v, want %s", c.last, err, c.want)
		}
		if _, err := readZip(zipped(t, entries...), l); fmt.Sprint(err) != c.want {
			t.Errorf("zip with %d bytes more: %v, want %s", c.last, err, c.want)
		}
	}
}

// A skipped file counts as well, and so do bytes between files: 1 GiB of zeros is 1 MiB of gzip.
func TestAGzipOfZerosEndsEarly(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Name: "skipped", Typeflag: tar.TypeReg, Size: 1 << 30})
	block := make([]byte, 1<<20)
	for range 64 {
		z.Write(block)
	}
	z.Close()
	in := &counter{in: &b}
	if _, err := readTar(in, small); err == nil || !strings.Contains(err.Error(), "when it is unpacked") {
		t.Error(err)
	}
	if in.n > 16<<10 {
		t.Errorf("%d compressed bytes were read", in.n)
	}
}

type counter struct {
	in io.Reader
	n  int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p[:min(len(p), 1<<10)])
	c.n += n
	return n, err
}

func TestAnErrorOfTheReceiverEndsTheReading(t *testing.T) {
	stop := errors.New("stop")
	calls := 0
	w := Wanted{isYAML, func(string, string) error { calls++; return stop }}
	two := []entry{{"a.yaml", "a", 0}, {"b.yaml", "b", 0}}
	if err := ReadTarGzip(bytes.NewReader(tarGzip(t, two...)), small, w); err != stop || calls != 1 {
		t.Errorf("tar: %v after %d calls", err, calls)
	}
	b := zipped(t, two...)
	if err := ReadZip(bytes.NewReader(b), int64(len(b)), small, w); err != stop || calls != 2 {
		t.Errorf("zip: %v after %d calls", err, calls)
	}
}

func TestTheFormatIsThatOfTheFirstBytes(t *testing.T) {
	for _, c := range []struct {
		start string
		want  Format
	}{
		{string(tarGzip(t)), TarGzip}, {string(zipped(t, entry{"a", "a", 0})), Zip}, {string(zipped(t)), Zip},
		{"apiVersion: v1", None}, {"", None},
	} {
		if have := FormatOf([]byte(c.start)); have != c.want {
			t.Errorf("%.4q: %d, want %d", c.start, have, c.want)
		}
	}
}

func TestWhatIsNotAnArchiveIsAnError(t *testing.T) {
	if _, err := readTar(strings.NewReader("a"), small); err == nil {
		t.Error("no error")
	}
	whole := tarGzip(t, entry{"a.yaml", strings.Repeat("abc", 1000), 0})
	if _, err := readTar(bytes.NewReader(whole[:len(whole)/2]), small); err == nil {
		t.Error("half an archive is read")
	}
	if _, err := readZip([]byte("PK\x03\x04"), small); err == nil {
		t.Error("no error")
	}
}
