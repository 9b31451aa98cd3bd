package find

import (
	"cmp"
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
	places   places
	size     int // of the texts in dirs, in bytes
	last     reached
	// lastBuild are the commands that the last build was asked about.
	lastBuild struct {
		key  string
		list []editReach
	}
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
	number           int // of the command in its text, in a build
}

// NewEdits returns the edits in a tree. It is not safe for concurrent use.
func NewEdits(t Tree) *Edits {
	return &Edits{
		tree: t, dirs: map[string]*editDir{}, trees: map[string]*editTree{}, siblings: map[string][]string{},
		places: newPlaces(t),
	}
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
		return c.isBuilt && !c.isApplied && !c.changes()
	})
	_, isApplied := among(f, Rejected{Abs: f.Abs}, near)
	return isApplied
}

// reach finds the commands near a file that may reach it.
func (e *Edits) reach(f *File, full string) *reached {
	if e.last.abs == full && e.last.isNearKnown {
		return &e.last
	}
	e.last = reached{abs: full, isNearKnown: true}
	e.last.editors, e.last.unreadNear = e.near(f, full)
	list, isCut := e.reaching(f.top, full, e.last.editors, true)
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
	list, isCut := e.reaching(f.top, at.abs, far, false)
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
func (e *Edits) reaching(top, full string, editors []*editor, isNear bool) (list []editReach, isCut bool) {
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
		mayMean := isPageOf || e.places.reach(x.names, top, full, x.path, isNear)
		for i := range x.commands {
			c := &x.commands[i]
			if c.isKustomize {
				continue
			}
			is := editReach{editCommand: c, by: x, mayMean: mayMean}
			names := count(c.names)
			if names == 0 && !(mayMean && c.changes()) {
				continue
			}
			if left -= costOfReach + names + len(c.words) + len(c.fields) + len(c.variables); left < 0 {
				return list, true
			}
			if names > 0 {
				is.isNamed = e.places.reach(c.names, top, full, x.path, isNear)
				is.mayMean = is.mayMean || slices.ContainsFunc(c.names[filepath.Base(full)], func(name string) bool {
					return (!strings.Contains(name, "/") || isPathIn(top, full, name)) && !e.places.isAnother(top, x.path, name, full)
				})
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
