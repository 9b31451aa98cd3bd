package gitignore

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// patterns lists ignore files of a few lines each. A bar separates lines.
var patterns = []string{
	"*.yaml", "/*.yaml", "a", "a/", "/a", "/a/", "a/b", "a/b/", "**/b", "a/**", "a/**|!a/c.yaml", "a/**/c.yaml", "a/**/b/c.yaml", "**",
	"a/*", "a/*/c.yaml", "*|!c.yaml", "*|!*/|!*.yaml", "a/*|!a/b/", "!a|a", "a|!a", "c.*", "?.yaml", "[a-c].yaml",
	"[!a-c].yaml", "[^a-c].yaml", "[c", "[]c].yaml",
	`\!x.yaml`, `\#x.yaml`, "#x.yaml", "!x.yaml", "x.yaml ", `x\ `, `x\ .yaml`, "{c,x}.yaml", `\{c,x}.yaml`, "b**", "**b",
	"/", "//", "!",
	"a//b", "  ", "x y.yaml", `c\.yaml`, `\c.yaml`, `c.yaml\`, `x\\ `, `x\\\ `, `x\\`, `x \ `, `x\  `, "é.yaml",
	"a/b/c.yaml|!c.yaml", "b/c.yaml", "**/a/**/c.yaml", "*/b", "/**/b", "\ufeffc.yaml", "c.yaml\r", "A", "a/b/**",
	"a/**/", "**/", "a/**/*.yaml", "a b", "a?b", "*a*", "**.yaml", "/**", "[!]c].yaml",
	"**/a/**/b/**/c.yaml", "**/**/c.yaml", "a/**/**/**", "a/[!x]/c.yaml", "a[!x]c.yaml", "a[/]c.yaml", `a\/c.yaml`,
	`a/b\/*`,
	"**/[ab/]/*.yaml", "*/*/c.yaml", "**/d/**", "***/c.yaml", "a/***/c.yaml", "a/x***/c.yaml", "d/****/c.*", "***",
	"**/*b/*", "d/**/b/*", "**/b/c.*",
	"a/*b*/?.yaml", "**/a/*/c.yaml", "?/**/?.yaml",
}

var paths = []string{
	"c.yaml", "x.yaml", "x", "x ", `x\`, `x\ `, "x  ", "x .yaml", "x y.yaml", "!x.yaml", "#x.yaml", "{c,x}.yaml",
	"é.yaml", "].yaml", "a/c.yaml", "a/x.yaml", "a/b/c.yaml", "a/b/d/c.yaml", "a/bb/c.yaml", "b/c.yaml", "b/a/c.yaml",
	"aa/c.yaml", "d/a/b/c.yaml",
}

// The results must be those of 'git check-ignore'.
func TestAgreesWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, lines := range patterns {
		text := strings.ReplaceAll(lines, "|", "\n") + "\n"
		want := checkIgnore(t, text)
		p := Parse(text)
		for _, path := range paths {
			if path == "é.yaml" && strings.ContainsAny(lines, "?[") {
				continue // two bytes to git, one character to us
			}
			if have := p.Contains(path); have != want[path] {
				t.Errorf("pattern %q, path %q: have left out %v, git says %v", lines, path, have, want[path])
			}
		}
	}
}

func checkIgnore(t *testing.T, text string) map[string]bool {
	dir := t.TempDir()
	run := func(in string, args ...string) string {
		c := exec.Command("git",
			append([]string{"-c", "core.quotePath=false", "-c", "core.excludesFile=" + os.DevNull}, args...)...)
		c.Dir, c.Stdin = dir, strings.NewReader(in)
		out, err := c.Output()
		if err != nil && args[0] != "check-ignore" { // check-ignore fails if it finds nothing
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	run("", "init", "-q")
	for _, path := range paths {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil && path != "x " {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(run(strings.Join(paths, "\x00"), "check-ignore", "-z", "--stdin"), "\x00") {
		ignored[path] = true
	}
	return ignored
}

func TestTheLastPatternThatMatchesDecides(t *testing.T) {
	p := Parse("# generated\n*.json\n!keep.json\n/build/\n")
	for _, c := range []struct {
		path  string
		isDir bool
		want  Verdict
	}{
		{"a.json", false, LeftOut}, {"sub/a.json", false, LeftOut}, {"sub/keep.json", false, Kept},
		{"a.yaml", false, Undecided},
		{"build", true, LeftOut}, {"build", false, Undecided}, {"sub/build", true, Undecided},
	} {
		if have := p.Match(c.path, c.isDir); have != c.want {
			t.Errorf("%s: have %d, want %d", c.path, have, c.want)
		}
	}
}
