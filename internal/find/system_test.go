package find

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// strict is a tree in which, as on Windows, no name contains a character of globs: to ask for one is an error, but not
// that the file does not exist.
type strict struct{ Disk }

var errInvalidName = errors.New("the filename, directory name, or volume label syntax is incorrect")

func (t strict) Stat(path string) (fs.FileInfo, error) {
	if strings.ContainsAny(path, `*?<>|"`) {
		return nil, &fs.PathError{Op: "CreateFile", Path: path, Err: errInvalidName}
	}
	return t.Disk.Stat(path)
}

func TestAGlobIsFoundWhereItCannotBeAName(t *testing.T) {
	root := tree(t, map[string]string{"a.yaml": "", "sub/b.yaml": ""})
	for pattern, want := range map[string]string{"**/*.yaml": "a.yaml sub/b.yaml", "?.yaml": "a.yaml", "*.json": ""} {
		files, failures := All(Base{Dir: root, Tree: strict{}}, []string{pattern})
		var have []string
		for _, f := range files {
			have = append(have, f.Name)
		}
		if strings.Join(have, " ") != want {
			t.Errorf("%s: have %q, want %q", pattern, have, want)
		}
		if (want == "") != (len(failures) == 1 && failures[0].Error() == pattern+": no file matches") {
			t.Errorf("%s: %v", pattern, failures)
		}
	}
}

// Reports have slashes on all systems, however a path is typed.
func TestNamesHaveSlashes(t *testing.T) {
	root := tree(t, map[string]string{"deploy/sub/a.yaml": "", "deploy/sub/b.yaml": ""})
	for _, path := range []string{
		"deploy", "deploy/*/?.yaml", filepath.Join("deploy", "sub"), filepath.Join(".", "deploy", "sub", "a.yaml"), root,
	} {
		files, failures := All(OnDisk(root), []string{path})
		if len(files) == 0 || len(failures) != 0 {
			t.Errorf("%s: %v, %v", path, files, failures)
		}
		for _, f := range files {
			if strings.Contains(f.Name, `\`) || !strings.HasSuffix(f.Name, "deploy/sub/a.yaml") &&
				!strings.HasSuffix(f.Name, "deploy/sub/b.yaml") {
				t.Errorf("%s: the name is %s", path, f.Name)
			}
			if name := OnDisk(root).Name(f.Abs); strings.Contains(name, `\`) {
				t.Errorf("%s: the name is %s", f.Abs, name)
			}
		}
	}
}

// Windows limits a path to 260 characters unless a program asks for more, and macOS to 1024 bytes.
func TestLongPathsAreRead(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, filepath.Join(strings.Split(strings.Repeat("a-directory-with-a-long-name/", 15), "/")...))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("a: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	files, failures := All(OnDisk(root), []string{"."})
	if len(files) != 1 || len(failures) != 0 {
		t.Fatal(files, failures)
	}
	if src, err := files[0].Source(Disk{}, 0, false); err != nil || src.Text != "a: 1\n" {
		t.Error(src, err)
	}
}
