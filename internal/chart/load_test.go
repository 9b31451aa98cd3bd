package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"slices"
	"testing"
)

func archiveOf(t *testing.T, files ...File) string {
	t.Helper()
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	w := tar.NewWriter(z)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o644, Size: int64(len(f.Text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.Text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestTheLastFileOfAPathCounts(t *testing.T) {
	files, err := Unpack(archiveOf(t, File{"a/x", "1"}, File{"a/y", "2"}, File{"b/x", "3"}))
	if want := []File{{"x", "3"}, {"y", "2"}}; err != nil || !slices.Equal(files, want) {
		t.Errorf("have %v, %v, want %v", files, err, want)
	}
}
