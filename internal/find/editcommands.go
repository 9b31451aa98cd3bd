package find

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/placeholder"
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
	// isAny means that a template engine replaces what has any form, and isGoTemplate that a program does with Go templates.
	isAny, isGoTemplate bool
	// isInPlace means that it writes the file itself, isApplied that it sends it to a server, and isBuilt that it sends what
	// a kustomization builds. All may hold.
	isInPlace, isApplied, isBuilt bool
	// isKustomize means that it changes the kustomization in a directory, which is that of the script if it is "". It is also that of what
	// it builds.
	isKustomize bool
	directory   string
}

func (c *editCommand) changes() bool {
	return c.isKustomize || len(c.words) > 0 || len(c.fields) > 0 || len(c.variables) > 0 || c.isAny || c.isGoTemplate
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
			return m, c.variables[0] != ""
		}
	}
	for _, field := range c.fields {
		if at := strings.TrimPrefix(field, "."); r.Path == at || strings.HasPrefix(r.Path, at+".") ||
			strings.HasPrefix(r.Path, at+"[") || at != field && strings.HasSuffix(r.Path, field) {
			return at, false
		}
	}
	if r.IsVariable && (c.isAny || c.isGoTemplate && strings.Contains(r.Text, "{{")) {
		return diag.Cut(strings.Trim(r.Text, `"'`), longestWord), false
	}
	return "", false
}

// longestWord is the maximum length of a replaced word, in characters.
const longestWord = 80

// envVariable matches a variable that envsubst replaces.
var envVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(?:\{\w+\}|\w+)`) })

// specialWord matches a word that is only written to be replaced.
var specialWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:__\w+__|@\w+@|%\w+%|\{+\w+\}+|<[\w -]+>|\(\(\w+\)\)|\$\{?\w+\}?|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]{6,})$`)
})

func isSpecialWord(word string) bool {
	_, ok := placeholder.In(word)
	return ok || specialWord().MatchString(word)
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
	hasTemplates := strings.HasSuffix(full, ".go") && !strings.HasSuffix(full, "_test.go") && strings.Contains(text, `"text/template"`)
	directory, isMake := "", strings.HasPrefix(filepath.Base(full), "Makefile") || filepath.Ext(full) == ".mk"
	for command := range commandsIn(text) {
		c := readCommand(command, x.isPage)
		c.kustomizes(command, directory)
		if !isMake { // each line has a shell of its own there
			directory = directoryAfter(command, directory, filepath.Ext(full) != ".yaml" && filepath.Ext(full) != ".yml")
		}
		c.isGoTemplate = hasTemplates && strings.HasPrefix(command, "//go:embed ")
		if c.changes() || c.isApplied || c.isBuilt {
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
	return regexp.MustCompile(`(?i)\b(?:envsubst|sed|perl|[yj]q|gomplate|jinja2?|j2|minijinja-cli|esh|awk|go:embed|edit|apply|create|generate|replac\w*|r?e?\.?g?sub)\b|\$\{\w+//`)
})

// commandsIn yields the commands of a text: lines, continued after a backslash or a pipe, and comments between these.
func commandsIn(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		command := ""
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, " \t\r\n")
			if command != "" && strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
				continue
			}
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
	if has("yq", "jq") {
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
	if has("operator-sdk", "OPERATOR_SDK") && has("generate") { // of a base of a ClusterServiceVersion
		c.fields = append(c.fields, "spec.install")
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
	c.isApplied, c.isBuilt = sends(appliesFile(), text), sends(appliesBuild(), text)
	return c
}

// sends reports whether a command in a text, as a pattern finds it, sends something to a server. With --dry-run it only prints.
func sends(pattern *regexp.Regexp, text string) bool {
	for at := 0; ; {
		found := pattern.FindStringIndex(text[at:])
		if found == nil {
			return false
		}
		command := text[at+found[0]:]
		at += found[1]
		if end := strings.IndexAny(command[found[1]-found[0]:], "|;&"); end >= 0 {
			command = command[:found[1]-found[0]+end]
		}
		if !strings.Contains(command, "--dry-run") || strings.Contains(command, "--dry-run=none") {
			return true
		}
	}
}

// mayReplace reports whether a text may match replacedByProgram, which takes long to find out.
func mayReplace(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "${") || strings.Contains(lower, "sub") || strings.Contains(lower, "replac")
}

// mostOfCommand is how many words and fields of a command count.
const mostOfCommand = 100

// hasWord reports whether a text has a word that is not a part of a longer name.
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
	// yqField matches what an expression of yq or jq sets: .spec.host = "x".
	yqField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\.([A-Za-z_][\w."\[\]-]*)\s*[|+]?=[^=]`)
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
		return regexp.MustCompile(`\b(?:apply|create|generate|replace)\b[^|;&<]*?\s(?:-f|-Rf|-R -f|--filename)[ =]*[^ |;&<-]`)
	})
	// appliedPath matches the path of such a command.
	appliedPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\s(?:-f|-Rf|--filename)[ =]*["'` + "`" + `]?([^\s"'|;&<` + "`" + `]+)`)
	})
	// appliesBuild matches a command that sends what a kustomization builds.
	appliesBuild = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:apply|create|generate|replace)\b[^|;&<]*?\s(?:-k|--kustomize)[ =]*[^ |;&<-]` +
			`|(?i:\bkustomize\b[^;&|]*\|[^;&]*\b(?:apply|create|replace)\b)`)
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
		plain := strings.TrimSuffix(strings.TrimPrefix(word, "(("), "))") // sed reads parentheses as they are
		if len(word) > 1 && len(word) <= longestWord && !strings.ContainsAny(plain, `*+?[]()\^`) {
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
