package find

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/disk"
)

// Scripts are the scripts and pages of a tree that may say how files are used.
type Scripts struct {
	tree   Tree
	known  map[string][]script // by directory
	places places
	// left is how many bytes may still be searched. It is negative if the search has ended.
	left int
}

type script struct{ path, text string }

// NewScripts returns the scripts of a tree. They are read when a file asks for them.
func NewScripts(t Tree) *Scripts {
	return &Scripts{t, map[string][]script{}, newPlaces(t), maxSearchedBytes}
}

// AreTooLarge reports whether the search in the scripts has ended before it knew about the last file that asked. Those
// that ask later are not templates, either.
func (s *Scripts) AreTooLarge() bool { return s.left < 0 }

// Limits of the scripts that are read for a file: in each directory, and the directories above it. A directory of 29
// public repositories has at most 34. Raise a limit if one reaches half of it.
const (
	maxScripts    = 100
	maxScriptDirs = 30
)

// Limits of the search in the scripts, for all files of a run: the bytes that are searched, and to how many of them reading
// a byte and looking at a name amounts. Without them, a script of 1 MiB that names a file 100,000 times would take 5
// seconds for each file of that name. 29 public repositories need at most 5 million; raise the limit if one needs
// half of it.
const (
	maxSearchedBytes = 2_000_000_000
	costOfByte       = 16
	costOfName       = 50_000
)

// scriptDirs are the directories in the top of a repository with scripts.
var scriptDirs = []string{"scripts", "hack", "bin", ".github/workflows"}

// TemplateOf returns the script that makes a manifest of a file, such as 'envsubst < web.template.yaml'. The name of a file
// says only that it may be a template: if no script uses it, or one applies it as it is, it is not. The script is in the
// directory of the file, above it, or in a usual place. Decide anew if templates of public repositories are used in
// ways that no script shows.
func (s *Scripts) TemplateOf(f *File) (by string, ok bool) {
	base := filepath.Base(f.Abs)
	if !isTemplateName(base) || f.top == "" {
		return "", false
	}
	for _, one := range s.around(f) {
		use := s.useIn(one, f.top, f.Abs)
		if s.left < 0 {
			return "", false
		}
		switch use {
		case appliedAsIs:
			return "", false
		case madeFrom:
			if by == "" {
				by = f.NameOf(one.path)
			}
		}
	}
	return by, by != ""
}

// NameOf returns the name in reports of a path in the repository of the file.
func (f *File) NameOf(full string) string {
	below, err := filepath.Rel(filepath.Dir(f.Abs), full)
	if err != nil {
		return filepath.Base(full)
	}
	return join(filepath.Dir(f.Name), below)
}

// templateMarks are the parts of names of templates, such as web.template.yaml.
var templateMarks = []string{"template", "tmpl", "tpl", "envsubst", "in"}

func isTemplateName(base string) bool {
	name := strings.TrimSuffix(base, filepath.Ext(base))
	return slices.ContainsFunc(templateMarks, func(mark string) bool {
		rest, ok := strings.CutSuffix(name, mark)
		return ok && rest != "" && strings.IndexByte(".-_", rest[len(rest)-1]) >= 0
	})
}

// around returns the scripts that may be about a file.
func (s *Scripts) around(f *File) (list []script) {
	dir := filepath.Dir(f.Abs)
	for range maxScriptDirs {
		list = append(list, s.in(dir)...)
		if dir == f.top || !disk.IsWithin(f.top, dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	for _, name := range scriptDirs {
		dir := filepath.Join(f.top, filepath.FromSlash(name))
		if s.tree.Follow(f.top, dir, name, disk.ErrLeadsOut) == nil {
			list = append(list, s.in(dir)...)
		}
	}
	return list
}

func (s *Scripts) in(dir string) []script {
	if list, ok := s.known[dir]; ok {
		return list
	}
	var list []script
	entries, err := s.tree.ReadDir(dir)
	for _, d := range entries {
		if err != nil || !d.Type().IsRegular() || !isScript(dir, d.Name()) || len(list) == maxScripts || s.left < 0 {
			continue
		}
		full := filepath.Join(dir, d.Name())
		if text, err := s.tree.Read(full, disk.Kustomization); err == nil {
			s.left -= costOfByte * len(text)
			list = append(list, script{full, text})
		}
	}
	s.known[dir] = list
	return list
}

// isScript reports whether a file in a directory may be a script or a page.
func isScript(dir, name string) bool {
	switch filepath.Ext(name) {
	case "", ".sh", ".bash", ".zsh", ".md", ".mk", ".just", ".txt", ".adoc":
		return true
	case ".yaml", ".yml":
		return strings.HasPrefix(strings.ToLower(name), "taskfile") || name == ".gitlab-ci.yml" ||
			slices.Contains([]string{"workflows", ".taskfiles", "taskfiles"}, filepath.Base(dir))
	}
	return false
}

// scriptUse is what a script does with a file.
type scriptUse uint8

const (
	notUsed scriptUse = iota
	madeFrom
	appliedAsIs
)

// makes matches a command that makes a text of another one, and applies one that sends a file as it is, before the name.
var (
	makes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(envsubst|sed|cp|yq|gomplate|perl|awk|esh|jinja2?|j2|minijinja-cli)\b`)
	})
	applies = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(apply|create|replace)\b[^|;&<]*(-f|--filename)[ =]*[^ |;&<]*$`)
	})
)

// WriterOf returns the script that writes a file which a kustomization names and that does not exist, such as
// 'helm template web . > base/web.yaml', or the rule of a Makefile. f is the kustomization. ok is false also if the scripts are too
// large.
func (s *Scripts) WriterOf(f *File, full string) (by string, ok bool) {
	if f.top == "" || !disk.IsWithin(f.top, full) {
		return "", false
	}
	for _, one := range s.around(f) {
		if s.writes(one, f.top, full) || s.generates(one, full) {
			return f.NameOf(one.path), true
		}
		if s.left < 0 {
			return "", false
		}
	}
	return "", false
}

// writesTo matches a command that writes the file whose name follows, copies one that writes the file with the last name, and
// isTarget what is before a name that is the target of a rule.
var (
	writesTo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:>|\btee(?:\s+-a|\s+--append)?\s|\s(?:-o|-O|--output|--output-file|--out)[ =])\s*["']?[^\s|;&<>]*$`)
	})
	copies = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[\s;&@])(?:cp|mv|install)\s[^|;&<>]*\s["']?[^\s|;&<>]*$`)
	})
	isTarget = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^\s#:=]*$`) })
)

// writes reports whether a script writes a file. A directory that a variable names may be that of the script; if the script is
// elsewhere, it writes files with this name to many directories, which are committed.
func (s *Scripts) writes(by script, top, full string) bool {
	base, own, text := filepath.Base(full), filepath.Dir(full), by.text
	dir, isNextToIt := filepath.Base(own), filepath.Dir(by.path) == own
	s.left -= len(text)
	for at := 0; s.left >= 0; s.left -= costOfName {
		next := strings.Index(text[at:], base)
		if next < 0 {
			return false
		}
		at += next
		before, after := commandBefore(text[:at]), ""
		at += len(base)
		after, _, _ = strings.Cut(text[at:min(len(text), at+longestCommand)], "\n")
		isEnd := after == "" || !isNameByte(after[0]) && after[0] != '/'
		switch {
		case !isEnd || !isIn(before, dir) && !strings.HasSuffix(before, "/"+dir+"/") || !isNextToIt && isInVariable(before):
		case strings.Contains(strings.TrimPrefix(wordAtEnd(before), "./"), "/") && s.places.isAnother(top, by.path, wordAtEnd(before), own):
		case writesTo().MatchString(before), copies().MatchString(before) && strings.Trim(after, " \t\r\"'") == "",
			isTarget().MatchString(before) && strings.HasPrefix(after, ":") && !strings.HasPrefix(after, ":="):
			return true
		}
	}
	return false
}

// generates reports whether controller-gen writes a file, in the directories that kubebuilder has. Without other settings, the
// files of each generator are in config/NAME.
func (s *Scripts) generates(by script, full string) bool {
	if s.left -= len(by.text); !strings.HasSuffix(full, ".yaml") {
		return false
	}
	for command := range commandsIn(by.text) {
		if !hasWord(command, "controller-gen") && !hasWord(command, "CONTROLLER_GEN") {
			continue
		}
		names := map[string]string{"webhook": "manifests.yaml", "rbac": "role.yaml", "crd": filepath.Base(full)}
		for generator, name := range names { // order does not matter
			dir := "config/" + generator
			if _, after, ok := strings.Cut(command, "output:"+generator+":artifacts:config="); ok {
				dir, _, _ = strings.Cut(strings.TrimLeft(after, `"'`), " ")
			}
			at := filepath.Join(filepath.Dir(by.path), filepath.FromSlash(strings.Trim(dir, `"'`)), name)
			if at == full && hasWord(strings.ReplaceAll(command, ":", " "), generator) {
				return true
			}
		}
	}
	return false
}

// TemplateMaker returns the script that makes a template of a Helm chart of what a kustomization builds, such as
// 'kustomize build config/helm > $CHART/templates/all.yaml': Helm statements in it are replaced later. If a script may send it to a
// server, they are not. full is a file of the kustomization.
func (s *Scripts) TemplateMaker(f *File, full string) (by string, ok bool) {
	if f.top == "" || !disk.IsWithin(f.top, full) {
		return "", false
	}
	dir := filepath.Dir(full)
	for _, one := range s.around(f) {
		if s.left -= costOfByte * len(one.text); s.left < 0 {
			return "", false
		}
		isIt := func(name string) bool {
			return strings.Contains(name, "/") && isPathIn(f.top, dir, name) && !s.places.isAnother(f.top, one.path, name, dir)
		}
		for command := range commandsIn(one.text) {
			if !strings.Contains(command, filepath.Base(dir)) {
				continue
			}
			isSent := mayApply().MatchString(command)
			switch {
			case !isSent && !makesTemplate().MatchString(command) || !slices.ContainsFunc(pathsIn(command)[filepath.Base(dir)], isIt):
			case isSent:
				return "", false
			case by == "":
				by = f.NameOf(one.path)
			}
		}
	}
	return by, by != ""
}

// makesTemplate matches a build whose output is written to a template of a chart.
var makesTemplate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)kustomize\b\S*\s+build\b.*>\s*["']?[^\s|;&<>]*(?:templates?/|template_|chart)`)
})

// mayApply matches a command that may send something to a server.
var mayApply = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)kubectl|\bapply\b`) })

// KustomizeVersion returns the version of kustomize that a script near a file installs, and the script; "" if none does.
func (s *Scripts) KustomizeVersion(f *File) (version, by string) {
	if f.top == "" {
		return "", ""
	}
	for _, one := range s.around(f) {
		if s.left -= costOfByte * len(one.text); s.left < 0 {
			return "", ""
		}
		if m := kustomizeVersion().FindStringSubmatch(one.text); m != nil {
			return m[1], f.NameOf(one.path)
		}
	}
	return "", ""
}

// kustomizeVersion matches KUSTOMIZE_VERSION := 4.5.7, kustomize/v4.5.7 and kustomize@v4.5.7.
var kustomizeVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bkustomize(?:_version["']?\s*[:?]?[:=]\s*|[/@])["']?(?:v4@)?v?(\d+\.\d+\.\d+)\b`)
})

// useIn returns what a script does with a file, which it names with or without a directory. It is not known if the search
// has ended then.
func (s *Scripts) useIn(by script, top, full string) (use scriptUse) {
	base, text := filepath.Base(full), by.text
	s.left -= len(text)
	for at := 0; s.left >= 0; s.left -= costOfName {
		next := strings.Index(text[at:], base)
		if next < 0 {
			return use
		}
		at += next
		command := commandBefore(text[:at])
		switch {
		case !isIn(command, filepath.Base(filepath.Dir(full))) || s.places.isAnother(top, by.path, wordAtEnd(command)+base, full):
		case applies().MatchString(command):
			return appliedAsIs
		case makes().MatchString(command), makes().MatchString(commandAfter(text[at+len(base):])):
			use = madeFrom
		}
		at += len(base)
	}
	return use
}

// isIn reports whether the word at the end of a command is empty, or a path that may end in a directory.
func isIn(command, dir string) bool {
	word := wordAtEnd(command)
	if word == "" || word == "./" {
		return true
	}
	rest, ok := strings.CutSuffix(word, "/")
	last := rest[strings.LastIndexByte(rest, '/')+1:]
	return ok && (last == dir || strings.ContainsAny(last, "${}"))
}

// wordAtEnd returns the first part of a path at the end of a command.
func wordAtEnd(command string) string {
	return command[strings.LastIndexAny(command, " \t\"'`=<>(")+1:]
}

// isInVariable reports whether the path at the end of a command ends in a directory that a variable names.
func isInVariable(command string) bool {
	rest, ok := strings.CutSuffix(command, "/")
	return ok && strings.ContainsAny(rest[strings.LastIndexAny(rest, "/ \t\"'`=<>(")+1:], "${}")
}

// longestCommand is how many bytes of a command are read before and after a name. Without it, a script of one long
// line would be read for each name in it.
const longestCommand = 400

// commandBefore returns the command before a name: the line, and those above it that end in a backslash.
func commandBefore(text string) string {
	text = text[max(0, len(text)-longestCommand):]
	start := strings.LastIndexByte(text, '\n')
	for start > 0 && strings.HasSuffix(strings.TrimRight(text[:start], " \r"), `\`) {
		start = strings.LastIndexByte(text[:start], '\n')
	}
	return strings.NewReplacer("\\\n", " ", "\n", " ").Replace(text[start+1:])
}

// commandAfter returns the rest of a line if a pipe continues it.
func commandAfter(text string) string {
	line, _, _ := strings.Cut(text[:min(len(text), longestCommand)], "\n")
	if !strings.Contains(line, "|") {
		return ""
	}
	return line
}
