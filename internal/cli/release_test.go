package cli

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
)

// The release build writes these files with
//
//	go test ./internal/cli -run TestReleaseFiles -release "$PWD/.release"
//
// and with SOURCE_DATE_EPOCH set to the time of the commit, which is the date of the man pages.
var release = flag.String("release", "",
	"write man pages and shell completions to this `directory`, for the archives of a release")

// kubectlComplete is what kubectl runs to complete the arguments of the plugin: a program of this name on the PATH.
const kubectlComplete = "#!/bin/sh\nexec kubectl kindvet __complete \"$@\"\n"

// A release generates man pages and completions from the commands, so they cannot be out of date. A test generates
// them because the program should not contain a library that formats man pages.
func TestReleaseFiles(t *testing.T) {
	dir := *release
	if dir == "" {
		dir = t.TempDir()
		t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	}
	writeManPages(t, filepath.Join(dir, "man"))
	writeCompletions(t, filepath.Join(dir, "completions"))
	for _, c := range commands(rootCommand(&Streams{})) {
		checkManPage(t, manPage(filepath.Join(dir, "man"), c), c)
	}
	for _, name := range []string{"kindvet.bash", "_kindvet", "kindvet.fish", "kindvet.ps1", "kubectl_complete-kindvet"} {
		text, err := os.ReadFile(filepath.Join(dir, "completions", name))
		if err != nil || !bytes.Contains(text, []byte("__complete")) {
			t.Errorf("%s: %d bytes, which ask the program nothing (%v)", name, len(text), err)
		}
	}
}

func writeCompletions(t *testing.T, dir string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	root := rootCommand(&Streams{})
	write(t, filepath.Join(dir, "kindvet.bash"), 0o644,
		func(w io.Writer) error { return root.GenBashCompletionV2(w, true) })
	write(t, filepath.Join(dir, "_kindvet"), 0o644, root.GenZshCompletion)
	write(t, filepath.Join(dir, "kindvet.fish"), 0o644,
		func(w io.Writer) error { return root.GenFishCompletion(w, true) })
	write(t, filepath.Join(dir, "kindvet.ps1"), 0o644, root.GenPowerShellCompletionWithDesc)
	write(t, filepath.Join(dir, "kubectl_complete-kindvet"), 0o755, func(w io.Writer) error {
		_, err := io.WriteString(w, kubectlComplete)
		return err
	})
}

func write(t *testing.T, name string, mode os.FileMode, render func(io.Writer) error) {
	var text bytes.Buffer
	if err := render(&text); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := os.WriteFile(name, text.Bytes(), mode); err != nil {
		t.Fatal(err)
	}
}

// commands returns a command and all commands below it that help lists.
func commands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			all = append(all, commands(below)...)
		}
	}
	return all
}
