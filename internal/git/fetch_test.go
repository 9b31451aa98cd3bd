package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// remote returns a repository to fetch from, with the tag v1.0.0 at its first commit.
func remote(t *testing.T, files map[string]string) (*Repository, Remote) {
	r := newRepository(t, files)
	command(t, r.Top, "tag", "v1.0.0")
	write(t, filepath.Join(r.Top, "later.yaml"), "later")
	command(t, r.Top, "add", "-A")
	command(t, r.Top, "commit", "-q", "-m", "later")
	return r, Remote{URL: "file://" + filepath.ToSlash(r.Top), Version: "v1.0.0", Protocols: "file",
		MaxBytes: 1 << 20, MaxFile: 1 << 20, MaxTotal: 1 << 20, MaxFiles: 100}
}

func anyFile(string) bool { return true }

// fetched fetches files and lists them as NAME=TEXT.
func fetched(t *testing.T, from Remote, wanted func(string) bool) (files []string, commit string, err error) {
	t.Helper()
	commit, err = Fetch(t.Context(), from, wanted, func(name, text string) error {
		files = append(files, name+"="+text)
		return nil
	})
	return files, commit, err
}

func TestTheFilesOfATagAreFetched(t *testing.T) {
	r, from := remote(t, map[string]string{"crds/a.yaml": "a", "crds/link.yaml@": "/etc/passwd", "b.yaml": "b"})
	commit := command(t, r.Top, "rev-parse", "v1.0.0")
	for _, version := range []string{"v1.0.0", commit} {
		from.Version = version
		files, have, err := fetched(t, from, func(name string) bool { return strings.HasPrefix(name, "crds/") })
		if want := "[crds/a.yaml=a]"; err != nil || have != commit || fmt.Sprint(files) != want {
			t.Errorf("%s: %v, %s, %v; want %s", version, files, have, err, want)
		}
	}
}

func TestWhatCannotBeFetchedIsAnError(t *testing.T) {
	_, from := remote(t, map[string]string{"a.yaml": "a"})
	for _, c := range []struct {
		change func(*Remote)
		want   string
	}{
		{func(r *Remote) { r.Version = "v2.0.0" }, "couldn't find remote ref refs/tags/v2.0.0"},
		{func(r *Remote) { r.Version = "main" }, "couldn't find remote ref refs/tags/main"},
		{func(r *Remote) { r.Protocols = "" }, "transport 'file' not allowed"},
		{func(r *Remote) { r.URL, r.Protocols = "ext::sh -c 'touch pwned'", "" }, "transport 'ext' not allowed"},
		{func(r *Remote) { r.URL, r.Protocols = "http://127.0.0.1:1/r", "" }, "transport 'http' not allowed"},
		{func(r *Remote) { r.URL, r.Protocols = "ssh://127.0.0.1/r", "" }, "transport 'ssh' not allowed"},
		{func(r *Remote) { r.URL = "--upload-pack=touch pwned" }, "blocked"},
	} {
		changed := from
		c.change(&changed)
		if _, _, err := fetched(t, changed, anyFile); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", changed, err, c.want)
		}
	}
	if _, err := os.Stat("pwned"); err == nil {
		t.Error("a command was run")
	}
}

// Settings, hooks and attributes of the user and of the remote repository run nothing.
func TestFetchingRunsNothing(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "pwned")
	_, from := remote(t, map[string]string{
		".gitattributes": "* filter=evil\n", "a.yaml": "a",
		".gitmodules": "[submodule \"x\"]\n\tpath = x\n\turl = ext::touch " + marker + "\n",
	})
	home := t.TempDir()
	write(t, filepath.Join(home, "hooks", "post-checkout"), "#!/bin/sh\ntouch "+marker+"\n")
	write(t, filepath.Join(home, "hooks", "reference-transaction"), "#!/bin/sh\ntouch "+marker+"\n")
	write(t, filepath.Join(home, ".gitconfig"), "[filter \"evil\"]\n\tclean = touch "+marker+"\n\tsmudge = touch "+marker+
		"\n[core]\n\thooksPath = "+filepath.Join(home, "hooks")+"\n[init]\n\ttemplateDir = "+home+"\n")
	t.Setenv("HOME", home)
	t.Setenv("GIT_TEMPLATE_DIR", home)
	files, _, err := fetched(t, from, anyFile)
	if err != nil || len(files) != 3 {
		t.Errorf("%v, %v", files, err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a command was run")
	}
}

// git compresses: a small repository may have large files, and one object may have many names.
func TestTheFilesOfAFetchedCommitAreLimited(t *testing.T) {
	_, from := remote(t, map[string]string{"a": "aaaa", "b": "bbbb", "c": "aaaa", "link@": "a"})
	for _, c := range []struct {
		change func(*Remote)
		want   string
	}{
		{func(r *Remote) { r.MaxFile, r.MaxTotal, r.MaxFiles = 4, 8, 3 }, "[a=aaaa b=bbbb] <nil>"},
		{func(r *Remote) { r.MaxFile = 3 }, "[] a: it is larger than 3 bytes"},
		{func(r *Remote) { r.MaxTotal = 7 }, "[a=aaaa] has files of more than 0 MiB"},
		{func(r *Remote) { r.MaxFiles = 2 }, "[] has more than 2 files"},
	} {
		changed := from
		c.change(&changed)
		files, _, err := fetched(t, changed, anyFile)
		if have := fmt.Sprint(files, " ", err); have != c.want {
			t.Errorf("%+v: %s, want %s", changed, have, c.want)
		}
	}
	stop := errors.New("stop")
	if _, err := Fetch(t.Context(), from, anyFile, func(string, string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want the error of the receiver", err)
	}
}

func TestALargeRepositoryIsNotFetchedToTheEnd(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "large"), strings.Repeat("a", 2000))
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	done := make(chan struct{})
	go func() { watchSize(ctx, stop, dir, 1999); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the size is not seen")
	}
	if have := fmt.Sprint(context.Cause(ctx)); have != "has more than 0 MiB" {
		t.Error(have)
	}
	if have := sizeOf(dir); have != 2000 {
		t.Errorf("%d bytes", have)
	}
}
