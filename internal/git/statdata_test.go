package git

import (
	"bytes"
	"crypto/sha1"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// believed returns the names of those of the files that need not be read.
func believed(r *Repository, names ...string) string {
	d := r.readStatData()
	var list []string
	for _, name := range names {
		if _, ok := d.object(name); ok {
			list = append(list, name)
		}
	}
	return strings.Join(list, " ")
}

// settle makes the index newer than all files, as it is some time after git has written it.
func settle(t *testing.T, r *Repository) {
	t.Helper()
	time.Sleep(20 * time.Millisecond) // more than a tick of the clock of a file system
	if err := os.Chtimes(filepath.Join(r.dir, "index"), time.Time{}, time.Now()); err != nil {
		t.Fatal(err)
	}
}

func needStatData(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("all files are read on this system")
	}
}

// Only what git itself would not read again is believed without reading. Whatever happens to a.yaml, the files that have
// really changed are found.
func TestOnlyFilesThatGitWouldNotReadAreNotRead(t *testing.T) {
	needStatData(t)
	const text = "a: 1\n"
	for name, c := range map[string]struct {
		do                func(t *testing.T, r *Repository)
		believed, changed string
		isRacy            bool // the index is as old as do leaves it
	}{
		"nothing": {do: func(*testing.T, *Repository) {}, believed: "a.yaml b.yaml sub/c.yaml"},
		"other text of the same size, with the time of before": {do: func(t *testing.T, r *Repository) {
			keepingTime(t, r, "a.yaml", func(name string) { write(t, name, "a: 2\n") })
		}, believed: "b.yaml sub/c.yaml", changed: "a.yaml"},
		"the same, with settings that make git compare less": {do: func(t *testing.T, r *Repository) {
			for _, setting := range []string{"core.trustctime=false", "core.checkStat=minimal", "core.ignoreStat=true"} {
				name, value, _ := strings.Cut(setting, "=")
				command(t, r.Top, "config", name, value)
			}
			keepingTime(t, r, "a.yaml", func(name string) { write(t, name, "a: 2\n") })
			command(t, r.Top, "status")
		}, believed: "b.yaml sub/c.yaml", changed: "a.yaml"},
		"a new file with the same text": {do: func(t *testing.T, r *Repository) {
			keepingTime(t, r, "a.yaml", func(name string) { _ = os.Remove(name); write(t, name, text) })
		}, believed: "b.yaml sub/c.yaml"},
		"another file in its place": {do: func(t *testing.T, r *Repository) {
			keepingTime(t, r, "a.yaml", func(name string) { _ = os.Rename(filepath.Join(r.Top, "b.yaml"), name) })
		}, believed: "sub/c.yaml", changed: "a.yaml b.yaml"},
		"a second hard link": {do: func(t *testing.T, r *Repository) {
			if err := os.Link(filepath.Join(r.Top, "a.yaml"), filepath.Join(r.Top, "link.yaml")); err != nil {
				t.Skip(err)
			}
		}, believed: "b.yaml sub/c.yaml"},
		"a link in its place": {do: func(t *testing.T, r *Repository) {
			_ = os.Rename(filepath.Join(r.Top, "a.yaml"), filepath.Join(r.Top, "elsewhere.yaml"))
			write(t, filepath.Join(r.Top, "a.yaml@"), "elsewhere.yaml")
		}, believed: "b.yaml sub/c.yaml", changed: "a.yaml"},
		"removed": {do: func(t *testing.T, r *Repository) { _ = os.Remove(filepath.Join(r.Top, "a.yaml")) },
			believed: "b.yaml sub/c.yaml", changed: "a.yaml"},
		"a time of whole seconds": {do: func(t *testing.T, r *Repository) {
			when := time.Now().Add(-time.Hour).Truncate(time.Second)
			if err := os.Chtimes(filepath.Join(r.Top, "a.yaml"), when, when); err != nil {
				t.Fatal(err)
			}
			command(t, r.Top, "update-index", "--refresh")
		}, believed: "b.yaml sub/c.yaml"},
		"an index that is as old as the files": {do: func(t *testing.T, r *Repository) {
			when := time.Now().Add(-time.Hour)
			if err := os.Chtimes(filepath.Join(r.Top, "a.yaml"), when, when); err != nil {
				t.Fatal(err)
			}
			command(t, r.Top, "update-index", "--refresh")
			if err := os.Chtimes(filepath.Join(r.dir, "index"), when, when); err != nil {
				t.Fatal(err)
			}
		}, isRacy: true},
		"assume-unchanged": {do: func(t *testing.T, r *Repository) {
			command(t, r.Top, "update-index", "--assume-unchanged", "a.yaml", "b.yaml")
			keepingTime(t, r, "a.yaml", func(name string) { write(t, name, "a: 2\n") })
		}, believed: "sub/c.yaml", changed: "a.yaml"},
		"skip-worktree": {do: func(t *testing.T, r *Repository) {
			command(t, r.Top, "update-index", "--skip-worktree", "a.yaml", "b.yaml")
			keepingTime(t, r, "a.yaml", func(name string) { write(t, name, "a: 2\n") })
		}, believed: "sub/c.yaml", changed: "a.yaml"},
		"intent-to-add": {do: func(t *testing.T, r *Repository) {
			command(t, r.Top, "rm", "-q", "--cached", "a.yaml")
			command(t, r.Top, "add", "--intent-to-add", "a.yaml")
		}, believed: "b.yaml sub/c.yaml"},
		"another text in the index": {do: func(t *testing.T, r *Repository) {
			write(t, filepath.Join(r.Top, "a.yaml"), "a: 2\n")
			command(t, r.Top, "add", "a.yaml")
		}, believed: "a.yaml b.yaml sub/c.yaml", changed: "a.yaml"},
		"an empty file": {do: func(t *testing.T, r *Repository) {
			write(t, filepath.Join(r.Top, "a.yaml"), "")
			command(t, r.Top, "add", "a.yaml")
		}, believed: "b.yaml sub/c.yaml", changed: "a.yaml"},
		"an index of version 4": {do: func(t *testing.T, r *Repository) {
			command(t, r.Top, "update-index", "--index-version", "4")
		}, believed: "a.yaml b.yaml sub/c.yaml"},
		"a split index": {do: func(t *testing.T, r *Repository) { command(t, r.Top, "update-index", "--split-index") }},
		"an index that ends too early": {do: func(t *testing.T, r *Repository) {
			name := filepath.Join(r.dir, "index")
			text, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(name, text[:len(text)-1], 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}},
		"a copy of the repository": {do: func(t *testing.T, r *Repository) {
			top := t.TempDir()
			if err := exec.Command("cp", "-a", r.Top+"/.", top).Run(); err != nil {
				t.Skip(err)
			}
			r.Top, r.dir = top, filepath.Join(top, Entry)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t, map[string]string{"a.yaml": text, "b.yaml": "b: 1\n", "sub/c.yaml": "c: 1\n"})
			files, err := r.Files(t.Context(), "HEAD", all)
			if err != nil {
				t.Fatal(err)
			}
			settle(t, r)
			if c.do(t, r); !c.isRacy {
				settle(t, r)
			}
			if have := believed(r, "a.yaml", "b.yaml", "sub/c.yaml", "link.yaml", "sub", "x.yaml"); have != c.believed {
				t.Errorf("believed: have %q, want %q", have, c.believed)
			}
			if have, err := r.Changed(t.Context(), files); err != nil || names(have) != c.changed {
				t.Errorf("changed: have %q, %v; want %q", names(have), err, c.changed)
			}
		})
	}
}

// keepingTime does something to a file, and sets the time of its last change to what it was.
func keepingTime(t *testing.T, r *Repository, name string, do func(name string)) {
	t.Helper()
	full := filepath.Join(r.Top, name)
	stat, err := os.Stat(full)
	if err != nil {
		t.Fatal(err)
	}
	do(full)
	if err := os.Chtimes(full, stat.ModTime(), stat.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// A file whose text git may convert is read, because git takes a converted text for unchanged.
func TestFilesThatGitMayConvertAreRead(t *testing.T) {
	needStatData(t)
	const every = "a.yaml b.yaml sub/c.yaml"
	for name, c := range map[string]struct {
		file, text string
		do         func(t *testing.T, r *Repository)
		believed   string
	}{
		"line endings":             {".gitattributes", "* text=auto\n*.bat text eol=crlf\n*.png binary diff=png\n", nil, every},
		"a filter":                 {".gitattributes", "*.yaml filter=lfs\n", nil, ""},
		"$Id$":                     {".gitattributes", "*.yaml ident\n", nil, ""},
		"an encoding":              {".gitattributes", "*.yaml working-tree-encoding=ISO-8859-1\n", nil, ""},
		"an attribute of the file": {".gitattributes", "[attr]own ident\n*.yaml own\n", nil, ""},
		"a filter in a directory":  {"sub/.gitattributes", "* filter=x\n", nil, "a.yaml b.yaml"},
		"a filter above": {"sub/.gitattributes", "[attr]x filter=x\n", func(t *testing.T, r *Repository) {
			write(t, filepath.Join(r.Top, "sub", "deep", "d.yaml"), "d: 1\n")
			command(t, r.Top, "add", "sub/deep")
		}, "a.yaml b.yaml"},
		"a filter below another directory": {"other/.gitattributes", "* filter=x\n", nil, every},
		"attributes of the git directory":  {".git/info/attributes", "* ident\n", nil, ""},
		"too many attributes":              {".gitattributes", strings.Repeat("# x\n", mostAttributes/4+1), nil, ""},
		"the most attributes":              {".gitattributes", strings.Repeat("# x\n", mostAttributes/4), nil, every},
		"a link to attributes":             {"sub/.gitattributes@", "../a.yaml", nil, "a.yaml b.yaml"},
		"attributes that are not in the tree": {".gitattributes", "* ident\n", func(t *testing.T, r *Repository) {
			command(t, r.Top, "rm", "-q", "--cached", ".gitattributes")
		}, ""},
		"attributes that only the index has": {".gitattributes", "* text\n", func(t *testing.T, r *Repository) {
			_ = os.Remove(filepath.Join(r.Top, ".gitattributes"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t, map[string]string{"a.yaml": "# $Id$\n", "b.yaml": "b: 1\n", "sub/c.yaml": "c: 1\n"})
			write(t, filepath.Join(r.Top, c.file), c.text)
			command(t, r.Top, "add", "-A")
			if c.do != nil {
				c.do(t, r)
			}
			settle(t, r)
			if have := believed(r, "a.yaml", "b.yaml", "sub/c.yaml", "sub/deep/d.yaml"); have != c.believed {
				t.Errorf("have %q, want %q", have, c.believed)
			}
		})
	}
}

// The bytes on disk count, as git has written them.
func TestAConvertedFileHasChanged(t *testing.T) {
	r := newRepository(t, map[string]string{"a.yaml": "# $Id$\n", ".gitattributes": "*.yaml ident\n"})
	files, err := r.Files(t.Context(), "HEAD", all)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(r.Top, "a.yaml"))
	command(t, r.Top, "checkout", "a.yaml")
	settle(t, r)
	if have, err := r.Changed(t.Context(), files); err != nil || names(have) != "a.yaml" {
		t.Errorf("have %q, %v", names(have), err)
	}
}

// Other ways in which git keeps a repository: hashes of 32 bytes, a linked worktree, and many names.
func TestTheIndexOfEachRepositoryIsRead(t *testing.T) {
	needStatData(t)
	list := map[string]string{}
	for i := range 300 { // in version 4, a name says how much of the previous one to drop; more than 127 bytes in two bytes
		list[strings.Repeat("d/", i%5)+"é"+strings.Repeat("n", i%230)+".yaml"] = "a: 1\n"
		list[strings.Repeat("d/", i%5)+"é"+strings.Repeat("n", i%230)+"/n.yaml"] = "a: 1\n"
	}
	r := newRepository(t, list)
	open := func(dir string) *Repository {
		t.Helper()
		top, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		other, err := Open(t.Context(), top, top)
		if err != nil {
			t.Fatal(err)
		}
		return other
	}
	linked := filepath.Join(t.TempDir(), "linked")
	command(t, r.Top, "worktree", "add", "-q", "--detach", linked)
	sha256 := t.TempDir()
	command(t, sha256, "init", "-q", "--object-format=sha256", ".")
	for name, text := range list {
		write(t, filepath.Join(sha256, name), text)
	}
	command(t, sha256, "add", "-A")
	for name, r := range map[string]*Repository{"main": r, "linked": open(linked), "sha256": open(sha256)} {
		for _, version := range []string{"2", "4"} {
			command(t, r.Top, "update-index", "--index-version", version)
			settle(t, r)
			files, err := r.Staged(t.Context())
			if err != nil || len(files) != len(list) {
				t.Fatalf("%d files, %v", len(files), err)
			}
			d := r.readStatData()
			for _, f := range files {
				if have, ok := d.object(f.Name); have != f.Object {
					t.Errorf("%s, version %s: %s: have %q, %v; want %q", name, version, f.Name, have, ok, f.Object)
				}
			}
		}
	}
}

// A damaged index is read without a panic. Part of one has no entries that are believed.
func TestADamagedIndexIsNotBelieved(t *testing.T) {
	r := newRepository(t, map[string]string{"a.yaml": "a", "b/.gitattributes": "* text", "b/é.yaml": "c", "b/éé.yaml": "d"})
	command(t, r.Top, "update-index", "--skip-worktree", "a.yaml") // extended flags
	for _, version := range []string{"3", "4"} {
		command(t, r.Top, "update-index", "--index-version", version)
		text, err := os.ReadFile(filepath.Join(r.dir, "index"))
		if err != nil {
			t.Fatal(err)
		}
		entries, attributes, ok := parseIndex(string(text))
		if !ok || len(entries) != 3 || !attributes["b/.gitattributes"] {
			t.Fatalf("version %s: have %d entries, %v", version, len(entries), ok)
		}
		for i := range text {
			if _, _, ok := parseIndex(string(text[:i])); ok {
				t.Errorf("version %s: %d bytes of %d are an index", version, i, len(text))
			}
			for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff} {
				damaged := append(bytes.Clone(text[:len(text)-sha1.Size]), make([]byte, sha1.Size)...)
				damaged[i] = b
				parseIndex(string(damaged))
			}
		}
		unknown := bytes.Clone(text)
		copy(unknown[bytes.Index(text, []byte("TREE")):], "tREE")
		for _, c := range []struct {
			text []byte
			ok   bool
		}{{text, true}, {unknown, false}} {
			withoutHash := append(bytes.Clone(c.text[:len(text)-sha1.Size]), make([]byte, sha1.Size)...) // index.skipHash
			if _, _, ok := parseIndex(string(withoutHash)); ok != c.ok {
				t.Errorf("version %s: have %v, want %v", version, ok, c.ok)
			}
		}
	}
}
