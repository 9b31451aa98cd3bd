package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A contributor adds a kind, a rule, formats and a flag as docs/contributing.md describes. Each archive in
// testdata/contributing has the commands of its section, and the files and edits of the contributor. They run in a
// copy of the repository. The name of an edit is a file and "after: TEXT" or "replace: TEXT", for a line that contains
// the text or for the text itself.
func TestTheStepsForContributorsWork(t *testing.T) {
	if !*long {
		t.Skip("takes minutes; needs -long")
	}
	archives, err := filepath.Glob(filepath.Join(repository, "testdata", "contributing", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	page := readFile(t, filepath.Join(repository, "docs", "contributing.md"))
	copied := t.TempDir()
	copyRepository(t, copied)
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				contribute(t, copied, f)
			}
			for line := range strings.Lines(string(archive.Comment)) {
				if strings.HasPrefix(line, "go ") {
					follow(t, copied, strings.TrimSpace(line), page)
				}
			}
		})
	}
}

// copyRepository copies the files that git tracks, without the modules that have upstream's code.
func copyRepository(t *testing.T, to string) {
	t.Helper()
	for _, name := range tracked(t) {
		if strings.HasPrefix(name, "internal/oracle/") || strings.HasPrefix(name, "testdata/contributing/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(repository, name))
		if os.IsNotExist(err) {
			continue // removed, but not yet in a commit
		}
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(to, name), string(text), 0o644)
	}
}

// contribute adds a file or edits one.
func contribute(t *testing.T, dir string, f txtar.File) {
	t.Helper()
	name, text, isAfter := strings.Cut(f.Name, " after: ")
	isReplace := false
	if !isAfter {
		name, text, isReplace = strings.Cut(f.Name, " replace: ")
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	if !isAfter && !isReplace {
		writeFile(t, file, string(f.Data), 0o644)
		return
	}
	have := readFile(t, file)
	before, after, ok := strings.Cut(have, text)
	if !ok {
		t.Fatalf("%s does not contain %q", name, text)
	}
	added := strings.TrimSuffix(string(f.Data), "\n")
	if isAfter {
		line, rest, _ := strings.Cut(after, "\n")
		added, after = text+line+"\n"+added, "\n"+rest
	}
	writeFile(t, file, before+added+after, 0o644)
}

// follow runs a command that the page shows. kindvet may have findings.
func follow(t *testing.T, dir, line, page string) {
	t.Helper()
	if !strings.Contains(page, line+"\n") {
		t.Errorf("the page does not have the command %s", line)
	}
	c := exec.Command("sh", "-c", line)
	c.Dir = dir
	out, code := call(t, c)
	if code != 0 && !(strings.HasPrefix(line, "go run ") && strings.Contains(out, "exit status 1")) {
		t.Errorf("%s: exit code %d:\n%s", line, code, out)
	}
}
