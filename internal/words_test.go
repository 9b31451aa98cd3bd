package internal

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// worded returns the files and directories whose English is checked. Add a directory when its texts pass.
func worded() []string {
	return []string{
		"rules",
		".ci",
		".gitattributes",
		".gitignore",
		".goreleaser.Dockerfile",
		".goreleaser.yml",
		"NOTICE",
		"README.md",
		"SECURITY.md",
		"CHANGELOG.md",
		"docs",
		".github",
		".pre-commit-hooks.yaml",
		"internal/config/schema.yaml",
		"internal/internal.go",
		"internal/diag/describe.go",
		"internal",
		"cmd",
	}
}

// A wordRule is a word or phrase to avoid, and its replacement.
type wordRule struct {
	avoid *regexp.Regexp
	write string
}

func wordRules() []wordRule {
	var list []wordRule
	for _, r := range [][2]string{
		{`members?`, "field"},
		{`folders?`, "directory"},
		{`refus(?:e|es|ed|al|als|ing)`, "reject"},
		{`mend(?:s|ed|ing)?`, "fix"},
		{`(?:is|are) no [a-z]+`, `"is not a ..." or "there is no ..."`},
		{`(?:is|are) none of`, `"is not ..."`},
		{`that there (?:is|are) not`, `"does not exist", "unknown" or "not found"`},
		{`has not (?:a|an|the|any)`, `"does not have"`},
		{`pieces? of information`, "info"},
		{`besides?`, `"next to" or "in addition to"`},
		{`t(?:ake|akes|aken|aking|ook)(?: the)?(?: \w+)? out`, "remove"},
		{`lets? (?:\w+ )?through`, "allow"},
		{`h(?:old|olds|eld)(?: \w+)? against`, `"compare with" or "validate against"`},
		{`who(?:so)?ever`, `"anyone who", "readers" or "if you"`},
		{`without a word`, "silently"},
		{`on record`, "in the baseline"},
		{`misspelt`, "misspelled"},
		{`(?:is|are) guilty|the guilt\w+|innocent`, `"responsible" or "the cause"`},
		{`equipment|crews?|suspects?`, "the word of the field: cache, pool, candidates"},
		{`(?:rules?|kinds?|names?|those|that) (?:that|which) (?:come|comes|ship|ships) with`, "built-in"},
		{`neutral`, "built-in"},
		{`judges?`, `"verdict", "oracle" or "upstream"`},
		{`an? room|the rooms?`, "package"},
		{`passe[sd] over|pass(?:ing)? over`, "skip"},
		{`le(?:ave|aves|aving|ft)(?: \w+)? out of account`, "ignore"},
		{`tak(?:e|es|ing)(?: \w+)? up`, "adopt"},
		{`in whatever`, "plain words"},
		{`(?:what|which) there (?:was|were) before`, `"the old object" or "the previous version"`},
		{`no(?:t)? any ?more`, "no longer"},
		{`index of git`, "git index"},
		{`\d %`, "no space before %"},
		{`no matter(?:,|\.)`, "ignored"},
		{`by the way`, "along the way"},
		{`without it,`, `"otherwise" or "the default is"`},
		{`says (?:that|whether)`, `"reports whether" or "states that"`},
		{`(?:colour|favour|honour)\w*|catalogues?|recognis\w+`, "US spelling"},
	} {
		list = append(list, wordRule{regexp.MustCompile(`(?i)(?:^|[^\w/-])(` + r[0] + `)\b`), r[1]})
	}
	return list
}

// rightPhrases removes phrases in which a word to avoid is correct.
func rightPhrases() *strings.Replacer {
	return strings.NewReplacer("there is no ", "", "There is no ", "", "there are no ", "", "There are no ", "",
		"is no longer", "", "are no longer", "", "is no less", "", "are no more than", "",
		// An old configuration key and messages of other programs.
		"connection was refused", "",
		"names.members", "", "members:", "", "`members`", "")
}

// badWords returns the words to avoid in a text, each with its replacement.
func badWords(text string, rules []wordRule, right *strings.Replacer) []string {
	var found []string
	text = right.Replace(text)
	for _, r := range rules {
		if m := r.avoid.FindStringSubmatch(text); m != nil {
			found = append(found, fmt.Sprintf("%q: write %s", m[1], r.write))
		}
	}
	return found
}

func TestTextsAvoidTheWorstWords(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all texts, and minutes of that with the race detector find nothing")
	}
	rules, right := wordRules(), rightPhrases()
	// These contain the words on purpose: this test, data, and the module that records upstream's verdicts.
	excepted := []string{"words_test.go", "../internal/words_test.go", "../internal/schema/ref_test.go",
		"../internal/git/find_test.go",
		"../internal/config/names.go"}
	read := []string{
		"", ".Dockerfile", ".gitattributes", ".gitignore", ".go", ".md", ".sh", ".tsv", ".txtar", ".yaml", ".yml",
	}
	for _, name := range worded() {
		root := filepath.Join("..", filepath.FromSlash(name))
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.Name() == "oracle" {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() || !slices.Contains(read, filepath.Ext(path)) ||
				slices.Contains(excepted, filepath.ToSlash(path)) {
				return err
			}
			lines, err := linesOf(path)
			for i, line := range lines {
				for _, found := range badWords(line, rules, right) {
					t.Errorf("%s:%d: %s", path, i+1, found)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestTheWorstWordsAreFound(t *testing.T) {
	rules, right := wordRules(), rightPhrases()
	for text, want := range map[string]int{
		"an unknown member": 1, "take the key out": 1, "take it out": 1, "take out": 1, `"x" is no list`: 1,
		"Whoever reads it": 1, "its favourite": 1, "Members that it refuses": 2,
		"event/deprecated-member": 0, "there is no field": 0, "it is no longer served": 0,
		"remember to amend": 0, "remove the key": 0,
	} {
		if have := badWords(text, rules, right); len(have) != want {
			t.Errorf("%s: found %q, want %d", text, have, want)
		}
	}
}

// linesOf returns the lines of a file. For a Go file, lines contain only comments and strings.
func linesOf(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil || filepath.Ext(path) != ".go" {
		return strings.Split(string(text), "\n"), err
	}
	lines := make([]string, strings.Count(string(text), "\n")+1)
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return lines, nil
		}
		if tok != token.COMMENT && tok != token.STRING {
			continue
		}
		first := file.Line(pos) - 1
		for i, line := range strings.Split(lit, "\n") {
			lines[first+i] += " " + line
		}
	}
}
