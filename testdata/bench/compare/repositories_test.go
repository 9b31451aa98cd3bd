package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRepositoriesAreTheDirectoriesThatAreNotHidden(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"zebra", "ärger", "apple/inner", ".cache"} {
		makeDir(t, filepath.Join(dir, name))
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for only, want := range map[string][]string{
		"":   {"apple", "zebra", "ärger"},
		"^ä": {"ärger"},
	} {
		have, err := repositoriesIn(dir, regexp.MustCompile(only))
		if err != nil || !slices.Equal(have, want) {
			t.Errorf("-work %q: have %q and error %v, want %q", only, have, err, want)
		}
	}
	if have, err := repositoriesIn(dir, regexp.MustCompile("inner|file|cache")); err == nil {
		t.Errorf("have %q, want an error", have)
	}
}

func TestThereIsALimitOfRepositories(t *testing.T) {
	dir := t.TempDir()
	for i := range maxRepositories {
		makeDir(t, filepath.Join(dir, fmt.Sprint(i)))
	}
	if have, err := repositoriesIn(dir, regexp.MustCompile("")); err != nil || len(have) != maxRepositories {
		t.Errorf("have %d and error %v, want all %d", len(have), err, maxRepositories)
	}
	makeDir(t, filepath.Join(dir, "more"))
	if _, err := repositoriesIn(dir, regexp.MustCompile("")); err == nil {
		t.Errorf("no error for %d repositories", maxRepositories+1)
	}
	if _, err := repositoriesIn(dir, regexp.MustCompile("more")); err != nil {
		t.Errorf("-work chooses one of them, but there is an error: %v", err)
	}
}

// The script takes the place of both programs. It has findings in one of two repositories. A link there leads nowhere.
func TestEachProgramRunsInsideARepositoryAndIsAskedForDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs scripts")
	}
	dir := t.TempDir()
	makeDir(t, filepath.Join(dir, "bad"))
	makeDir(t, filepath.Join(dir, "good"))
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "bad", "link")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "script")
	programs := []tool{{name: "now", program: program}, {name: "old", program: program}}
	for name, want := range map[string]int{"bad": 1, "good": 0} {
		r, err := newRepositoryWork(programs, dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if r.commit != "not git" || !slices.Equal(r.documents, []int{12, 12}) || r.tasks[1].exit != want {
			t.Errorf("%s: have commit %q, documents %v, exit code %d; want %d", name, r.commit, r.documents,
				r.tasks[1].exit, want)
		}
		m, err := r.measure(2, dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.runs) != 2 || len(m.runs[0]) != 2 || len(m.runs[1]) != 2 {
			t.Errorf("%s: have runs %v, want two of each program", name, m.runs)
		}
	}
	makeDir(t, filepath.Join(dir, "broken"))
	if _, err := newRepositoryWork(programs, dir, "broken"); err == nil || !strings.Contains(err.Error(), "cannot work") {
		t.Errorf("have error %v, want that of the program", err)
	}
}

const script = `#!/bin/sh
case "$PWD" in
*/broken) echo cannot work >&2; exit 2;;
esac
[ "$1 $2" = "validate ." ] || exit 3
[ "$3" != --output ] || echo '{"summary": {"documents": 12}}'
case "$PWD" in
*/bad) exit 1;;
esac
`

func TestARowHasTheLeastTimeOfEachProgram(t *testing.T) {
	w := work{name: "group/repository", tasks: []task{{tool: tool{name: "kindvet"}}, {tool: tool{name: "kindvet-old"}}}}
	r := repositoryWork{work: w, commit: "0123456789ab", documents: []int{2015, 999}}
	m := measured{work: w, runs: [][]run{
		{{cpu: 3 * time.Second, peak: 1 << 20}, {cpu: 2 * time.Second, peak: 3 << 20}, {cpu: 4 * time.Second, peak: 2 << 20}},
		{{cpu: 5 * time.Second, peak: 9 << 20}, {cpu: 6 * time.Second, peak: 9 << 20}, {cpu: 7 * time.Second, peak: 9 << 20}},
	}}
	var have strings.Builder
	r.writeRows(&have, m)
	want := `| group/repository | 0123456789ab | kindvet | 2,015 | 2.00 | 2.00 | 1 |
|  |  | kindvet-old | 999 | 5.00 | 9.00 | 2.50 |
`
	if have.String() != want {
		t.Errorf("have\n%swant\n%s", have.String(), want)
	}
}

func makeDir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
}
