package workspace

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/gitops"
)

// generated returns the sources that the generators of an ApplicationSet make of a template. Those that other generators make are
// not known: only a path without statements is followed then.
func (f *follower) generated(file *find.File, s *gitops.Source) (list []gitops.Source) {
	for _, element := range s.Generated.Elements {
		list = append(list, s.For(element))
	}
	if file.IsBelowTop() {
		for _, dir := range f.directoriesOf(file, s) {
			list = append(list, s.In(dir))
		}
	}
	if len(list) == 0 {
		list = append(list, s.For(nil))
	}
	return list
}

// maxListed is how many directories are read to find those of git generators, in a run. Public repositories have some dozens in the
// directory of a pattern, which is one.
const maxListed = 20_000

// directoriesOf returns the directories that a git generator selects. Each part of a pattern matches the name of one.
func (f *follower) directoriesOf(file *find.File, s *gitops.Source) (list []string) {
	known := map[string]bool{}
	for _, p := range s.Generated.Directories {
		if p.IsExcluded {
			continue
		}
		name, ok := gitops.Clean(p.Path)
		if !ok {
			continue
		}
		at := []string{"."}
		for part := range strings.SplitSeq(name, "/") {
			at = f.below(file, at, part)
		}
		for _, dir := range at {
			if !known[dir] && s.Generated.HasDirectory(dir) {
				known[dir] = true
				list = append(list, dir)
			}
		}
	}
	if f.listed > maxListed && !f.isListCut {
		f.isListCut = true
		f.plan.notes = append(f.plan.notes, notFollowed(&deployed{Source: *s}))
	}
	return list
}

// below returns the directories in some directories whose names match a part of a pattern.
func (f *follower) below(file *find.File, dirs []string, part string) (list []string) {
	if part == "." {
		return dirs
	}
	for _, dir := range dirs {
		if !strings.ContainsAny(part, "*?[\\") {
			list = append(list, path.Join(dir, part))
			continue
		}
		if f.listed++; f.listed > maxListed {
			return list
		}
		entries, err := f.plan.found.Tree.ReadDir(filepath.Join(file.Top(), filepath.FromSlash(dir)))
		if err != nil {
			continue
		}
		for _, d := range entries {
			if isMatch, err := path.Match(part, d.Name()); err == nil && isMatch && d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
				list = append(list, path.Join(dir, d.Name()))
			}
		}
	}
	return list
}

// maxMatching is how many directories a path with a variable may mean. A public repository has nine clusters.
const maxMatching = 30

// matching returns the sources of a Kustomization of Flux whose path has variables that another one replaces, such as
// ./apps/${ENVIRONMENT}/base: the directories that the path may mean. If the file of the object is in a directory with the name of
// a variable part, such as clusters/prod, that decides.
func (f *follower) matching(file *find.File, s gitops.Source) (list []deployed) {
	name, ok := gitops.Clean(s.Path)
	if !ok || !file.IsBelowTop() {
		return nil
	}
	all := []string{"."}
	parts := strings.Split(name, "/")
	for _, part := range parts {
		all = f.below(file, all, pathVariable().ReplaceAllLiteralString(strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(part), "*"))
	}
	own := strings.Split(file.InTop(file.Abs), "/")
	isOwn := func(dir string) bool {
		for i, part := range strings.Split(dir, "/") {
			if part != parts[i] && !slices.Contains(own, part) {
				return false
			}
		}
		return true
	}
	if slices.ContainsFunc(all, isOwn) {
		all = slices.DeleteFunc(all, func(dir string) bool { return !isOwn(dir) })
	}
	if len(all) > maxMatching {
		s.At.Detach()
		f.plan.notes = append(f.plan.notes, diag.Violation{
			Rule: diag.ReaderLimit, Severity: diag.Warning, Place: s.At,
			Message: fmt.Sprintf("what this object deploys is not checked: its path may mean %d directories, at most %d allowed", len(all), maxMatching),
			Help:    "check fewer directories in a run",
		})
		return nil
	}
	for _, dir := range all {
		one := s
		one.Path = dir
		one.AddUnknownVariables()
		list = append(list, deployed{Source: one, file: file})
	}
	return list
}

// pathVariable matches a variable in a path.
var pathVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{[^{}]*\}`) })
