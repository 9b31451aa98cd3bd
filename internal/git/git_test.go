package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newRepository makes a repository of one commit, in a directory of its own, with the given files; a name that ends
// with "@" is a link.
func newRepository(t *testing.T, files map[string]string) *Repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(top, name), text)
	}
	command(t, top, "init", "-q", "-b", "main", ".")
	command(t, top, "add", "-A")
	command(t, top, "commit", "-q", "--allow-empty", "-m", "base")
	r, err := Open(t.Context(), top, top)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	err := os.WriteFile(name, []byte(text), 0o755)
	if link, ok := strings.CutSuffix(name, "@"); ok {
		err = errors.Join(os.Remove(name), os.Symlink(text, link))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func all(string) bool { return true }

func names(files []File) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

func TestFilesOfACommitAndOfTheIndex(t *testing.T) {
	r := newRepository(t, map[string]string{"b/x.yaml": "x", "b.yaml": "b", "line\nbreak.yaml": "n", "link@": "b.yaml"})
	commit, err := r.Commit(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.Files(t.Context(), commit, all)
	if have, want := names(files), "b.yaml b/x.yaml line\nbreak.yaml link"; err != nil || have != want {
		t.Errorf("have %q, %v, want %q", have, err, want)
	}
	staged, err := r.Staged(t.Context())
	if err != nil || !slices.Equal(staged, files) {
		t.Errorf("the index has %v, %v, the commit %v", staged, err, files)
	}
	var texts []string
	err = r.Read(t.Context(), append(files, files[0]), func(f File, text string) { texts = append(texts, text) })
	if have, want := strings.Join(texts, " "), "b x n b.yaml b"; err != nil || have != want {
		t.Errorf("have %q, %v, want %q", have, err, want)
	}
	if _, err := r.Commit(t.Context(), "nothere"); !errors.Is(err, ErrNoCommit) {
		t.Errorf("have %v, want %v", err, ErrNoCommit)
	}
	if _, err := r.Commit(t.Context(), "HEAD:b.yaml"); !errors.Is(err, ErrNoCommit) {
		t.Errorf("a file is not a commit: have %v, want %v", err, ErrNoCommit)
	}
}

func TestChanged(t *testing.T) {
	texts := map[string]string{
		"a": "a\nb\n", "crlf": "a\nb\n", "gone": "", "link@": "a", "file": "a", "other": "a", "toolink@": "a", "kept@": "a",
		"dir": "a",
	}
	r := newRepository(t, texts)
	files, err := r.Files(t.Context(), "HEAD", all)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gone", "link", "file", "toolink", "dir"} {
		if err := os.Remove(filepath.Join(r.Top, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"crlf": "a\r\nb\r\n", "link@": "other", "file@": "a", "other": "b", "toolink": "b", "dir/x": "",
	} {
		write(t, filepath.Join(r.Top, name), text)
	}
	changed, err := r.Changed(t.Context(), files)
	if have, want := names(changed), "dir file gone link other toolink"; err != nil || have != want {
		t.Errorf("have %q, %v, want %q", have, err, want)
	}
	command(t, r.Top, "add", "other")
	changed, err = r.ChangedInIndex(t.Context(), files)
	if have, want := names(changed), "other"; err != nil || have != want {
		t.Errorf("index: have %q, %v, want %q", have, err, want)
	}
}

func TestLimits(t *testing.T) {
	r := newRepository(t, map[string]string{"a.yaml": "12345"})
	listing := int64(len("100644 blob 7310a7bf33c4b4aa56ba8d3e4ba7d2b6bbd0f0a8\ta.yaml\x00"))
	r.limits = limits{listing: listing, text: 5, compared: 5}
	files, err := r.Files(t.Context(), "HEAD", all)
	if err != nil || len(files) != 1 {
		t.Fatalf("have %v, %v", files, err)
	}
	if err := r.Read(t.Context(), files, func(File, string) {}); err != nil {
		t.Error(err)
	}
	if changed, err := r.Changed(t.Context(), files); err != nil || len(changed) != 0 {
		t.Errorf("have %v, %v, want no change", changed, err)
	}
	r.limits = limits{listing: listing - 1, text: 4, compared: 4}
	if _, err := r.Files(t.Context(), "HEAD", all); err == nil || !strings.Contains(err.Error(), "are longer than") {
		t.Errorf("have %v", err)
	}
	if err := r.Read(t.Context(), files, func(File, string) {}); err == nil ||
		err.Error() != "a.yaml: it is larger than 4 bytes" {
		t.Errorf("have %v", err)
	}
	if changed, err := r.Changed(t.Context(), files); err != nil || len(changed) != 1 {
		t.Errorf("have %v, %v, want a change: the file is too large to compare", changed, err)
	}
}

func TestAnEndedRunReturnsAtOnce(t *testing.T) {
	r := newRepository(t, nil)
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, err := r.Commit(ctx, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit: have %v", err)
	}
	if _, _, err := r.MergeBase(ctx, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("MergeBase: have %v", err)
	}
	if _, err := r.Changed(ctx, []File{{Name: "x"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Changed: have %v", err)
	}
	if _, err := r.Staged(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Staged: have %v", err)
	}
}

func TestMergeBase(t *testing.T) {
	r := newRepository(t, nil)
	base := command(t, r.Top, "rev-parse", "HEAD")
	command(t, r.Top, "commit", "-q", "--allow-empty", "-m", "more")
	if have, ok, err := r.MergeBase(t.Context(), base); have != base || !ok || err != nil {
		t.Errorf("have %q, %v, %v, want %q", have, ok, err, base)
	}
	command(t, r.Top, "checkout", "-q", "--orphan", "alone")
	command(t, r.Top, "commit", "-q", "--allow-empty", "-m", "alone")
	if have, ok, err := r.MergeBase(t.Context(), base); ok || err != nil {
		t.Errorf("have %q, %v, %v, want none", have, ok, err)
	}
}

func TestTheNamesOfAFile(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "x")
	r := newRepository(t,
		map[string]string{"a/x": "", "one@": "two", "two@": filepath.Join("a", "x"), "lost@": "nothere", "a/up@": "../one",
			"loop@": "loop", "out@": outside, "above@": filepath.Join("..", "x")})
	for name, want := range map[string]string{
		"a/x": "a/x", "one": "one two a/x", "lost": "lost nothere", "a/up": "a/up one two a/x", "new": "new",
	} {
		if have, ok := r.Names(name); strings.Join(have, " ") != want || !ok {
			t.Errorf("%s: have %q, %v, want %q", name, have, ok, want)
		}
	}
	for _, name := range []string{"loop", "out", "above"} {
		if have, ok := r.Names(name); ok {
			t.Errorf("%s: have %q, want none", name, have)
		}
	}
}

func TestWhichNamesAreTracked(t *testing.T) {
	for _, name := range []string{"a", "a/b", ".gitignore", "a/.github/b", "...", "a b"} {
		if !isTracked(name) {
			t.Errorf("%q is not tracked", name)
		}
	}
	for _, name := range []string{
		"", ".", "/a", "../a", "a/../b", "a/..", "a//b", "./a", "a/", ".git/config", "a/.git", "a/.GIT/b",
	} {
		if isTracked(name) {
			t.Errorf("%q is tracked", name)
		}
	}
}

func TestTheIndexOfAHook(t *testing.T) {
	r, other := newRepository(t, nil), newRepository(t, nil)
	lock := filepath.Join(r.Top, Entry, "index.lock")
	elsewhere := filepath.Join(t.TempDir(), "index")
	for _, test := range []struct{ dir, index, gitDir, want string }{
		{r.Top, "", "", ""},
		{r.Top, ".git/index.lock", "", lock},
		{r.Top, lock, "", lock},
		{r.Top, lock, r.dir, lock},
		{r.Top, elsewhere, "", elsewhere},
		{r.Top, elsewhere, ".git", elsewhere},
		{r.Top, elsewhere, other.dir, ""},
		{other.Top, lock, "", lock},
		{other.Top, ".git/index.lock", "", ""},
		{other.Top, elsewhere, "", ""},
		{filepath.Dir(elsewhere), ".git/index", "", ""},
		{filepath.Dir(elsewhere), lock, "", lock},
	} {
		t.Setenv("GIT_INDEX_FILE", test.index)
		t.Setenv("GIT_DIR", test.gitDir)
		if have := indexFile(test.dir, r.Top, r.dir); have != test.want {
			t.Errorf("GIT_INDEX_FILE=%s GIT_DIR=%s in %s: have %q, want %q", test.index, test.gitDir, test.dir, have, test.want)
		}
	}
}

func TestTheScopeOfARun(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	for _, top := range []string{"work/a", "work/a/sub", "work/a/sub/sub", "work/b"} {
		write(t, at(top+"/.git/HEAD"), "")
	}
	for _, test := range []struct {
		here, named, file string
		want              Location
	}{
		{"work/a", "work/a", "work/a/x", Location{at("work/a"), "x", ""}},
		{"work/a", "work/a", "work/a/not/there/x", Location{at("work/a"), "not/there/x", ""}},
		{"work/a", "work/a", "work/a/sub/x", Location{at("work/a"), "sub/x", at("work/a/sub")}},
		{"work/a", "work/a/sub", "work/a/sub/x", Location{at("work/a"), "sub/x", at("work/a/sub")}},
		{"work/a", "work/a", "work/a/sub/sub/x", Location{at("work/a"), "sub/sub/x", at("work/a/sub")}},
		{"work/a/sub", "work/a/sub", "work/a/sub/x", Location{at("work/a/sub"), "x", ""}},
		{"work/b", "work/a/sub", "work/a/sub/x", Location{at("work/a/sub"), "x", ""}},
		{"work/b", "work/a", "work/a/sub/x", Location{at("work/a"), "sub/x", at("work/a/sub")}},
		{"work", "work", "work/a/x", Location{at("work/a"), "x", ""}},
		{"work", "work", "work/a/sub/x", Location{at("work/a"), "sub/x", at("work/a/sub")}},
	} {
		if err := os.MkdirAll(at(test.here), 0o755); err != nil {
			t.Fatal(err)
		}
		s := NewScope(at(test.here), []string{at(test.named)})
		if have, err := s.Locate(at(test.file)); err != nil || have != test.want {
			t.Errorf("%+v: have %+v, %v", test, have, err)
		}
		if have, err := s.LocateDir(at("work/b")); err != nil || (have != Location{at("work/b"), ".", ""}) {
			t.Errorf("a top: have %+v, %v", have, err)
		}
		if have, err := s.Locate(at("x")); err == nil {
			t.Errorf("a file in none: have %+v", have)
		}
	}
}

// The working tree is as good as the objects if it has the same bytes. Other files are not, and are not waited for.
func TestATextIsReadWhereItIsFoundFirst(t *testing.T) {
	r := newRepository(t, map[string]string{
		"same.yaml": "a: 1\n", "crlf.yaml": "b: 1\n", "other.yaml": "c: 1\n", "gone.yaml": "d: 1\n", "empty.yaml": "",
		"large.yaml": "e: 123456789\n", "link.yaml": "f: 1\n", "link@": "same.yaml", "copy.yaml": "a: 1\n",
	})
	files, err := r.Staged(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(r.Top, "crlf.yaml"), "b: 1\r\n")
	write(t, filepath.Join(r.Top, "other.yaml"), "c: 2\n")
	write(t, filepath.Join(r.Top, "copy.yaml"), "a: 2\n")
	err = errors.Join(os.Remove(filepath.Join(r.Top, "gone.yaml")), os.Remove(filepath.Join(r.Top, "link.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(r.Top, "link.yaml@"), "same.yaml")
	r.limits.compared = int64(len("a: 1\n"))
	if have := len(r.readTree(t.Context(), files)); have != 1 {
		t.Errorf("%d texts are read in the working tree, want that of same.yaml", have)
	}
	have := ""
	err = r.Read(t.Context(), files, func(f File, text string) { have += f.Name + "=" + text + " " })
	want := "copy.yaml=a: 1\n crlf.yaml=b: 1\n empty.yaml= gone.yaml=d: 1\n large.yaml=e: 123456789\n link=same.yaml " +
		"link.yaml=f: 1\n other.yaml=c: 1\n same.yaml=a: 1\n "
	if err != nil || have != want {
		t.Errorf("have %q, %v; want %q", have, err, want)
	}
}
