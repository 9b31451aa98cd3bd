package find

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
)

// Edits finds out what scripts, programs and pages change in the files of a tree before these are deployed. They are looked
// for only if a file has an error, so a valid repository costs nothing.
//
// A command reaches a file that it names. Whether it changes a value is seen from what it replaces: the word of 's/HOST/x/', a
// variable of envsubst, the field of yq. So neither a word nor a script hides an error alone. Decide anew if public
// repositories have commands that change a file without naming it or its directory.
type Edits struct {
	tree  Tree
	dirs  map[string]*editDir
	trees map[string]*editTree // all of a repository, by top
	// siblings are the directories in a directory, unless there are very many.
	siblings map[string][]string
	size     int // of the texts in dirs, in bytes
	last     reached
}

// editDir is what was read in a directory.
type editDir struct {
	editors []*editor
	size    int    // of all texts, in bytes
	unread  string // why not all was read
}

// editTree is what was read in a repository.
type editTree struct {
	editors []*editor
	byName  map[string][]int // indexes of those that have a path with such a last part
	unread  string
}

// reached is what reaches the last file that was asked about: a file may have thousands of findings.
type reached struct {
	abs                     string
	editors                 []*editor
	near, far               []editReach
	unreadNear, unreadFar   string
	isNearKnown, isFarKnown bool
}

// editReach is a command that may reach a file.
type editReach struct {
	*editCommand
	by *editor
	// isNamed means that it names the file, and mayMean that its text does, so a special word means the file.
	isNamed, mayMean bool
}

// NewEdits returns the edits in a tree. It is not safe for concurrent use.
func NewEdits(t Tree) *Edits {
	return &Edits{tree: t, dirs: map[string]*editDir{}, trees: map[string]*editTree{}, siblings: map[string][]string{}}
}

// Limits of the commands that are read: for each text, and for each file their words and paths, and costOfReach for each command. Each
// finding is compared with these words. What is not read changes nothing: the error stays, and [Edits.Of] tells. Measure
// scripts of public repositories before you change a limit.
const (
	maxEdits       = 1_000
	maxEditsOfFile = 10_000
	costOfReach    = 5
)

// Edit is what something changes in a file. By is the name of the text in reports.
type Edit struct{ By, Of string }

// Rejected is a value that the server would reject as it is: its text, its path in the object, and the absolute path of
// its file. IsVariable means that it looks like a variable.
type Rejected struct {
	Text, Path, Abs string
	IsVariable      bool
}

// Of returns what changes a rejected value of a file, or of what a file builds. unread says why not all that may
// change it was read; "" if all was.
func (e *Edits) Of(f *File, r Rejected) (found Edit, ok bool, unread string) {
	if f.top == "" || !disk.IsWithin(f.top, r.Abs) {
		return Edit{}, false, ""
	}
	at := e.reach(f, r.Abs)
	found, isApplied := among(f, r, at.near)
	if found.Of != "" || isApplied || !r.IsVariable {
		return found, found.Of != "", at.unreadNear
	}
	e.reachFar(f)
	found, isApplied = among(f, r, at.far)
	return found, found.Of != "" && !isApplied, cmp.Or(at.unreadNear, at.unreadFar)
}

// IsApplied reports whether a script near a file that is in no kustomization sends it to a server.
func (e *Edits) IsApplied(f *File) bool {
	if f.top == "" {
		return false
	}
	near := slices.DeleteFunc(slices.Clone(e.reach(f, f.Abs).near), func(c editReach) bool {
		return c.isBuilt && !c.isApplied && !c.changes() || c.isOfSibling(f.Abs)
	})
	_, isApplied := among(f, Rejected{Abs: f.Abs}, near)
	return isApplied
}

// isOfSibling reports whether a command in a directory next to that of a file names a file of the same name, which is another.
func (c editReach) isOfSibling(full string) bool {
	dir, own, base := filepath.Dir(c.by.path), filepath.Dir(full), filepath.Base(full)
	return dir != own && filepath.Dir(dir) == filepath.Dir(own) &&
		slices.ContainsFunc(c.names[base], func(name string) bool { return path.Clean(name) == base })
}

// reach finds the commands near a file that may reach it.
func (e *Edits) reach(f *File, full string) *reached {
	if e.last.abs == full && e.last.isNearKnown {
		return &e.last
	}
	e.last = reached{abs: full, isNearKnown: true}
	e.last.editors, e.last.unreadNear = e.near(f, full)
	list, isCut := reaching(f.top, full, e.last.editors, true)
	if e.last.near = list; isCut {
		e.last.unreadNear = "the scripts are too large"
	}
	return &e.last
}

// reachFar finds the commands elsewhere that may reach the last file.
func (e *Edits) reachFar(f *File) {
	at := &e.last
	if at.isFarKnown {
		return
	}
	at.isFarKnown = true
	all := e.all(f)
	near := make(map[string]bool, len(at.editors))
	for _, x := range at.editors {
		near[x.path] = true
	}
	var numbers []int
	for _, key := range keysOf(f.top, at.abs) {
		numbers = append(numbers, all.byName[key]...)
	}
	slices.Sort(numbers)
	var far []*editor
	for _, i := range slices.Compact(numbers) {
		if x := all.editors[i]; !near[x.path] {
			far = append(far, x)
		}
	}
	list, isCut := reaching(f.top, at.abs, far, false)
	if at.far, at.unreadFar = list, all.unread; isCut {
		at.unreadFar = "the scripts are too large"
	}
}

// keysOf returns the last parts of the paths that may be that of a file.
func keysOf(top, full string) []string {
	base := filepath.Base(full)
	keys := append([]string{base}, patternsOf(base)...)
	for at := filepath.Dir(full); at != top && disk.IsWithin(top, at); at = filepath.Dir(at) {
		keys = append(keys, filepath.Base(at))
	}
	return keys
}

// reaching returns the commands that may reach a file. isCut means that there are more.
func reaching(top, full string, editors []*editor, isNear bool) (list []editReach, isCut bool) {
	keys := keysOf(top, full)
	count := func(names map[string][]string) (n int) {
		for _, key := range keys {
			n += len(names[key])
		}
		return n
	}
	left := maxEditsOfFile
	for _, x := range editors {
		isPageOf := x.isPage && filepath.Dir(x.path) == filepath.Dir(full)
		names := count(x.names)
		if !isPageOf && names == 0 {
			continue
		}
		if left -= names; left < 0 {
			return list, true
		}
		mayMean := isPageOf || reaches(x.names, top, full, x.path, isNear)
		for i := range x.commands {
			c := &x.commands[i]
			is := editReach{editCommand: c, by: x, mayMean: mayMean}
			names := count(c.names)
			if names == 0 && !(mayMean && c.changes()) {
				continue
			}
			if left -= costOfReach + names + len(c.words) + len(c.fields) + len(c.variables); left < 0 {
				return list, true
			}
			if names > 0 {
				is.isNamed = reaches(c.names, top, full, x.path, isNear)
				is.mayMean = is.mayMean || c.names[filepath.Base(full)] != nil
			}
			if is.isNamed || is.mayMean {
				list = append(list, is)
			}
		}
	}
	return list, false
}

// among returns the first change by one of some commands. isApplied means that one of them sends the file to a server as it is.
func among(f *File, r Rejected, commands []editReach) (first Edit, isApplied bool) {
	var changed *editor // commands of a text follow each other
	for i := range commands {
		c := &commands[i]
		if (c.isApplied || c.isBuilt) && c.isNamed && changed != c.by && !c.changes() {
			return Edit{}, true
		}
		if !c.changes() || first.Of != "" {
			continue
		}
		if of, isSpecial := c.of(r); of != "" && (c.isNamed || isSpecial && c.mayMean) {
			first = Edit{f.NameOf(c.by.path), of}
		}
		if c.isNamed && c.isInPlace {
			changed = c.by
		}
	}
	return first, isApplied
}

// reaches reports whether one of some paths may be that of a file: one with its name and directory, a pattern in its
// directory, or the directory. Without a directory, a path means a file near the text.
func reaches(names map[string][]string, top, full, by string, isNear bool) bool {
	dir, base := filepath.Base(filepath.Dir(full)), filepath.Base(full)
	isDir := func(above string) bool {
		last := path.Base(above)
		if strings.ContainsAny(last, "${}*") {
			return isNear
		}
		return last == dir && (isNear || strings.Contains(above, "/") && isPathIn(top, filepath.Dir(full), above))
	}
	for _, name := range names[base] {
		if above, _ := path.Split(name); above == "" || above == "./" {
			if isNear {
				return true
			}
		} else if isDir(path.Clean(above)) {
			return true
		}
	}
	for _, pattern := range patternsOf(base) {
		for _, name := range names[pattern] {
			if above, _ := path.Split(name); above == "" || above == "./" {
				if filepath.Dir(by) == filepath.Dir(full) {
					return true
				}
			} else if isDir(path.Clean(above)) {
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
			} else if strings.Contains(name, "/") && isPathIn(top, at, name) {
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
			return i > 0 && strings.ContainsAny(is, "${}~") || i > 1 || is == ".." || is == "."
		}
	}
	return true
}
