package find

import (
	"cmp"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/disk"
)

// kustomizeEdit matches a command that changes the kustomization in the working directory: what it sets, or adds.
var kustomizeEdit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bkustomize\b\S*\s+edit\s+(?:set|add)\s+(\w+)`)
})

// changesDirectory matches a command, or the field of a workflow, that sets the working directory of those that follow.
var changesDirectory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:(?:^|[\s;&|(@'"])(cd|pushd|popd)\b|\b(working-directory|dir|workdir):)[ \t]*["']?([^\s"';&|]*)`)
})

// setFields are the fields of objects that 'kustomize edit set' and 'add' change, as those of [editCommand].
var setFields = map[string][]string{
	"namespace": {".namespace", "namespace"}, "nameprefix": {".name", "namePrefix"}, "namesuffix": {".name", "nameSuffix"},
	"image": {".image", "images"}, "replica": {".replicas", "replicas"},
	"label": {".labels", "metadata.labels", "labels", "commonLabels"}, "annotation": {".annotations", "metadata.annotations", "commonAnnotations"},
}

// builtDirectory matches the directory that a command builds.
var builtDirectory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s(?:-k|--kustomize)[ =]*["']?([^\s"'|;&<)` + "`" + `]+)|(?i:\bkustomize\b)\S*(?:\s+build)?(?:\s+-[\w-]+(?:=\S+)?)*\s+["']?([^\s"'|;&<)` + "`" + `-][^\s"'|;&<)` + "`" + `]*)`)
})

// kustomizes reads what a command changes in a kustomization, or which one it builds, in dir or in the directory that the command goes
// to.
func (c *editCommand) kustomizes(text, dir string) {
	m := kustomizeEdit().FindStringSubmatchIndex(text)
	if m == nil {
		if built := builtDirectory().FindStringSubmatchIndex(text); c.isBuilt && built != nil {
			m := builtDirectory().FindStringSubmatch(text)
			c.directory = path.Join(directoryAfter(text[:built[0]], dir, true), m[1]+m[2])
		}
		return
	}
	c.isKustomize, c.isInPlace = true, true
	c.fields = append(c.fields, setFields[strings.TrimSuffix(strings.ToLower(text[m[2]:m[3]]), "s")]...)
	c.directory = directoryAfter(text[:m[0]], dir, true)
}

// directoryAfter returns the working directory after a command that starts in a directory. joins means that the shell goes on.
func directoryAfter(text, dir string, joins bool) string {
	for _, m := range changesDirectory().FindAllStringSubmatch(text, mostOfCommand) {
		name := strings.TrimRight(m[3], ")/") // of a subshell, and $(DIR) has its own
		if strings.Count(name, "(") > strings.Count(name, ")") {
			name += ")"
		}
		switch {
		case m[1] == "popd" || m[1] != "" && (name == "" || name == "-"):
			dir = ""
		case joins && m[1] != "" && dir != "" && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "$"):
			dir = path.Join(dir, name)
		default:
			dir = name
		}
	}
	return dir
}

// mayBe reports whether a working directory of a script may be a directory: it is so below that of the script, or below one above it.
// A part with a variable may be any, but not all of it.
func mayBe(top, by, name, dir string) bool {
	if name == "" || name == "." {
		return dir == filepath.Dir(by)
	}
	parts := strings.Split(path.Clean(name), "/")
	if len(parts) > 1 && (parts[0] == "" || strings.HasPrefix(parts[0], "$")) {
		parts = parts[1:]
	}
	if isVariable(name) {
		return false
	}
	for at := filepath.Dir(by); disk.IsWithin(top, at); at = filepath.Dir(at) {
		base, rest := at, parts
		for len(rest) > 0 && rest[0] == ".." {
			base, rest = filepath.Dir(base), rest[1:]
		}
		below, err := filepath.Rel(base, dir)
		if err != nil || !disk.IsWithin(top, base) {
			return false
		}
		is := slices.EqualFunc(rest, strings.Split(filepath.ToSlash(below), "/"), func(part, name string) bool {
			return part == name || strings.Contains(part, "$") && name != ".."
		})
		if is {
			return true
		}
		if at == top {
			break
		}
	}
	return false
}

// isVariable reports whether only variables name a directory.
func isVariable(name string) bool {
	return strings.Contains(name, "$") && !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return part != "" && part != ".." && part != "." && !strings.Contains(part, "$")
	})
}

// OfBuild returns what a script changes in a rejected value of what a kustomization builds, by changing that kustomization or one of
// its bases before. dirs are their absolute directories, its own first.
func (e *Edits) OfBuild(f *File, dirs []string, r Rejected) (Edit, bool) {
	if f.top == "" || len(dirs) == 0 {
		return Edit{}, false
	}
	for _, c := range e.reach(f, r.Abs).near {
		if c.isApplied && c.isNamed {
			return Edit{}, false
		}
	}
	found, isApplied := among(f, r, e.kustomizing(f, dirs))
	return found, found.Of != "" && !isApplied
}

// mostKustomized is how many directories of a build are compared with those of scripts. An overlay has some dozens.
const mostKustomized = 50

// kustomizing returns the commands that change one of some kustomizations, or send what the first of them builds to a server, in the
// order of their texts.
func (e *Edits) kustomizing(f *File, dirs []string) (list []editReach) {
	key := strings.Join(dirs, "\x00")
	if e.lastBuild.key == key {
		return e.lastBuild.list
	}
	for i, dir := range dirs[:min(len(dirs), mostKustomized)] {
		full := filepath.Join(dir, "kustomization.yaml")
		editors, _ := e.near(f, full)
		for _, x := range editors {
			for n := range x.commands {
				c := &x.commands[n]
				switch {
				case c.isKustomize && mayBe(f.top, x.path, c.directory, dir):
					list = append(list, editReach{editCommand: c, by: x, isNamed: true, number: n})
				case i == 0 && c.isBuilt && !c.changes() && (isVariable(c.directory) || mayBe(f.top, x.path, c.directory, dir)):
					list = append(list, editReach{editCommand: c, by: x, isNamed: true, number: n})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b editReach) int {
		return cmp.Or(strings.Compare(a.by.path, b.by.path), cmp.Compare(a.number, b.number))
	})
	e.lastBuild.key, e.lastBuild.list = key, list
	return list
}
