// Package outputtest compares the outputs that versions of a program, such as Helm, make of the same files.
package outputtest

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Compare compares what one version makes of the files of each case in a directory. A case is an archive with these files, and
// after them the output of each version, whose name has no extension, such as helm3. If update is set, it writes the output.
func Compare(t *testing.T, dir, version string, update bool, outputOf func(files []txtar.File) string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		c, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var files []txtar.File
		isCompared := false
		for i, f := range c.Files {
			if path.Ext(f.Name) != "" {
				files = append(files, f)
			}
			if f.Name != version {
				continue
			}
			isCompared = true
			have := outputOf(files)
			if update {
				c.Files[i].Data = []byte(have)
			} else if have != string(f.Data) {
				t.Errorf("%s: have %s\nwant %s", name, have, f.Data)
			}
		}
		if !isCompared {
			t.Errorf("%s: no output of %s", name, version)
		}
		if update {
			if err := os.WriteFile(name, txtar.Format(c), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
