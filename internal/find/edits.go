package find

import (
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
	dirs  map[string][]*editor
	trees map[string][]*editor // all of a repository, by top
	sizes map[string]int       // of what was read in directories, in bytes
}

// NewEdits returns the edits in a tree. It is not safe for concurrent use.
func NewEdits(t Tree) *Edits {
	return &Edits{tree: t, dirs: map[string][]*editor{}, trees: map[string][]*editor{}, sizes: map[string]int{}}
}

// Limits of the commands that are read: for each text, and for each file. What is not read
// changes nothing: the error stays. Measure scripts of public repositories before you change a limit.
const (
	maxEdits       = 1_000
	maxEditsOfFile = 10_000
)

// Limits of the search in a whole repository, for values that look like a variable: its directories, and the bytes of the
// scripts and pages. What is not read changes nothing: the error stays.
const (
	maxEditDirs  = 5_000
	maxEditBytes = 64 << 20
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
	// isInPlace means that it writes the file itself, isApplied that it sends it to a server. Both may hold.
	isInPlace, isApplied bool
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

// Of returns what changes a rejected value of a file, or of what a file builds.
func (e *Edits) Of(f *File, r Rejected) (Edit, bool) {
	if f.top == "" || !disk.IsWithin(f.top, r.Abs) {
		return Edit{}, false
	}
	near := e.near(f.top, r.Abs)
	if found, isApplied := e.among(f, r, near, true); found.Of != "" || isApplied {
		return found, !isApplied
	}
	if !r.IsVariable {
		return Edit{}, false
	}
	far := slices.DeleteFunc(slices.Clone(e.all(f.top)), func(x *editor) bool { return slices.Contains(near, x) })
	found, isApplied := e.among(f, r, far, false)
	return found, found.Of != "" && !isApplied
}

// IsApplied reports whether a script near a file sends it to a server.
func (e *Edits) IsApplied(f *File) bool {
	if f.top == "" {
		return false
	}
	_, isApplied := e.among(f, Rejected{Abs: f.Abs}, e.near(f.top, f.Abs), true)
	return isApplied
}

// among returns the first change by one of some texts. isApplied means that one of them sends the file to a server as it is.
func (e *Edits) among(f *File, r Rejected, editors []*editor, isNear bool) (first Edit, isApplied bool) {
	left := maxEditsOfFile
	for _, x := range editors {
		isChanged := false
		for i := range x.commands {
			if left--; left < 0 {
				return first, isApplied
			}
			c := &x.commands[i]
			isNamed := reaches(c.names, f.top, r.Abs, x.path, isNear)
			if c.isApplied && isNamed && !isChanged && !c.changes() {
				return Edit{}, true
			}
			if !c.changes() || first.Of != "" {
				continue
			}
			of, isSpecial := c.of(r)
			isHere := len(c.names[filepath.Base(r.Abs)]) > 0
			if of != "" && (isNamed || isSpecial && (isHere || reaches(x.names, f.top, r.Abs, x.path, isNear) ||
				x.isPage && filepath.Dir(x.path) == filepath.Dir(r.Abs))) {
				first = Edit{f.NameOf(x.path), of}
			}
			isChanged = isChanged || isNamed && c.isInPlace
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
	for _, name := range c.variables {
		if m := envVariable().FindString(r.Text); m != "" && (name == "" || strings.Trim(m, "${}") == name) {
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
	for _, pattern := range []string{"*", "*" + filepath.Ext(base), "*.y*ml", "**"} {
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
			if strings.Contains(name, "/") && isPathIn(top, at, name) {
				return true
			}
		}
		if !isNear && at != filepath.Dir(full) {
			break
		}
	}
	return false
}

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
func (e *Edits) near(top, full string) (list []*editor) {
	dir := filepath.Dir(full)
	list = append(list, e.in(dir, true)...)
	for range maxScriptDirs {
		if dir == top || !disk.IsWithin(top, dir) {
			break
		}
		dir = filepath.Dir(dir)
		list = append(list, e.in(dir, false)...)
	}
	for _, name := range scriptDirs {
		list = append(list, e.below(top, filepath.Join(top, filepath.FromSlash(name)))...)
	}
	siblings, err := e.tree.ReadDir(filepath.Dir(filepath.Dir(full)))
	if err != nil || !disk.IsWithin(top, filepath.Dir(filepath.Dir(full))) || len(siblings) > maxScripts {
		return list
	}
	for _, d := range siblings {
		if at := filepath.Join(filepath.Dir(filepath.Dir(full)), d.Name()); d.IsDir() && at != filepath.Dir(full) {
			list = append(list, e.in(at, false)...)
		}
	}
	return list
}

// below returns the texts in a directory, to which no link leads out.
func (e *Edits) below(top, dir string) []*editor {
	if e.tree.Follow(top, dir, dir, disk.ErrLeadsOut) != nil {
		return nil
	}
	return e.in(dir, false)
}

// all returns the texts of a repository.
func (e *Edits) all(top string) []*editor {
	if list, ok := e.trees[top]; ok {
		return list
	}
	var list []*editor
	left := maxEditBytes
	dirs := []string{top}
	for i := 0; i < len(dirs) && i < maxEditDirs && left > 0; i++ {
		entries, err := e.tree.ReadDir(dirs[i])
		if err != nil {
			continue
		}
		for _, d := range entries {
			name := d.Name()
			isTool := strings.HasPrefix(name, ".") && name != ".github" && name != ".taskfiles" && name != ".ci"
			if d.IsDir() && !isTool && name != "node_modules" && name != "vendor" && len(dirs) < maxEditDirs {
				dirs = append(dirs, filepath.Join(dirs[i], name))
			}
		}
		list = append(list, e.in(dirs[i], false)...)
		left -= e.sizes[dirs[i]]
	}
	e.trees[top] = list
	return list
}

// in returns the texts in a directory. Programs count next to a file only.
func (e *Edits) in(dir string, withPrograms bool) (list []*editor) {
	key := dir
	if withPrograms {
		key += "\x00"
	}
	if list, ok := e.dirs[key]; ok {
		return list
	}
	entries, err := e.tree.ReadDir(dir)
	if err != nil {
		return nil
	}
	read := 0
	for _, d := range entries {
		isTaken := isScript(dir, d.Name()) || withPrograms && isProgram(d.Name())
		if !d.Type().IsRegular() || !isTaken || read == maxScripts {
			continue
		}
		read++
		full := filepath.Join(dir, d.Name())
		if text, err := e.tree.Read(full, disk.Kustomization); err == nil {
			e.sizes[dir] += len(text)
			if x := newEditor(full, text); x != nil {
				list = append(list, x)
			}
		}
	}
	e.dirs[key] = list
	return list
}

func isProgram(name string) bool {
	switch filepath.Ext(name) {
	case ".py", ".rb", ".pl", ".js", ".mjs", ".ts", ".ps1", ".go":
		return true
	}
	return false
}

// newEditor reads the commands of a text; nil if it has none.
func newEditor(full, text string) *editor {
	x := &editor{path: full}
	switch filepath.Ext(full) {
	case ".md", ".txt", ".adoc":
		x.isPage = true
	}
	if !mayEdit().MatchString(text) {
		return nil
	}
	for command := range commandsIn(text) {
		if c := readCommand(command, x.isPage); c.changes() || c.isApplied {
			if c.names = pathsIn(command); len(x.commands) < maxEdits {
				x.commands = append(x.commands, c)
			}
		}
	}
	if len(x.commands) == 0 {
		return nil
	}
	x.names = pathsIn(text)
	return x
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
	for _, m := range replacedByProgram().FindAllStringSubmatch(text, mostOfCommand) {
		c.words = append(c.words, m[1]+m[2])
	}
	if isPage && len(c.words) == 0 {
		for _, m := range replacedByHand().FindAllStringSubmatch(text, mostOfCommand) {
			if word := strings.Trim(m[1], "`\"'*.,:"); isSpecialWord(word) {
				c.words = append(c.words, word)
			}
		}
	}
	c.isApplied = appliesFile().MatchString(text)
	return c
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
		return regexp.MustCompile(`\b(?:apply|create|replace)\b[^|;&<]*?\s(?:-f|-Rf|-R -f|--filename|-k|--kustomize)[ =]*[^ |;&<-]`)
	})
)

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
		word := strings.NewReplacer(`\.`, ".", `\$`, "$", `\{`, "{", `\}`, "}", `\/`, "/", `\b`, "", `\<`, "", `\>`, "", `\"`, `"`).Replace(from)
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
		word = strings.TrimRight(word, ".:/")
		if len(word) > longestEdit || word == "" {
			continue
		}
		if base := path.Base(word); strings.ContainsAny(word, "./*") && len(names[base]) < mostOfCommand {
			names[base] = append(names[base], word)
		}
	}
	return names
}
