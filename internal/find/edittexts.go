package find

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
)

// Limits of the texts that are read: the bytes in a directory and near a file, and the directories and bytes of a whole repository, which is
// searched for values that look like a variable. maxKeptBytes limits the memory: what is needed again is read again.
const (
	maxNearBytes = 8 << 20
	maxEditDirs  = 5_000
	maxEditBytes = 64 << 20
	maxKeptBytes = 128 << 20
)

// near returns the texts in the directory of a file, next to it, above it, and in usual places.
func (e *Edits) near(f *File, full string) (list []*editor, unread string) {
	size, dir, own := 0, filepath.Dir(full), filepath.Dir(full)
	add := func(dir string, withPrograms bool) {
		if size > maxNearBytes {
			return
		}
		in := e.in(f, dir, withPrograms)
		if size += in.size; size > maxNearBytes {
			unread = "the scripts near it have more than 8 MiB"
			return
		}
		list, unread = append(list, in.editors...), cmp.Or(unread, in.unread)
	}
	add(dir, true)
	for range maxScriptDirs {
		if dir == f.top || !disk.IsWithin(f.top, dir) {
			break
		}
		dir = filepath.Dir(dir)
		add(dir, false)
	}
	for _, name := range scriptDirs {
		// No link may lead out.
		if at := filepath.Join(f.top, filepath.FromSlash(name)); e.tree.Follow(f.top, at, at, disk.ErrLeadsOut) == nil {
			add(at, false)
		}
	}
	if above := filepath.Dir(own); disk.IsWithin(f.top, above) {
		for _, name := range e.dirsIn(above) {
			if at := filepath.Join(above, name); at != own {
				add(at, false)
			}
		}
	}
	return list, unread
}

// dirsIn returns the names of the directories in one; none if it has very many entries.
func (e *Edits) dirsIn(dir string) (names []string) {
	if names, ok := e.siblings[dir]; ok {
		return names
	}
	entries, err := e.tree.ReadDir(dir)
	if err == nil && len(entries) <= maxScripts {
		for _, d := range entries {
			if d.IsDir() {
				names = append(names, d.Name())
			}
		}
	}
	e.siblings[dir] = names
	return names
}

// all returns the texts of the repository of a file.
func (e *Edits) all(f *File) *editTree {
	if known := e.trees[f.top]; known != nil {
		return known
	}
	all := &editTree{byName: map[string][]int{}}
	left := maxEditBytes
	dirs := []string{f.top}
	for i := 0; i < len(dirs); i++ {
		if left <= 0 {
			all.unread = "the scripts have more than 64 MiB"
			break
		}
		entries, err := e.tree.ReadDir(dirs[i])
		if err != nil {
			continue
		}
		for _, d := range entries {
			name := d.Name()
			isTool := strings.HasPrefix(name, ".") && name != ".github" && name != ".taskfiles" && name != ".ci"
			if !d.IsDir() || isTool || name == "node_modules" || name == "vendor" {
				continue
			}
			if len(dirs) == maxEditDirs {
				all.unread = "the repository has more than 5,000 directories"
				break
			}
			dirs = append(dirs, filepath.Join(dirs[i], name))
		}
		in := e.in(f, dirs[i], false)
		all.editors, all.unread, left = append(all.editors, in.editors...), cmp.Or(all.unread, in.unread), left-in.size
	}
	for i, x := range all.editors {
		for name := range x.names {
			all.byName[name] = append(all.byName[name], i)
		}
	}
	e.trees[f.top] = all
	return all
}

// in returns the texts in a directory. Programs count next to a file only.
func (e *Edits) in(f *File, dir string, withPrograms bool) *editDir {
	key := dir
	if withPrograms {
		key += "\x00"
	}
	if known := e.dirs[key]; known != nil {
		return known
	}
	in := &editDir{}
	entries, err := e.tree.ReadDir(dir)
	read := 0
	for _, d := range entries {
		isTaken := isScript(dir, d.Name()) || withPrograms && isProgram(d.Name())
		if err != nil || !d.Type().IsRegular() || !isTaken {
			continue
		}
		full := filepath.Join(dir, d.Name())
		if read == maxScripts {
			in.unread = diag.Quote(f.NameOf(dir)) + " has more than 100 scripts and pages"
			break
		}
		read++
		text, err := e.tree.Read(full, disk.Kustomization)
		if err != nil {
			// A program without an extension is often larger.
			if filepath.Ext(full) != "" && isLarge(e.tree, full) {
				in.unread = diag.Quote(f.NameOf(full)) + " has more than 1 MiB"
			}
			continue
		}
		if in.size+len(text) > maxNearBytes {
			in.unread = "the scripts in " + diag.Quote(f.NameOf(dir)) + " have more than 8 MiB"
			break
		}
		in.size += len(text)
		x, isCut := newEditor(full, text)
		if x != nil {
			in.editors = append(in.editors, x)
		}
		if isCut {
			in.unread = diag.Quote(f.NameOf(full)) + " has more than 1,000 commands"
		}
	}
	if e.size += in.size; e.size > maxKeptBytes {
		clear(e.dirs)
		e.size = in.size
	}
	e.dirs[key] = in
	return in
}

func isProgram(name string) bool {
	switch filepath.Ext(name) {
	case ".py", ".rb", ".pl", ".js", ".mjs", ".ts", ".ps1", ".go":
		return true
	}
	return false
}
