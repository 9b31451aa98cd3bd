package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kindvet/kindvet/internal/catalog"
)

// complete returns the words that a shell offers after the given words, without descriptions.
func complete(root *cobra.Command, words ...string) []string {
	var out bytes.Buffer
	addCompletions(root)
	root.SetArgs(append([]string{cobra.ShellCompNoDescRequestCmd}, words...))
	root.SetOut(&out)
	root.SetErr(&bytes.Buffer{})
	if err := root.Execute(); err != nil {
		return []string{err.Error()}
	}
	lines := strings.Fields(out.String())
	return lines[:len(lines)-1] // the last line is a directive for the shell
}

// An error about an invalid value lists the valid ones, which are the completions.
func TestCompletionsOfAFlagAreTheValuesItTakes(t *testing.T) {
	for _, name := range []string{"output", "color", "fail-on", "junit-dialect", "unknown-kinds"} {
		var errors bytes.Buffer
		s := &Streams{
			In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &errors, Getenv: func(string) string { return "" },
			Now: time.Now,
		}
		Main([]string{"validate", "--" + name + "=no-such"}, *s)
		_, use, ok := strings.Cut(errors.String(), ": use ")
		if !ok {
			t.Errorf("--%s: nothing said about what to use: %s", name, errors.String())
			continue
		}
		want := strings.Fields(strings.NewReplacer(", ", " ", " or ", " ").Replace(use))
		if have := complete(rootCommand(s), "validate", "--"+name, ""); !slices.Equal(have, want) {
			t.Errorf("--%s: have %q, want %q", name, have, want)
		}
	}
}

func TestCompletionsAreOfFlagsAndCommandsThatExist(t *testing.T) {
	known := map[string]bool{"kindvet explain": true}
	for _, c := range commands(rootCommand(&Streams{})) {
		known[c.CommandPath()] = true
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name], known[c.CommandPath()+" --"+f.Name] = true, true })
	}
	for name := range flagValues {
		if !known[name] {
			t.Errorf("there is no flag %s", name)
		}
	}
	for path := range argumentValues {
		if !known[path] {
			t.Errorf("there is no command %s", path)
		}
	}
}

func TestKindsAreCompleted(t *testing.T) {
	root := func() *cobra.Command {
		root := &cobra.Command{Use: "kindvet"}
		root.AddCommand(&cobra.Command{Use: "explain", Run: func(*cobra.Command, []string) {}})
		return root
	}
	if have, want := complete(root(), "explain", ""), len(catalog.Embedded().Entries()); len(have) != want {
		t.Errorf("have %d kinds, want all %d", len(have), want)
	}
	if have := complete(root(), "explain", "Target"); !slices.Equal(have, []string{"TargetGroupBinding"}) {
		t.Errorf("have %q, want TargetGroupBinding", have)
	}
}
