package find

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/disk"
)

func TestAnOverlayWinsOverTheDisk(t *testing.T) {
	root := tree(t, map[string]string{"a.yaml": "disk", "b.yaml": "disk", "sub/c.yaml": "disk"})
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	o := NewOverlay(Disk{})
	for _, name := range []string{"a.yaml", "new.yaml", "gone/d.yaml"} {
		o.Set(at(name), "editor")
	}
	for name, want := range map[string]string{
		"a.yaml": "editor", "b.yaml": "disk", "new.yaml": "editor", "sub/c.yaml": "disk", "gone/d.yaml": "editor",
		"no.yaml": "",
	} {
		have := ""
		if in, err := o.Open(at(name)); err == nil {
			read, _ := io.ReadAll(in)
			have = string(read)
			in.Close()
		}
		text, err := o.Read(at(name), disk.Schemas)
		stat, _ := o.Stat(at(name))
		_, lstat := o.Lstat(at(name))
		if have != want || text != want || (err == nil) != (want != "") || (lstat == nil) != (want != "") {
			t.Errorf("%s: have %q and %q, want %q; %v, %v", name, have, text, want, err, lstat)
		}
		if want != "" && (!stat.Mode().IsRegular() || stat.Size() != int64(len(want)) ||
			stat.Name() != filepath.Base(name)) {
			t.Errorf("%s: %v", name, stat)
		}
	}
	for name, want := range map[string]string{".": "a.yaml b.yaml new.yaml sub", "sub": "c.yaml", "gone": "d.yaml"} {
		var have []string
		entries, err := o.ReadDir(at(name))
		for _, d := range entries {
			have = append(have, d.Name())
		}
		if err != nil || strings.Join(have, " ") != want {
			t.Errorf("%s: have %q, %v, want %q", name, have, err, want)
		}
	}
	o = o.Without(at("a.yaml"))
	if text, err := o.Read(at("a.yaml"), disk.Schemas); text != "disk" {
		t.Errorf("have %q, %v", text, err)
	}
}

// A text that an editor holds says how to check like a file, within the same limits.
func TestATextOfAnOverlayHasTheLimitsOfAFile(t *testing.T) {
	o := NewOverlay(Disk{})
	for size, want := range map[int64]bool{disk.Configuration.Limit(): true, disk.Configuration.Limit() + 1: false} {
		o.Set("/c", strings.Repeat("#", int(size)))
		_, err := o.Read("/c", disk.Configuration)
		of, isPath := errors.AsType[*fs.PathError](err)
		if (err == nil) != want || err != nil && (!isPath || of.Path != "/c") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// Files, directories, globs and configuration files are found in the tree, whatever the disk has.
func TestASearchSeesTheTree(t *testing.T) {
	root := tree(t, map[string]string{"a.yaml": "", "skipped/b.yaml": "", "sub/c.yaml": ""})
	o := NewOverlay(Disk{})
	o.Set(filepath.Join(root, ".kindvet.yaml"), "exclude: [skipped]\n")
	o.Set(filepath.Join(root, "sub", "new.yaml"), "")
	base := Base{Dir: root, Tree: o}
	for paths, want := range map[string]string{
		".": "a.yaml sub/c.yaml sub/new.yaml", "sub/new.yaml": "sub/new.yaml", "*/*.yaml": "sub/c.yaml sub/new.yaml",
		"**/n*": "sub/new.yaml", "*/..": "a.yaml sub/c.yaml sub/new.yaml",
		"../**/new.yaml": "../" + filepath.Base(root) + "/sub/new.yaml",
	} {
		finder, err := New(Options{Base: base, Paths: strings.Fields(paths)})
		if err != nil {
			t.Fatal(err)
		}
		found, err := finder.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, f := range found.Files {
			have = append(have, filepath.ToSlash(f.Name))
		}
		if strings.Join(have, " ") != want || len(found.Failures) > 0 {
			t.Errorf("%s: have %q, %v, want %q", paths, have, found.Failures, want)
		}
	}
}

// What cannot be read has the name that the user typed, and nothing becomes a directory that was none.
func TestAPathIsLookedUpFromTheBase(t *testing.T) {
	root := tree(t, map[string]string{"a.yaml": ""})
	for path, want := range map[string]string{
		"a.yaml": "", filepath.Join(root, "a.yaml"): "", "a.yaml/": "a.yaml/", "": "", "b.yaml": "b.yaml",
		"./b.yaml": "./b.yaml",
	} {
		files, failures := All(OnDisk(root), []string{path})
		isFound := path == "a.yaml" || filepath.IsAbs(path)
		if len(files) == 1 != isFound || len(failures) == 1 == isFound {
			t.Errorf("%q: have %v, %v", path, files, failures)
			continue
		}
		if of, ok := errors.AsType[*fs.PathError](errors.Join(failures...)); ok && of.Path != want {
			t.Errorf("%q: have %q", path, of.Path)
		}
	}
	if err := os.Symlink("a.yaml", filepath.Join(root, "link.yaml")); err == nil {
		files, _ := All(OnDisk(root), []string{"link.yaml", "a.yaml"})
		if names := []string{files[0].Name, files[1].Name}; !slices.Equal(names, []string{"link.yaml", "a.yaml"}) {
			t.Errorf("have %q", names)
		}
	}
}
