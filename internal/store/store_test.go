package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/source"
)

// crd returns a CRD whose schema has a description.
func crd(group, plural, description string) string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[2]s.%[1]s
spec:
  group: %[1]s
  names: {kind: Widget, plural: %[2]s}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, description: %[3]s}
`, group, plural, description)
}

// onDisk is the tree of the operating system.
type onDisk struct{}

func (onDisk) Lstat(path string) (fs.FileInfo, error)       { return os.Lstat(path) }
func (onDisk) ReadDir(path string) ([]fs.DirEntry, error)   { return os.ReadDir(path) }
func (onDisk) Read(path string, u disk.Use) (string, error) { return disk.Read(path, u) }

func split(t *testing.T, text string) ([]CRD, []string) {
	t.Helper()
	return Split(&source.Source{Name: "in.yaml", Text: text})
}

// added returns a store to which two sources have been added.
func added(t *testing.T) Store {
	t.Helper()
	dir := t.TempDir()
	s := Store{Base: dir, Name: dir, Tree: onDisk{}}
	one, problems := split(t, crd("example.com", "widgets", "a")+"---\n"+crd("example.com", "gadgets", "a"))
	if len(one) != 2 || len(problems) > 0 {
		t.Fatal(one, problems)
	}
	two, _ := split(t, crd("example.org", "things", "a"))
	for name, crds := range map[string][]CRD{"one": one, "two": two} {
		if _, err := s.Add(Source{Name: name, Version: "v1.0.0"}, crds); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func names(t *testing.T, s Store) string {
	t.Helper()
	var list []string
	filepath.WalkDir(s.Base, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			below, _ := filepath.Rel(s.Base, name)
			list = append(list, filepath.ToSlash(below))
		}
		return nil
	})
	return strings.Join(list, " ")
}

func TestWhatIsAddedIsRead(t *testing.T) {
	s := added(t)
	want := ".kindvet/schemas/example.com/gadgets.yaml .kindvet/schemas/example.com/widgets.yaml " +
		".kindvet/schemas/example.org/things.yaml .kindvet/schemas.lock"
	if have := names(t, s); have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	files, err := s.Load()
	if err != nil || len(files.Files) != 3 || files.Files[0].Text != crd("example.com", "gadgets", "a") {
		t.Errorf("Load() = %v, %v", files, err)
	}
	lock, err := os.ReadFile(s.name(lockPath))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"version: 1", `- source: "one"`, `  version: "v1.0.0"`,
		"    example.org/things.yaml: sha256:" + hashOf(crd("example.org", "things", "a"))} {
		if !strings.Contains(string(lock), line+"\n") {
			t.Errorf("the lock file does not have %q:\n%s", line, lock)
		}
	}
}

func TestAddingASourceAgainReplacesItsFiles(t *testing.T) {
	s := added(t)
	before, _ := os.ReadFile(s.name(lockPath))
	only, _ := split(t, crd("example.com", "widgets", "b"))
	change, err := s.Add(Source{Name: "one", Version: "v2.0.0"}, only)
	if err != nil || change.Written != 1 || change.Removed != 1 || len(change.Moved) > 0 {
		t.Errorf("%+v, %v", change, err)
	}
	if have := names(t, s); strings.Contains(have, "gadgets") {
		t.Error(have)
	}
	// The order of additions is not in the lock file.
	both, _ := split(t, crd("example.com", "widgets", "a")+"---\n"+crd("example.com", "gadgets", "a"))
	if _, err := s.Add(Source{Name: "one", Version: "v1.0.0"}, both); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(s.name(lockPath)); string(after) != string(before) {
		t.Errorf("have %s\nwant %s", after, before)
	}
}

func TestAFileBelongsToTheSourceThatWasAddedLast(t *testing.T) {
	s := added(t)
	again, _ := split(t, crd("example.org", "things", "b"))
	change, err := s.Add(Source{Name: "three"}, again)
	if err != nil || fmt.Sprint(change) != "{1 0 [two]}" {
		t.Errorf("%+v, %v", change, err)
	}
	if lock, err := s.ReadLock(); err != nil || len(lock.Sources) != 2 {
		t.Errorf("%+v, %v", lock, err)
	}
	if _, err := s.Load(); err != nil {
		t.Error(err)
	}
}

func TestRemovedSourcesTakeTheirFilesAlong(t *testing.T) {
	s := added(t)
	if change, ok, err := s.Remove("one"); !ok || err != nil || change.Removed != 2 {
		t.Error(change, ok, err)
	}
	if have, want := names(t, s), ".kindvet/schemas/example.org/things.yaml .kindvet/schemas.lock"; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	if _, ok, err := s.Remove("one"); ok || err != nil {
		t.Error("a source that does not exist is removed", err)
	}
	if _, ok, err := s.Remove("two"); !ok || err != nil {
		t.Error(err)
	}
	if files, err := s.Load(); err != nil || len(files.Files) > 0 {
		t.Error(files, err)
	}
}

func TestEachChangeIsAFault(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(base string) error
		file   string
		want   string
	}{
		{"a changed byte", func(base string) error {
			return os.WriteFile(base+"/example.com/widgets.yaml", []byte(crd("example.com", "widgets", "b")), 0o644)
		}, "example.com/widgets.yaml", "has changed since it was added"},
		{"a line break at the end", func(base string) error {
			return os.WriteFile(base+"/example.com/widgets.yaml", []byte(crd("example.com", "widgets", "a")+"\n"), 0o644)
		}, "example.com/widgets.yaml", "has changed since it was added"},
		{"a removed file", func(base string) error { return os.Remove(base + "/example.com/widgets.yaml") },
			"example.com/widgets.yaml", "is in the lock file, but does not exist"},
		{"a new file", func(base string) error { return os.WriteFile(base+"/more.yml", nil, 0o644) },
			"more.yml", "is not in the lock file"},
		{"a file that is a link to a file with the same text", func(base string) error {
			file := base + "/example.com/widgets.yaml"
			if err := os.Rename(file, base+"/elsewhere"); err != nil {
				return err
			}
			return os.Symlink(base+"/elsewhere", file)
		}, "example.com/widgets.yaml", "is a symbolic link, which is not followed"},
		{"a directory that is a link", func(base string) error {
			if err := os.Rename(base+"/example.org", base+"/../elsewhere"); err != nil {
				return err
			}
			return os.Symlink("../elsewhere", base+"/example.org")
		}, "example.org/things.yaml", "is a symbolic link, which is not followed"},
		{"a file that is a directory", func(base string) error {
			if err := os.Remove(base + "/example.org/things.yaml"); err != nil {
				return err
			}
			return os.Mkdir(base+"/example.org/things.yaml", 0o755)
		}, "example.org/things.yaml", "cannot be read: is a directory; a schema file must be a regular file"},
	} {
		s := added(t)
		if err := c.change(s.Schemas()); err != nil {
			t.Fatal(err)
		}
		content, err := s.Read()
		if err != nil || len(content.Faults) == 0 {
			t.Errorf("%s: no fault; %v", c.name, err)
			continue
		}
		want := filepath.Join(s.Schemas(), filepath.FromSlash(c.file)) + ": " + c.want
		if have := content.Faults[0].String(); have != want {
			t.Errorf("%s: %s, want %s", c.name, have, want)
		}
		if _, err := s.Load(); err == nil || err.Error() != want+"; see 'kindvet schemas check'" {
			t.Errorf("%s: Load() = %v", c.name, err)
		}
	}
}

func TestFilesThatAreNotSchemasAreNotFaults(t *testing.T) {
	s := added(t)
	if err := os.WriteFile(filepath.Join(s.Schemas(), "README.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(); err != nil {
		t.Error(err)
	}
}

// A directory or lock file that leads elsewhere is neither read nor written.
func TestLinksAreNotFollowed(t *testing.T) {
	for _, name := range []string{Directory, schemasPath, lockPath} {
		s := added(t)
		link, elsewhere := s.name(name), filepath.Join(t.TempDir(), "elsewhere")
		if err := os.Rename(link, elsewhere); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, link); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(); err == nil || !strings.Contains(err.Error(), link+": is a symbolic link") {
			t.Errorf("%s: Load: %v", name, err)
		}
		crds, _ := split(t, crd("example.net", "widgets", "a"))
		if _, err := s.Add(Source{Name: "three"}, crds); err == nil {
			t.Errorf("%s: Add writes through the link", name)
		}
	}
	s := added(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(s.Schemas(), "example.net")); err != nil {
		t.Fatal(err)
	}
	crds, _ := split(t, crd("example.net", "widgets", "a"))
	if _, err := s.Add(Source{Name: "three"}, crds); err == nil {
		t.Error("Add writes into a directory that is a link")
	}
	if list, _ := os.ReadDir(outside); len(list) > 0 {
		t.Errorf("%v was written outside", list)
	}
}

func TestALockFileThatIsEditedIsRejected(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	files := func(line string) string {
		return "version: 1\nsources:\n- source: a\n  files:\n    " + line + "\n"
	}
	for _, c := range []struct{ text, want string }{
		{"", "is not a lock file"},
		{"- a", "is not a lock file"},
		{"sources: []", "must have version: 1"},
		{"version: 2\nsources: []", "must have version: 1"},
		{"version: 1", "line 1: sources must be a list"},
		{"version: 1\nsources: []\nmore: 1", `line 3: unknown field "more"`},
		{"version: 1\nsources: []\n---\nversion: 1", "has more than one document"},
		{"version: [", "line 1: "},
		{"version: 1\nsources: [a]", "line 2: a source must be an object"},
		{
			"version: 1\nsources: [{source: b, files: {}}, {source: a, files: {}}]",
			"line 2: sources must have names, in alphabetical order",
		},
		{
			"version: 1\nsources: [{source: a, files: {}}, {source: a, files: {}}]",
			"line 2: sources must have names, in alphabetical order",
		},
		{
			"version: 1\nsources: [{source: a, files: {}}, {source: b, files: {}, more: 1}]",
			`line 2: unknown field "more"`,
		},
		{"version: 1\nsources: [{files: {}}]", "line 2: sources must have names"},
		{"version: 1\nsources: [{source: 1, files: {}}]", "line 2: source must be a string"},
		{"version: 1\nsources: [{source: a}]", "line 2: files must be an object"},
		{files("../../x.yaml: sha256:" + sum), "line 5: \"../../x.yaml\" is not GROUP/PLURAL.yaml"},
		{files("a/../x.yaml: sha256:" + sum), "is not GROUP/PLURAL.yaml"},
		{files("/etc/x.yaml: sha256:" + sum), "is not GROUP/PLURAL.yaml"},
		{files("x.yaml: sha256:" + sum), "is not GROUP/PLURAL.yaml"},
		{files("a/b/x.yaml: sha256:" + sum), "is not GROUP/PLURAL.yaml"},
		{files("example.com/x.yaml: sha256:" + sum[1:]), "line 5: must be sha256: and 64 hexadecimal digits"},
		{files("example.com/x.yaml: " + sum), "line 5: must be sha256: and 64 hexadecimal digits"},
		{files("example.com/x.yaml: sha256:" + strings.ToUpper(sum)), "line 5: must be sha256: and 64 hexadecimal digits"},
		{
			files("example.com/x.yaml: sha256:" + sum + "\n- source: b\n  files:\n    example.com/x.yaml: sha256:" + sum),
			"two sources have",
		},
	} {
		if _, err := parseLock(&source.Source{Text: c.text}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := parseLock(&source.Source{Text: files("example.com/x.yaml: sha256:" + sum)}); err != nil {
		t.Error(err)
	}
}

// Names are quoted, so a path or URL cannot add a line.
func TestALockIsReadAsItWasWritten(t *testing.T) {
	lock := Lock{[]Source{
		{Name: "a\n- source: b", Version: "1.20", From: `https://example.com/"x"`, Commit: "0e1",
			Files: []File{{"example.com/x.yaml", strings.Repeat("0", 64)}}},
		{Name: "ü \t#"},
	}}
	if _, err := parseLock(&source.Source{Text: lock.text()}); err == nil {
		t.Fatal("a source without files is read")
	}
	lock.Sources[1].Files = []File{{"example.com/y.yaml", strings.Repeat("1", 64)}}
	have, err := parseLock(&source.Source{Text: lock.text()})
	if err != nil || fmt.Sprint(have) != fmt.Sprint(lock) {
		t.Errorf("%v\nhave %v\nwant %v", err, have, lock)
	}
	if have, err = parseLock(&source.Source{Text: Lock{}.text()}); err != nil || len(have.Sources) > 0 {
		t.Error(have, err)
	}
}

// sameText is a tree in which each schema has the same text.
type sameText struct {
	onDisk
	lock, text string
}

func (s sameText) Read(_ string, u disk.Use) (string, error) {
	if u == disk.Lock {
		return s.lock, nil
	}
	return s.text, nil
}

func TestTheSizeOfAllFilesTogetherIsLimited(t *testing.T) {
	text := strings.Repeat("x", 32<<20)
	lock := func(files int) string {
		source := Source{Name: "a"}
		for i := range files {
			source.Files = append(source.Files, File{fmt.Sprintf("example.com/x%02d.yaml", i), hashOf(text)})
		}
		return Lock{[]Source{source}}.text()
	}
	const most = maxBytes / (32 << 20)
	dir := t.TempDir()
	for _, files := range []int{most, most + 1} {
		_, err := Store{Base: dir, Name: dir, Tree: sameText{lock: lock(files), text: text}}.Read()
		if isOver := files > most; isOver != (err != nil && strings.Contains(err.Error(), "has more than 512 MiB")) {
			t.Errorf("%d files of 32 MiB: have %v", files, err)
		}
	}
}

func TestTheLockFileKeepsThatNobodyHasChosenTheVersion(t *testing.T) {
	lock := Lock{Sources: []Source{
		{Name: "a", Version: "v1", IsNewest: true, Files: []File{{"example.com/as.yaml", strings.Repeat("0", 64)}}},
		{Name: "b//example.com", Version: "v1", Files: []File{{"example.com/bs.yaml", strings.Repeat("0", 64)}}},
	}}
	read, err := parseLock(&source.Source{Name: "lock", Text: lock.text()})
	if err != nil || !read.Sources[0].IsNewest {
		t.Fatalf("%+v, %v", read, err)
	}
	if _, err := parseLock(&source.Source{Text: strings.Replace(lock.text(), "newest: true", "newest: false", 1)}); err == nil {
		t.Error("newest: false is allowed")
	}
	for i, want := range []string{"a@v1", "b@v1//example.com"} {
		if have := lock.Sources[i].String(); have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}
