package find

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
)

// places compares the paths in texts with those of files. It knows which other files exist.
type places struct {
	tree   Tree
	exists map[string]bool
}

// maxPlaces limits the memory: what is needed again is looked up again.
const maxPlaces = 100_000

func newPlaces(t Tree) places { return places{t, map[string]bool{}} }

// isAnother reports whether a path in a text means another file or directory than the one at full, however they end: it exists next
// to the text or in the top of the repository. A path with a variable may be any.
func (p *places) isAnother(top, by, name, full string) bool {
	if strings.ContainsAny(name, "${}*~") {
		return false
	}
	is := false
	for _, root := range [...]string{filepath.Dir(by), top} {
		at := filepath.Join(root, filepath.FromSlash(name))
		if at == full {
			return false
		}
		is = is || disk.IsWithin(top, at) && p.has(at)
	}
	return is
}

func (p *places) has(full string) bool {
	has, ok := p.exists[full]
	if !ok {
		if len(p.exists) == maxPlaces {
			clear(p.exists)
		}
		_, err := p.tree.Stat(full)
		has = err == nil
		p.exists[full] = has
	}
	return has
}

// reach reports whether one of some paths may be that of a file: one with its name and directory, a pattern in its
// directory, or the directory. Without a directory, a path means a file near the text.
func (p *places) reach(names map[string][]string, top, full, by string, isNear bool) bool {
	dir, base := filepath.Base(filepath.Dir(full)), filepath.Base(full)
	isDir := func(above string) bool {
		last := path.Base(above)
		if strings.ContainsAny(last, "${}*") {
			return isNear
		}
		return last == dir && (isNear || strings.Contains(above, "/")) && isPathIn(top, filepath.Dir(full), above)
	}
	for _, name := range names[base] {
		above, _ := path.Split(name)
		is := isNear
		if above != "" && above != "./" {
			is = isDir(path.Clean(above))
		}
		if is && !p.isAnother(top, by, name, full) {
			return true
		}
	}
	for _, pattern := range patternsOf(base) {
		for _, name := range names[pattern] {
			if above, _ := path.Split(name); above == "" || above == "./" {
				if filepath.Dir(by) == filepath.Dir(full) {
					return true
				}
			} else if isDir(path.Clean(above)) && !p.isAnother(top, by, above, filepath.Dir(full)) {
				return true
			}
		}
	}
	for at := filepath.Dir(full); at != top && disk.IsWithin(top, at); at = filepath.Dir(at) {
		for _, name := range names[filepath.Base(at)] {
			if dir, isDir := strings.CutSuffix(name, "/"); isDir {
				if at == filepath.Dir(full) && (at == filepath.Join(top, dir) || at == filepath.Join(filepath.Dir(by), dir)) {
					return true
				}
			} else if strings.Contains(name, "/") && isPathIn(top, at, name) && !p.isAnother(top, by, name, at) {
				return true
			}
		}
		if !isNear && at != filepath.Dir(full) {
			break
		}
	}
	return false
}

// patternsOf returns the patterns of files that match a name.
func patternsOf(base string) []string { return []string{"*", "*" + filepath.Ext(base), "*.y*ml", "**"} }

// isPathIn reports whether a path in a text, which has a directory, may be one in a repository: they end in the same way.
func isPathIn(top, full, name string) bool {
	below, err := filepath.Rel(top, full)
	if err != nil {
		return false
	}
	have, want := strings.Split(path.Clean(name), "/"), strings.Split(filepath.ToSlash(below), "/")
	for i := range min(len(have), len(want)) {
		is := have[len(have)-1-i]
		if is != want[len(want)-1-i] {
			return i > 0 && strings.ContainsAny(is, "${}~") || is == ".." || is == "."
		}
	}
	return true
}
