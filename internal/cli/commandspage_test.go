package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page about commands shows the help of each command.
func TestThePageOfCommandsIsTheirHelp(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "commands.md")
	want := commandsPage(t)
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, _ := os.ReadFile(name); string(have) != want {
		t.Error("docs/commands.md is out of date; run 'go test ./internal/cli -run PageOfCommands -update'")
	}
}

func commandsPage(t *testing.T) string {
	var b, list strings.Builder
	b.WriteString(`# Commands and flags

This page is the help of each command, as ` + "`kindvet COMMAND --help`" + ` prints it. It is generated.

Each flag of ` + "`validate` and `baseline`" + ` has an environment variable:
` + "`KINDVET_FAIL_ON` is `--fail-on`" + `. Other commands read some of them. See
[Configuration](configuration.md#flags-and-environment-variables). [Exit codes](reports.md#exit-codes) are the same for all
commands.

| command | |
|---|---|
`)
	for _, c := range commands(rootCommand(&Streams{})) {
		if c.Hidden || c.CommandPath() == "kindvet help" || strings.HasPrefix(c.CommandPath(), "kindvet completion ") {
			continue
		}
		path := c.CommandPath()
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", path, strings.ReplaceAll(path, " ", "-"), c.Short)
		var help bytes.Buffer
		root := rootCommand(&Streams{})
		root.SetOut(&help)
		root.SetArgs(append(strings.Fields(path)[1:], "--help"))
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&list, "\n## %s\n\n```sh\n%s --help\n```\n\n```text\n%s```\n", path, path, help.String())
	}
	return b.String() + list.String()
}
