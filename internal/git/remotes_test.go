package git

import (
	"io/fs"
	"maps"
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

func TestRemotesOfAGitDirectoryElsewhere(t *testing.T) {
	remote := "[remote \"origin\"]\n\turl = https://example.com/a\n"
	linked := map[string]string{
		"/w/.git":                          "gitdir: ../r/.git/worktrees/w\n",
		"/r/.git/worktrees/w/commondir":    "../..\n",
		"/r/.git/worktrees/w/gitdir":       "../../../../w/.git\n",
		"/r/.git/worktrees/w/HEAD":         "ref: refs/heads/work\n",
		"/r/.git/config":                   remote,
		"/r/.git/HEAD":                     "ref: refs/heads/no\n",
		"/r/.git/refs/remotes/origin/HEAD": "ref: refs/remotes/origin/develop\n",
	}
	submodule := map[string]string{
		"/w/.git":                  "gitdir: ../r/.git/modules/w\n",
		"/r/.git/modules/w/config": "[core]\n\tworktree = ../../../../w\n" + remote,
		"/r/.git/modules/w/HEAD":   "ref: refs/heads/work\n",
	}
	planted := map[string]string{
		"/w/.git": "gitdir: x\n", "/w/x/commondir": "../../r/.git\n", "/w/x/gitdir": "../.git\n", "/r/.git/config": remote,
	}
	for _, c := range []struct {
		name         string
		files        map[string]string
		change, text string
		want         []string
	}{
		{"a linked worktree", linked, "", "", []string{"develop", "work"}},
		{"that of another worktree", linked, "/r/.git/worktrees/w/gitdir", "../../../../x/.git\n", nil},
		{"a common directory elsewhere", linked, "/r/.git/worktrees/w/commondir", "../../../../other/.git\n", nil},
		{"a git directory on another machine", linked, "/w/.git", "gitdir: //r/.git/worktrees/w\n", nil},
		{"a common directory on another machine", linked, "/r/.git/worktrees/w/commondir", "//r/.git\n", nil},
		{"a git directory outside of its repository", planted, "", "", nil},
		{"a submodule", submodule, "", "", []string{"work"}},
		{"a git directory that does not point back", submodule, "/r/.git/modules/w/config", remote, nil},
		{"no git directory", submodule, "/w/.git", "/r/.git/modules/w\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := maps.Clone(c.files)
			if c.change != "" {
				files[c.change] = c.text
			}
			r := RemotesOf("/w", func(name string) (string, error) {
				if text, ok := files[filepath.ToSlash(name)]; ok {
					return text, nil
				}
				return "", fs.ErrNotExist
			})
			if !slices.Equal(r.Branches, c.want) || (len(r.URLs) > 0) != (c.want != nil) {
				t.Errorf("have %+v, want the branches %q", r, c.want)
			}
		})
	}
}
