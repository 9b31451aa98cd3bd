package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// find finds the files to check: on disk, or in the index of git.
func (f *finder) find() (*search, error) {
	if !f.options.Staged {
		return f.findFiles(f.options.Paths)
	}
	files, failures, err := stagedFiles(f.options.Paths)
	if err != nil {
		return nil, fmt.Errorf("--staged: %w", err)
	}
	s := &search{finder: f, seen: map[string]bool{}, failures: failures}
	for _, file := range files {
		if err := s.staged(file); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// staged adds a file of the index, unless it is one that a search of the work tree would pass over.
func (s *search) staged(f file) error {
	full, err := filepath.Abs(f.name)
	if err != nil {
		return err
	}
	here, err := s.at(filepath.Dir(full))
	if err != nil {
		return err
	}
	f.settings = here.settings
	isNamed := slices.ContainsFunc(s.options.Paths, func(path string) bool { return filepath.Clean(path) == filepath.Clean(f.name) })
	if isNamed && !s.options.ForceExclude && !isConfig(full) {
		s.add(f)
		return nil
	}
	out, err := s.leavesOutBelow(full, false)
	switch {
	case err != nil:
		return err
	case out || isConfig(full) || isInChart(full):
		s.leftOut++
	default:
		s.add(f)
	}
	return nil
}

// stagedFiles finds what the paths name in the index of git: a file, the manifests below a folder, or those that a glob matches. Whether
// the work tree has them makes no difference.
func stagedFiles(paths []string) (files []file, failures []error, err error) {
	indexes := map[string][]string{}
	seen := map[string]bool{}
	for _, path := range paths {
		if path == "-" {
			return nil, nil, fmt.Errorf("standard input is not in the index")
		}
		root, err := filepath.Abs(fixedPart(path))
		if err != nil {
			return nil, nil, err
		}
		top, err := topLevel(root, indexes)
		if err != nil {
			return nil, nil, err
		}
		if _, ok := indexes[top]; !ok {
			if indexes[top], err = readIndex(top); err != nil {
				return nil, nil, err
			}
		}
		found, err := matchIndex(top, path, indexes[top])
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			failures = append(failures, fmt.Errorf("%s: not in the index", path))
		}
		for _, f := range found {
			if !seen[filepath.Clean(f.name)] {
				seen[filepath.Clean(f.name)] = true
				files = append(files, f)
			}
		}
	}
	return files, failures, nil
}

// fixedPart returns the part of a path in front of the first sign of a glob.
func fixedPart(path string) string {
	if i := strings.IndexAny(path, "*?[{"); i >= 0 {
		return filepath.Dir(path[:i] + "x")
	}
	return path
}

// readIndex lists the files of the index, with slashes: no links, no submodules, and nothing that is in conflict.
func readIndex(top string) ([]string, error) {
	out, err := git(top, nil, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	var names []string
	for entry := range strings.SplitSeq(string(out), "\x00") { // mode, object and stage, a tab, name
		mode, name, _ := strings.Cut(entry, "\t")
		if strings.HasPrefix(mode, "100") && strings.HasSuffix(mode, " 0") {
			names = append(names, name)
		}
	}
	return names, nil
}

// matchIndex picks the files that a path names, and reads them.
func matchIndex(top, path string, index []string) ([]file, error) {
	absolute, err := filepath.Abs(fixedPart(path))
	if err != nil {
		return nil, err
	}
	at, err := nameIn(top, absolute)
	if err != nil {
		return nil, err
	}
	pattern := ""
	if fixedPart(path) != path {
		rest, err := filepath.Rel(fixedPart(path), path)
		if err != nil {
			return nil, err
		}
		pattern = filepath.ToSlash(rest)
	}
	byName := map[string]string{} // what the report calls a file
	var names []string
	for _, name := range index {
		below, inside := below(name, at)
		reported := filepath.Join(fixedPart(path), filepath.FromSlash(below))
		switch {
		case name == at && pattern == "":
			reported = path
		case !inside, pattern == "" && (!isManifest(name) || hidden(below)):
			continue
		case pattern != "":
			if ok, err := doublestar.Match(pattern, below); err != nil || !ok {
				continue
			}
		}
		names = append(names, name)
		byName[name] = reported
	}
	var files []file
	err = readBlobs(top, "", names, func(name, text string) { files = append(files, file{name: byName[name], text: &text}) })
	return files, err
}

// below returns the part of a name that follows a folder; "." is the folder of all.
func below(name, folder string) (string, bool) {
	if folder == "." {
		return name, true
	}
	return strings.CutPrefix(name, folder+"/")
}

// hidden says whether a file or a folder of its path is hidden.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }
