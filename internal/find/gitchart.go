package find

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
)

// chartFiles are the files of a chart in the git index or in a commit, or why they cannot be read.
type chartFiles struct {
	list  []chart.File
	tests []chart.File // values for tests
	err   error
}

// gitTexts holds texts of the git index or of a commit, by name. links holds the targets of those that are links to
// other files of the repository.
type gitTexts struct {
	texts, links map[string]string
}

// readBelow reads the files below directories, and the files that links among them lead to. files are all files of the
// index or commit.
func readBelow(ctx context.Context, r *git.Repository, files []git.File, dirs []string) (*gitTexts, error) {
	t := &gitTexts{map[string]string{}, map[string]string{}}
	byName := make(map[string]git.File, len(files))
	var below, linked []git.File
	for _, f := range files {
		byName[f.Name] = f
		if slices.ContainsFunc(dirs, func(dir string) bool { _, ok := belowIn(f.Name, dir); return ok }) {
			below = append(below, f)
		}
	}
	err := r.Read(ctx, below, func(f git.File, text string) {
		t.texts[f.Name] = text
		if target := path.Join(path.Dir(f.Name), text); f.IsLink {
			t.links[f.Name] = target
			if at, ok := byName[target]; ok && !at.IsLink {
				linked = append(linked, at)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return t, r.Read(ctx, linked, func(f git.File, text string) { t.texts[f.Name] = text })
}

// chart returns the files of the chart in a directory, without those that its .helmignore excludes. shown is the
// directory in the report. A chart with a link to a directory, or out of the repository, cannot be read.
func (t *gitTexts) chart(dir, shown string) *chartFiles {
	var list []chart.File
	ignores := chart.ParseIgnores("")
	size := 0
	for _, name := range slices.Sorted(maps.Keys(t.texts)) {
		rest, ok := belowIn(name, dir)
		if !ok {
			continue
		}
		text := t.texts[name]
		if target, isLink := t.links[name]; isLink {
			if text, ok = t.texts[target]; !ok || t.links[target] != "" {
				return unreadableChart(join(shown, rest), errNotFollowed)
			}
		}
		if rest == chart.IgnoreFile {
			ignores = chart.ParseIgnores(text)
		}
		size += len(text)
		switch {
		case len(list) == chart.MaxFiles:
			return unreadableChart(shown, errTooMany)
		case size > chart.MaxChart || int64(len(text)) > disk.Chart.Limit():
			return unreadableChart(shown, errTooLarge)
		}
		list = append(list, chart.File{Name: rest, Text: strings.TrimPrefix(text, "\ufeff")})
	}
	steps := 0
	for _, f := range list {
		steps += ignores.Steps(f.Name) * (strings.Count(f.Name, "/") + 1)
	}
	if steps > maxIgnoreSteps {
		return unreadableChart(join(shown, chart.IgnoreFile), errIgnores)
	}
	tests := slices.DeleteFunc(slices.Clone(list), func(f chart.File) bool { return !chart.IsTestValues(f.Name) })
	return &chartFiles{list: ignores.Select(list), tests: tests}
}

var errNotFollowed = errors.New("is a symbolic link; in git, only links to files of the repository are followed")

func unreadableChart(name string, err error) *chartFiles {
	return &chartFiles{err: &fs.PathError{Op: "read", Path: name, Err: err}}
}
