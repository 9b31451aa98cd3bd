package find

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/kindvet/kindvet/internal/git"
)

// treeOf returns a tree of texts in git. Those that start with an arrow are links.
func treeOf(texts map[string]string) *gitTree {
	s := &gitTree{byName: map[string]git.File{}, texts: map[string]string{}, loaded: map[string]bool{}}
	for name, text := range texts {
		isLink := len(text) > 1 && text[:1] == ">"
		if isLink {
			text = text[1:]
		}
		s.byName[name], texts[name] = git.File{Name: name, Object: name, IsLink: isLink}, text
	}
	s.read = func(files []git.File, found func(git.File, string)) error {
		for _, f := range files {
			found(f, texts[f.Name])
		}
		return nil
	}
	s.compare = func([]git.File) ([]git.File, error) { return nil, nil }
	s.differing = func() ([]git.File, error) { return nil, nil }
	return s
}

func TestAGitTreeFollowsLinksToFilesOnly(t *testing.T) {
	s := treeOf(map[string]string{
		"a/b.yaml": "text", "a/link": ">b.yaml", "up": ">a/b.yaml", "away": ">../b.yaml", "twice": ">a/link", "dir": ">a",
	})
	for name, want := range map[string]error{
		"a/b.yaml": nil, "a/link": nil, "up": nil, "away": errNotFollowed, "twice": errNotFollowed, "dir": errNotFollowed,
		"other": fs.ErrNotExist,
	} {
		text, err := s.text(name)
		if !errors.Is(err, want) || err == nil && text != "text" {
			t.Errorf("%s: have %q, %v", name, text, err)
		}
	}
}

func TestAChangeOfAnInputMatters(t *testing.T) {
	const top = "/repository"
	was := treeOf(map[string]string{"a.yaml": "", "b.yaml": "", "gone.env": "", "chart/templates/a.yaml": ""})
	was.Tree, was.tops = Disk{}, []inGit{{top, "."}}
	was.entries = map[string][]fs.DirEntry{"chart": {fs.FileInfoToDirEntry(gitInfo{"templates", fs.ModeDir})},
		"chart/templates": {fs.FileInfoToDirEntry(gitInfo{"a.yaml", 0})}}
	tree := &Revision{Tree: was, commits: []*commit{
		{&repository{seen: top}, was, map[string]bool{"b.yaml": true, "gone.env": true, "chart/templates/a.yaml": true}},
	}}
	now := NewOverlay(Disk{})
	for _, name := range []string{"a.yaml", "b.yaml", "new.yaml"} {
		now.Set(top+"/"+name, "a text")
	}
	for _, c := range []struct {
		of   Inputs
		want bool
	}{
		{Inputs{}, false},
		{Inputs{Files: []string{"a.yaml"}, Missing: []string{"never.env"}, Directories: []string{"charts"}}, false},
		{Inputs{Files: []string{"a.yaml", "b.yaml"}}, true},
		{Inputs{Files: []string{"a.yaml", "new.yaml"}}, true},
		{Inputs{Missing: []string{"gone.env"}}, true},
		{Inputs{Directories: []string{"chart"}}, true},
	} {
		if have := !tree.AreSame(c.of, &File{top: top}, now); have != c.want {
			t.Errorf("%v: have %t", c.of, have)
		}
	}
}

// A kustomization may read thousands of files that the working tree does not have. git is run once for each directory.
func TestAGitTreeReadsTheFilesOfADirectoryAtOnce(t *testing.T) {
	s := treeOf(map[string]string{"a.txt": "a", "b.txt": "b", "c.txt": "c", "d/e.txt": "e"})
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "d/e.txt"} {
		s.files = append(s.files, s.byName[name])
	}
	read, count := s.read, 0
	s.read = func(files []git.File, found func(git.File, string)) error {
		count++
		return read(files, found)
	}
	s.compare = func(files []git.File) ([]git.File, error) { return files, nil }
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "d/e.txt"} {
		if text, err := s.text(name); err != nil || text+".txt" != name[len(name)-5:] {
			t.Errorf("%s: have %q, %v", name, text, err)
		}
	}
	if count != 2 {
		t.Errorf("git was run %d times", count)
	}
}
