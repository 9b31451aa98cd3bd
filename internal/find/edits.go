package find

import (
	"cmp"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/placeholder"
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

// Limits of the texts that are read: the bytes in a directory and near a file, and the directories and bytes of a whole repository, which is
// searched for values that look like a variable. maxKeptBytes limits the memory: what is needed again is read again.
const (
	maxNearBytes = 8 << 20
	maxEditDirs  = 5_000
	maxEditBytes = 64 << 20
	maxKeptBytes = 128 << 20
)

// editor is a text with commands that change files, or that send them to a server as they are.
type editor struct {
	path     string
	isPage   bool
	commands []editCommand
	// names are the paths in the text by their last parts. A command such as 'sed -i s/A/B/ "$file"' may mean any of them.
	names map[string][]string
}

// editCommand is a command, or a line of a program or page.
type editCommand struct {
	names  map[string][]string
	words  []string // that it replaces by others
	fields []string // that it sets, such as spec.host, or .host for each field of that name
	// variables are those that envsubst replaces; "" is for all.
	variables []string
	// isAny means that a template engine replaces what has any form.
	isAny bool
	// isInPlace means that it writes the file itself, isApplied that it sends it to a server, and isBuilt that it sends what
	// a kustomization builds. All may hold.
	isInPlace, isApplied, isBuilt bool
}

func (c *editCommand) changes() bool {
	return len(c.words) > 0 || len(c.fields) > 0 || len(c.variables) > 0 || c.isAny
}

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

// of returns what of a value a command changes; "" for nothing. isSpecial means that the word can hardly mean anything else.
func (c *editCommand) of(r Rejected) (of string, isSpecial bool) {
	for _, word := range c.words {
		if strings.Contains(r.Text, word) {
			return word, isSpecialWord(word)
		}
	}
	if len(c.variables) > 0 {
		m := envVariable().FindString(r.Text)
		if m != "" && (c.variables[0] == "" || slices.Contains(c.variables, strings.Trim(m, "${}"))) {
			return m, false
		}
	}
	for _, field := range c.fields {
		if at := strings.TrimPrefix(field, "."); r.Path == at || strings.HasPrefix(r.Path, at+".") ||
			strings.HasPrefix(r.Path, at+"[") || at != field && strings.HasSuffix(r.Path, field) {
			return at, false
		}
	}
	if c.isAny && r.IsVariable {
		return diag.Cut(r.Text, longestWord), false
	}
	return "", false
}

// longestWord is the maximum length of a replaced word, in characters.
const longestWord = 80

// envVariable matches a variable that envsubst replaces.
var envVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(?:\{\w+\}|\w+)`) })

// specialWord matches a word that is only written to be replaced.
var specialWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:__\w+__|@\w+@|%\w+%|\{+\w+\}+|<[\w -]+>|\$\{?\w+\}?|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{6,})$`)
})

func isSpecialWord(word string) bool {
	_, ok := placeholder.In(word)
	return ok || specialWord().MatchString(word)
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

// newEditor reads the commands of a text; nil if it has none. isCut means that it has more.
func newEditor(full, text string) (x *editor, isCut bool) {
	x = &editor{path: full}
	switch filepath.Ext(full) {
	case ".md", ".txt", ".adoc":
		x.isPage = true
	}
	if !mayEdit().MatchString(text) {
		return nil, false
	}
	applied := map[string][]string{}
	for command := range commandsIn(text) {
		if c := readCommand(command, x.isPage); c.changes() || c.isApplied || c.isBuilt {
			if len(x.commands) == maxEdits {
				isCut = true
				break
			}
			c.names = pathsIn(command)
			if c.isApplied {
				addApplied(c.names, command)
				addApplied(applied, command)
			}
			x.commands = append(x.commands, c)
		}
	}
	if len(x.commands) == 0 {
		return nil, false
	}
	x.names = pathsIn(text)
	for name, paths := range applied {
		x.names[name] = append(x.names[name], paths...)
	}
	return x, isCut
}

// mayEdit matches a text that may have a command.
var mayEdit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:envsubst|sed|perl|yq|gomplate|jinja2?|j2|minijinja-cli|esh|awk|apply|create|replac\w*|r?e?\.?g?sub)\b|\$\{\w+//`)
})

// commandsIn yields the commands of a text: lines, continued after a backslash, a pipe or inside of quotes of sed.
func commandsIn(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		command := ""
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, " \t\r\n")
			rest, isContinued := strings.CutSuffix(line, `\`)
			if isContinued || strings.HasSuffix(rest, "|") {
				if command += rest + " "; len(command) < longestEdit {
					continue
				}
				rest = ""
			}
			if !yield(command + rest) {
				return
			}
			command = ""
		}
		if command != "" {
			yield(command)
		}
	}
}

// longestEdit is the maximum length of a command over several lines, in bytes.
const longestEdit = 4_000

// readCommand reads what a command changes.
func readCommand(text string, isPage bool) (c editCommand) {
	text = text[:min(len(text), 4*longestEdit)]
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return hasWord(text, name) })
	}
	if has("sed", "gsed", "perl") {
		c.replaced(text)
		c.isInPlace = strings.Contains(text, " -i") || strings.Contains(text, "--in-place") || strings.Contains(text, " -pi")
	}
	if has("yq") {
		for _, m := range yqField().FindAllStringSubmatch(text, mostOfCommand) {
			c.fields = append(c.fields, strings.NewReplacer(`"`, "", `\`, "").Replace(m[1]))
		}
		c.isInPlace = c.isInPlace || strings.Contains(text, " -i") || strings.Contains(text, "--inplace")
	}
	if has("envsubst") {
		c.variables = []string{""}
		if m := envList().FindStringSubmatch(text); m != nil {
			c.variables = nil
			for _, name := range envVariable().FindAllString(m[1], mostOfCommand) {
				c.variables = append(c.variables, strings.Trim(name, "${}"))
			}
		}
	}
	c.isAny = has("gomplate", "jinja2", "jinja", "j2", "minijinja-cli", "esh")
	if mayReplace(text) {
		for _, m := range replacedByProgram().FindAllStringSubmatch(text, mostOfCommand) {
			c.words = append(c.words, m[1]+m[2])
		}
	}
	if isPage && len(c.words) == 0 {
		for _, m := range replacedByHand().FindAllStringSubmatch(text, mostOfCommand) {
			if word := strings.Trim(m[1], "`\"'*.,:"); isSpecialWord(word) {
				c.words = append(c.words, word)
			}
		}
	}
	c.isApplied, c.isBuilt = appliesFile().MatchString(text), appliesBuild().MatchString(text)
	return c
}

// mayReplace reports whether a text may match replacedByProgram, which takes long to find out.
func mayReplace(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "${") || strings.Contains(lower, "sub") || strings.Contains(lower, "replac")
}

// mostOfCommand is how many words and fields of a command count.
const mostOfCommand = 100

func hasWord(text, word string) bool {
	for at := 0; ; {
		next := strings.Index(text[at:], word)
		if next < 0 {
			return false
		}
		start, end := at+next, at+next+len(word)
		if (start == 0 || !isNameByte(text[start-1])) && (end == len(text) || !isNameByte(text[end])) {
			return true
		}
		at = end
	}
}

func isNameByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

var (
	// yqField matches what an expression of yq sets: .spec.host = "x".
	yqField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\.([A-Za-z_][\w."\[\]-]*)\s*(?:\|=|=)[^=]`)
	})
	// envList matches the variables that are given to envsubst.
	envList = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\benvsubst\s+(?:"|\\?')((?:[\s,:]*\\?\$\{?\w+\}?)+)`)
	})
	// replacedByProgram matches a call such as text.replace("HOST", host), and ${text//HOST/x} of a shell.
	replacedByProgram = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:(?i:\b\w*replac\w*|re\.sub|g?sub!?)\s*\(\s*(?:[\w.]+,\s*)?[rfb]?["'/` + "`" + `]|-c?replace\s+["'])` +
			`([^"'/` + "`" + `\n]{2,80})["'/` + "`" + `]|\$\{\w+//?([^/}\n]{2,80})/`)
	})
	// replacedByHand matches a sentence such as: Replace the word TIMESTAMP with an actual one.
	replacedByHand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i:\b(?:replace|substitute|change)\s+(?:the\s+|all\s+|each\s+|every\s+)*(?:(?:word|value|placeholder|string)s?\s+)?)` +
			"([`\"'*]{0,2}[@%$<{_A-Z][^\\s`\"'*]{2,79})")
	})
	// appliesFile matches a command that sends files to a server as they are.
	appliesFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:apply|create|replace)\b[^|;&<]*?\s(?:-f|-Rf|-R -f|--filename)[ =]*[^ |;&<-]`)
	})
	// appliedPath matches the path of such a command.
	appliedPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\s(?:-f|-Rf|--filename)[ =]*["'` + "`" + `]?([^\s"'|;&<` + "`" + `]+)`)
	})
	// appliesBuild matches a command that sends what a kustomization builds.
	appliesBuild = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:apply|create|replace)\b[^|;&<]*?\s(?:-k|--kustomize)[ =]*[^ |;&<-]`)
	})
)

// addApplied adds the directories that a command sends to a server, such as 'kubectl apply -f deploy/'. They end in a slash.
func addApplied(names map[string][]string, command string) {
	for _, m := range appliedPath().FindAllStringSubmatch(command, mostOfCommand) {
		if dir := strings.TrimRight(m[1], "/"); !strings.ContainsAny(dir, "./*$") && dir != "" {
			names[dir] = append(names[dir], dir+"/")
		}
	}
}

// replaced adds the words that expressions such as s/HOST/x/ replace. Of a regular expression, only a field counts:
// s/host: .*/host: x/.
func (c *editCommand) replaced(text string) {
	for at := 0; at+3 < len(text) && len(c.words)+len(c.fields) < mostOfCommand; at++ {
		if text[at] != 's' || at > 0 && isNameByte(text[at-1]) || !strings.ContainsRune(`/|#,@:~!%`, rune(text[at+1])) {
			continue
		}
		from, rest, ok := cutUnescaped(text[at+2:], text[at+1])
		if _, _, isWhole := cutUnescaped(rest, text[at+1]); !ok || !isWhole {
			continue
		}
		at = len(text) - len(rest)
		word := unescape().Replace(from)
		word = strings.TrimPrefix(word, "^")
		if key, after, ok := strings.Cut(word, ":"); ok && strings.ContainsAny(after, "*+") {
			if key = strings.Trim(key, ` -"'()\s`); key != "" && !strings.ContainsAny(key, `*+[]()\ `) {
				c.fields = append(c.fields, "."+key)
			}
			continue
		}
		if len(word) > 1 && len(word) <= longestWord && !strings.ContainsAny(word, `*+?[]()\^`) {
			c.words = append(c.words, word)
		}
	}
}

// unescape makes a text of a regular expression without special characters.
var unescape = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\.`, ".", `\$`, "$", `\{`, "{", `\}`, "}", `\/`, "/", `\b`, "", `\<`, "", `\>`, "", `\"`, `"`)
})

// cutUnescaped cuts a text at the first delimiter without a backslash before it.
func cutUnescaped(text string, by byte) (before, after string, ok bool) {
	for i := range min(len(text), longestEdit) {
		if text[i] == by && (i == 0 || text[i-1] != '\\') {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// pathsIn returns what may be paths in a text, by their last parts.
func pathsIn(text string) map[string][]string {
	names := map[string][]string{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`=<>()[];,|&", r) }) {
		word = strings.TrimRight(word, `.:/\`) // a command may go on after a backslash
		if len(word) > longestEdit || word == "" {
			continue
		}
		if base := path.Base(word); strings.ContainsAny(word, "./*") && len(names[base]) < mostOfCommand {
			names[base] = append(names[base], word)
		}
	}
	return names
}
