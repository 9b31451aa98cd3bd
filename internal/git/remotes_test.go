package git

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
)

func TestRemotesAreReadFromTheGitDirectory(t *testing.T) {
	files := map[string]string{
		"/r/.git/config": "[core]\n\turl = no\n[remote \"origin\"]\n\tURL = https://example.com/a\n\tpushurl = no\n" +
			"[remote \"../x\"]\nurl=\"git@example.com:b\"\n[branch \"main\"]\n\turl = no\n",
		"/r/.git/HEAD":                     "ref: refs/heads/work/a\n",
		"/r/.git/refs/remotes/origin/HEAD": "ref: refs/remotes/origin/develop\n",
		"/r/.git/refs/remotes/x/HEAD":      "ref: refs/remotes/../x/no\n",
	}
	read := func(name string) (string, error) {
		if text, ok := files[filepath.ToSlash(name)]; ok {
			return text, nil
		}
		return "", fs.ErrNotExist
	}
	r := RemotesOf("/r", read)
	if want := []string{"https://example.com/a", "git@example.com:b"}; !slices.Equal(r.URLs, want) {
		t.Errorf("have %q, want %q", r.URLs, want)
	}
	if want := []string{"develop", "work/a"}; !slices.Equal(r.Branches, want) {
		t.Errorf("have %q, want %q", r.Branches, want)
	}
	files["/r/.git/HEAD"] = "0123456789012345678901234567890123456789\n"
	if r = RemotesOf("/r", read); len(r.Branches) != 1 {
		t.Errorf("a commit is not a branch: %q", r.Branches)
	}
	if r = RemotesOf("/other", read); len(r.URLs)+len(r.Branches) > 0 {
		t.Errorf("have %+v", r)
	}
}
