package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// helpOf returns the help of a command as it is printed.
func helpOf(t *testing.T, program string, args ...string) string {
	t.Helper()
	var out, trouble bytes.Buffer
	s := Streams{
		Program: program, In: strings.NewReader(""), Out: &out, Err: &trouble, Getenv: func(string) string { return "" },
		Now: time.Now,
	}
	if code := Main(append(args, "--help"), s); code != exitOK {
		t.Fatalf("%q: exit code %d: %s", args, code, trouble.String())
	}
	return out.String()
}

func TestHelpHasAtMost100Columns(t *testing.T) {
	paths := [][]string{{"completion"}, {"completion", "bash"}, {"completion", "powershell"}, {"help"}}
	for _, c := range commands(rootCommand(&Streams{})) {
		if n := len(c.Short); n > 70 {
			t.Errorf("%s: the short help has %d characters, the most are 70", c.CommandPath(), n)
		}
		paths = append(paths, strings.Fields(c.CommandPath())[1:])
	}
	for _, path := range paths {
		for line := range strings.Lines(helpOf(t, "kindvet", path...)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("help of %q: a line of %d columns: %s", path, n, line)
			}
		}
	}
}

func TestEachFlagOfALongListIsInAGroup(t *testing.T) {
	known := map[string]bool{"help": true}
	for _, g := range flagGroups {
		for _, name := range g.names {
			known[name] = true
		}
	}
	for _, c := range commands(rootCommand(&Streams{})) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if len(names) <= longFlagList {
			continue
		}
		for _, name := range names {
			if !known[name] {
				t.Errorf("%s --%s is in none of flagGroups", c.CommandPath(), name)
			}
		}
	}
}

// The help of a flag names its value, such as FILE. Otherwise it would show the type of Go, such as "string".
func TestEachFlagNamesItsValue(t *testing.T) {
	root := rootCommand(&Streams{})
	for _, c := range commands(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); name != strings.ToUpper(name) {
				t.Errorf("%s --%s has the value %q", c.CommandPath(), f.Name, name)
			}
		})
	}
}

func TestCompletionIsDescribedAlikeForEachShell(t *testing.T) {
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		help := helpOf(t, "kindvet", "completion", shell)
		if want := "Print the completion script of " + shell + "."; !strings.HasPrefix(help, want) ||
			!strings.Contains(help, "Examples:\n  ") || strings.Contains(help, "autocompletion") {
			t.Errorf("%s: have %q", shell, help)
		}
	}
	if help := helpOf(t, "kubectl-kindvet", "completion", "fish"); !strings.Contains(help, "kubectl kindvet completion") {
		t.Errorf("have %q", help)
	}
}

func TestGroupsHoldEachNameOnce(t *testing.T) {
	groups := grouped([]string{"c", "a", "x", "b"},
		[]helpGroup{{"one", []string{"a", "b", "gone"}}, {"two", []string{"c"}}}, "more")
	var have []string
	for _, g := range groups {
		have = append(have, g.title+": "+strings.Join(g.names, " "))
	}
	if want := []string{"one: a b", "two: c", "more: x"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestParagraphsAreWrappedAndIndentedLinesAreNot(t *testing.T) {
	have := wrapParagraphs("one two\nthree four\n  five six seven eight\nnine\n\n\tten eleven twelve\nthirteenlong x", 9)
	want := "one two\nthree\nfour\n  five six seven eight\nnine\n\n\tten eleven twelve\nthirteenlong\nx"
	if have != want {
		t.Errorf("have %q, want %q", have, want)
	}
}
