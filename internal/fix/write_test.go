package fix

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// changeIn returns a change of a file with the text before.
func changeIn(t *testing.T) *Change {
	c := &Change{Name: "a.yaml", Path: filepath.Join(t.TempDir(), "a.yaml"), Before: "long before", After: "after"}
	writeFile(t, c.Path, c.Before)
	return c
}

func TestFilesAreReplaced(t *testing.T) {
	c := changeIn(t)
	before, err := os.Stat(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	stat, err := os.Stat(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, stat) {
		t.Error("the file was written in place, where other programs see a half of it")
	}
	if have := readFile(t, c.Path); have != "after" || runtime.GOOS != "windows" && stat.Mode() != 0o640 {
		t.Errorf("have %q with mode %v", have, stat.Mode())
	}
	if entries, err := os.ReadDir(filepath.Dir(c.Path)); err != nil || len(entries) != 1 {
		t.Errorf("other files are left: %v %v", entries, err)
	}
	if err := c.Write(); err != nil {
		t.Errorf("a file that has the text already: %v", err)
	}
}

func TestAFileThatHasChangedIsNotWritten(t *testing.T) {
	c := changeIn(t)
	writeFile(t, c.Path, "other text.")
	if err := c.Write(); !errors.Is(err, ErrChanged) || err.Error() != "a.yaml: "+ErrChanged.Error() {
		t.Errorf("have %v", err)
	}
	if have := readFile(t, c.Path); have != "other text." {
		t.Errorf("have %q", have)
	}
	if err := os.Remove(c.Path); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

func TestAReadOnlyFileIsNotWritten(t *testing.T) {
	c := changeIn(t)
	if err := os.Chmod(c.Path, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("have %v", err)
	}
	if have := readFile(t, c.Path); have != c.Before {
		t.Errorf("have %q", have)
	}
}

func TestALinkIsFollowed(t *testing.T) {
	c := changeIn(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(c.Path, link); err != nil {
		t.Skip(err)
	}
	through := *c
	through.Path = link
	if err := through.Write(); err != nil {
		t.Fatal(err)
	}
	if stat, err := os.Lstat(link); err != nil || stat.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is replaced: %v %v", stat, err)
	}
	if have := readFile(t, c.Path); have != c.After {
		t.Errorf("have %q", have)
	}
}

func TestAllNamesOfAFileKeepTheSameText(t *testing.T) {
	c := changeIn(t)
	other := filepath.Join(filepath.Dir(c.Path), "other")
	if err := os.Link(c.Path, other); err != nil {
		t.Skip(err)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	if a, b := readFile(t, c.Path), readFile(t, other); a != c.After || b != c.After {
		t.Errorf("have %q and %q", a, b)
	}
}

func TestADirectoryIsNotWritten(t *testing.T) {
	c := &Change{Name: "a", Path: t.TempDir(), Before: "a", After: "b"}
	if err := c.Write(); !errors.Is(err, ErrChanged) {
		t.Errorf("have %v", err)
	}
}
