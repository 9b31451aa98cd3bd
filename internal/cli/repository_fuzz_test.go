package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/txtar"
)

// brokenTexts are texts that are nothing, that cannot be read, or that are not what a tool expects in its file.
var brokenTexts = []string{
	"", " ", "\n", "\t", "---\n", "---\n---\n", "# only a comment\n", "\ufeff", "\xff\xfe", "\x00", "null", "~", "0", "-1.5e308",
	"text", `"`, "'", "[", "]", "{", "}", "[]", "{}", "[[]]", "[null]", "[{}]", "- a\n- {b: c}\n", "a: [", "a: b: c", "a: &x [*x]",
	"a: *nowhere", "<<: *a", "<<: [1]", "? [a]\n: b", "%YAML 9.9\n---\na: b", "a: !!binary x", "a: .inf", "a: .nan", "1: 2\ntrue: 3",
	"a: |\n b", "{{ x }}", "{{ if", "${a}", "{% for %}", "a: b\na: c", "...\n", "\r", "a:\r\n\tb",
	"apiVersion: v1\nkind: [", "apiVersion: v1\nkind: ConfigMap\n---\na: [\n---\nmetadata: 0\n",
	"apiVersion: 1\nkind: {}\nmetadata: []\nspec: text\n", "apiVersion: v1\nkind: List\nitems: [null, 1, [], {}, {apiVersion: v1, kind: List, items: {}}]\n",
	"spec: [{steps: 1}]\n", "spec: {steps: {}, try: [null, {assert: null}, {assert: {file: [}}]}", "spec:\n  steps: [null, {try: {}}, {try: [null, {assert: []}]}]\n",
	"resources: {}\n", "resources: [null, 1, {}]\npatches: [null, []]\ncomponents: null\n", "dependencies: {}\n", "dependencies: [null, 1, {name: []}]\n",
	`{"a": }`, `{"a": 1,}`, `{"a": "\ud800"}`, `[1, 2`, `{"version": 1, "findings": null}`, `{"properties": null, "$ref": "#"}`,
	`{"type": 1, "properties": []}`, strings.Repeat("[", 200), strings.Repeat("a: {", 200), strings.Repeat("- ", 200),
}

// These calls of the program read the repository in $DIR.
var repositoryCalls = []string{
	"validate -v $DIR", "validate -o sarif --profile all $DIR", "validate --old $DIR --no-suppressions $DIR",
	"validate --no-ignore --no-config -o json $DIR/chart $DIR/app", "config show $DIR", "baseline create $DIR/new.json $DIR", "test $DIR/rules",
}

// Any text in any file of a repository that a tool gives a meaning leads to a report or an error, never to a panic. A
// report has no control characters.
func FuzzAnyRepositoryGivesAReport(f *testing.F) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "repository.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	files := archive.Files
	for i := range files { // each file, alone and with others, with texts that cannot be read and with another one
		other := brokenTexts[i*7%len(brokenTexts)]
		f.Add(uint8(i), "a: [", uint8(i), "a: [", uint8(0), true)
		f.Add(uint8(i), "{{ x }}", uint8(i+1), other, uint8(i), false)
		f.Add(uint8(i), other, uint8(i+2), "[]", uint8(i+1), false)
	}
	f.Fuzz(func(t *testing.T, first uint8, text string, second uint8, other string, call uint8, isAlone bool) {
		dir := t.TempDir()
		write := func(name, text string) {
			full := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, file := range files {
			if !isAlone || file.Name == "deploy.yaml" {
				write(file.Name, string(file.Data))
			}
		}
		if !isAlone {
			write(files[int(second)%len(files)].Name, other)
		}
		write(files[int(first)%len(files)].Name, text)
		var out, trouble strings.Builder
		args := strings.ReplaceAll(repositoryCalls[int(call)%len(repositoryCalls)], "$DIR", dir)
		code := Main(strings.Fields(args), Streams{
			In: strings.NewReader(""), Out: &out, Err: &trouble, Getenv: func(string) string { return "" },
			Now: func() time.Time { return time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC) },
		})
		if code > exitTrouble || code == exitTrouble && trouble.Len() == 0 {
			t.Errorf("exit code %d and %q", code, trouble.String())
		}
		isControl := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
		for _, text := range []string{out.String(), trouble.String()} {
			if i := strings.IndexFunc(text, isControl); i >= 0 {
				t.Errorf("a control character in %q", text[max(0, i-100):i+1])
			}
		}
	})
}
