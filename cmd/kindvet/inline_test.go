package main

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	inline = regexp.MustCompile("`([^`]+)`")
	option = regexp.MustCompile(`(?:^|\s)(--?[a-z][a-z-]*)`)
)

// foreign are flags of other programs that the pages name.
var foreign = map[string]string{"--dry-run": "kubectl", "--feature-gates": "kube-apiserver", "--runtime-config": "kube-apiserver",
	"--min-compatibility-version": "kube-apiserver",
}

// The commands and flags that the pages name in their sentences exist. They are those of the page of commands, which
// is generated. A flag next to a command is one of that command.
func TestCommandsAndFlagsInSentencesExist(t *testing.T) {
	help := helpOfCommands(t)
	everywhere := strings.Join(slices.Collect(maps.Values(help)), "\n")
	count := 0
	for _, page := range append(pages(t), otherPages(t)...) {
		if page == "docs/commands.md" || strings.HasPrefix(page, "rules/families/") {
			continue
		}
		text := strings.Join(strings.Fields(code.ReplaceAllString(readFile(t, filepath.Join(repository, page)), "")), " ")
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			words, of := m[1], everywhere
			if rest, ok := strings.CutPrefix(words, "kindvet "); ok {
				name, found := longestCommand(help, rest)
				if !found {
					t.Errorf("%s: no command %q", page, words)
				}
				of = help[name]
				count++
			} else if !strings.HasPrefix(words, "--") {
				continue
			}
			for _, o := range option.FindAllStringSubmatch(words, -1) {
				count++
				if !regexp.MustCompile(`(?m)^ +(-\w, )?`+regexp.QuoteMeta(o[1])+`\b`).MatchString(of) && foreign[o[1]] == "" {
					t.Errorf("%s: no flag %s of %q", page, o[1], words)
				}
			}
		}
	}
	if count < 150 {
		t.Errorf("only %d commands and flags", count)
	}
}

// helpOfCommands returns the help of each command by its name, such as "config init".
func helpOfCommands(t *testing.T) map[string]string {
	t.Helper()
	help := map[string]string{}
	first := true
	for part := range strings.SplitSeq(readFile(t, filepath.Join(repository, "docs", "commands.md")), "\n## kindvet ") {
		name, text, _ := strings.Cut(part, "\n")
		if first {
			name = "" // the program itself
		}
		help[name], first = text, false
	}
	return help
}

// longestCommand returns the command that a line begins with. In examples, COMMAND stands for any.
func longestCommand(help map[string]string, line string) (string, bool) {
	words := strings.Fields(line)
	if strings.HasPrefix(line, "-") {
		return "", true
	}
	for n := min(2, len(words)); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		if _, ok := help[name]; ok || name == "COMMAND" {
			return name, true
		}
	}
	return "", false
}
