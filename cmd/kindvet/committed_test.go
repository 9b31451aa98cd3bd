package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// binaries are patterns of the files that may be binary or larger than mostCommitted: recorded verdicts of upstream's
// code.
var binaries = []string{
	"internal/oracle/testdata/*.jsonl.gz",
	"internal/oracle/testdata/definitions/*.jsonl.gz",
	"internal/oracle/builtin/testdata/*.jsonl.gz",
	"internal/oracle/builtin/testdata/versions/*.jsonl.gz",
	"internal/oracle/podsecurity/testdata/*.jsonl.gz",
	"internal/policy/evaluate/testdata/*.txtar.gz",
}

// mostCommitted is the maximum size of a file that is not among the binaries, in bytes. Each clone fetches every version of
// each file, even those that a later commit removes.
const mostCommitted = 1 << 20

// A built program in one commit makes each later clone larger, and the history is not rewritten. So this test also reads
// the commits that no remote branch has yet: only those can still be changed.
func TestNoBinaryAndNoLargeFileIsCommitted(t *testing.T) {
	files, ok := committed(repository)
	if !ok {
		t.Skip("not in a git repository")
	}
	faults, unused, err := rejected(repository, files, binaries)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Errorf("%s; remove it from the commit, or list it in binaries", fault)
	}
	for _, pattern := range unused {
		t.Errorf("binaries: no file matches %s; remove it", pattern)
	}
}

func TestBinariesAndLargeFilesAreRefused(t *testing.T) {
	top := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if _, err := gitIn(top, "", args...); err != nil {
			t.Fatal(err)
		}
	}
	commit := func() {
		t.Helper()
		git("add", "-A")
		git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x")
	}
	put := func(name, text string) { writeFile(t, name, text, 0o644) }
	git("init", "-q", "-b", "main", ".")
	put(filepath.Join(top, "old"), "\x7fELF\x00")
	commit()
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	git("rm", "-q", "old")
	put(filepath.Join(top, "removed"), "\x7fELF\x00\x02")
	commit()
	git("rm", "-q", "removed")
	put(filepath.Join(top, "at the limit"), strings.Repeat("a", mostCommitted))
	put(filepath.Join(top, "beyond.txt"), strings.Repeat("b", mostCommitted+1))
	put(filepath.Join(top, "a", "listed.gz"), "\x1f\x8b\x00")
	put(filepath.Join(top, "listed.gz"), "\x1f\x8b\x00\x01")
	commit()
	put(filepath.Join(top, "staged é"), strings.Repeat("a", 7999)+"\x00")
	git("add", "-A")
	files, ok := committed(top)
	if !ok {
		t.Fatal("no files are committed")
	}
	have, unused, err := rejected(top, files, []string{"a/*.gz", "b/*"})
	want := "beyond.txt: has 1048577 bytes, and the limit is 1048576|listed.gz: is binary|removed: is binary|staged é: is binary"
	if strings.Join(have, "|") != want || strings.Join(unused, "|") != "b/*" || err != nil {
		t.Errorf("have %q, unused %q, %v; want %q", have, unused, err, want)
	}
}

// committed returns the objects of all files in the git index and in the commits that no remote branch has, by name. It
// returns false outside a repository. Without remote branches, only the index counts.
func committed(top string) (objects map[string][]string, ok bool) {
	objects = map[string][]string{}
	index, err := gitIn(top, "", "ls-files", "-z", "--stage")
	if err != nil {
		return nil, false
	}
	for entry := range strings.SplitSeq(index, "\x00") { // "mode object stage<TAB>name"
		if about, name, ok := strings.Cut(entry, "\t"); ok && !strings.HasPrefix(about, "160000") {
			objects[name] = append(objects[name], strings.Fields(about)[1])
		}
	}
	if remotes, err := gitIn(top, "", "for-each-ref", "refs/remotes"); err != nil || remotes == "" {
		return objects, true
	}
	list, err := gitIn(top, "", "rev-list", "--objects", "HEAD", "--not", "--remotes")
	if err != nil {
		return objects, true // before the first commit
	}
	for line := range strings.Lines(list) { // "object name", also of directories
		if object, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "" {
			objects[name] = append(objects[name], object)
		}
	}
	return objects, true
}

// rejected returns why files must not be committed, sorted, and the patterns that no file matches.
func rejected(top string, files map[string][]string, allowed []string) (faults, unused []string, err error) {
	var names []string
	var requests strings.Builder
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		isAllowed := false
		for _, pattern := range allowed {
			if is, _ := path.Match(pattern, name); is {
				isAllowed, used[pattern] = true, true
			}
		}
		if isAllowed {
			continue
		}
		for _, object := range files[name] {
			names = append(names, name)
			requests.WriteString(object + "\n")
		}
	}
	for _, pattern := range allowed {
		if !used[pattern] {
			unused = append(unused, pattern)
		}
	}
	texts, err := gitIn(top, requests.String(), "cat-file", "--batch")
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReader(strings.NewReader(texts))
	for _, name := range names { // "object blob size", the text, and a line break
		var object, kind string
		var size int
		if _, err := fmt.Fscanf(in, "%s %s %d\n", &object, &kind, &size); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		text := make([]byte, size+1)
		if _, err := io.ReadFull(in, text); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		fault := ""
		switch {
		case kind != "blob":
		case size > mostCommitted:
			fault = fmt.Sprintf("%s: has %d bytes, and the limit is %d", name, size, mostCommitted)
		case bytes.IndexByte(text[:min(size, 8000)], 0) >= 0: // as git decides
			fault = name + ": is binary"
		}
		if fault != "" && (len(faults) == 0 || faults[len(faults)-1] != fault) {
			faults = append(faults, fault)
		}
	}
	return faults, unused, nil
}

// gitIn runs git in a directory with an input, and returns its output.
func gitIn(dir, input string, args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir, c.Stdin = dir, strings.NewReader(input)
	out, err := c.Output()
	return string(out), err
}
