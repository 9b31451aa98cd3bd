package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// An entry is a name in a section of a man page, and what it means.
type entry struct{ name, text string }

// findingsOf are the commands that exit with 1, and when they do.
var findingsOf = map[string]string{
	"kindvet validate":      "There are findings at or above --fail-on.",
	"kindvet config check":  "A configuration file, or a file that it names, has findings.",
	"kindvet schemas check": "A file differs from the lock file.",
	"kindvet test":          "An example differs from what its rule finds.",
	"kindvet rules test":    "An example differs from what its rule finds.",
}

// colorVariables are the variables of commands with --color, in the order of precedence.
var colorVariables = []entry{
	{"FORCE_COLOR", "If it is set, the output is colored, or with the value 0 it is not. --color overrides it."},
	{"NO_COLOR", "If it is set, the output is not colored."},
	{"CLICOLOR_FORCE", "If it is set to another value than 0, the output is colored."},
	{"CLICOLOR, TERM", "With CLICOLOR=0 or TERM=dumb, the output is not colored on a terminal either."},
}

// manFiles are the files of commands with --config.
var manFiles = []entry{
	{".kindvet.yaml", "The configuration. The nearest one in the directory of a file or above it applies."},
	{".kindvet/schemas, .kindvet/schemas.lock", "The CRDs that 'kindvet schemas add' wrote, and where they are from."},
	{".kindvet-baseline.json", "Known findings that are not reported again, next to the configuration."},
	{".kindvetignore, .gitignore", "Patterns of files that a search skips."},
}

func writeManPages(t *testing.T, dir string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	header := &doc.GenManHeader{Section: "1", Source: "kindvet", Manual: "kindvet manual"}
	if err := doc.GenManTree(rootCommand(&Streams{}), header, dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands(rootCommand(&Streams{})) {
		name := manPage(dir, c)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		page, links, ok := bytes.Cut(text, []byte(".SH SEE ALSO\n"))
		if !ok {
			t.Errorf("%s: has no links", name)
		}
		text = slices.Concat(page, []byte(manSections(c)), []byte(".SH SEE ALSO\n"), links)
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func manPage(dir string, c *cobra.Command) string {
	return filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
}

// manSections returns the sections that cobra does not write. Only commands that use the configuration read it and
// have variables for their flags.
func manSections(c *cobra.Command) string {
	status := []entry{{fmt.Sprint(exitOK), "Success."}}
	if text, ok := findingsOf[c.CommandPath()]; ok {
		status = append(status, entry{fmt.Sprint(exitViolations), text})
	}
	status = append(status, entry{fmt.Sprint(exitTrouble), "kindvet failed. Standard error has the reason."},
		entry{fmt.Sprint(exitInterrupted), "kindvet was interrupted."})
	var variables []entry
	if c.Flags().Lookup("config") != nil {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" {
				variables = append(variables, entry{variable(f.Name), "Sets --" + f.Name + "."})
			}
		})
	}
	if c.Flags().Lookup("color") != nil {
		variables = append(variables, colorVariables...)
	}
	text := manSection("EXIT STATUS", status) + manSection("ENVIRONMENT", variables)
	if c.Flags().Lookup("config") != nil {
		text += manSection("FILES", manFiles)
	}
	return text
}

func manSection(title string, entries []entry) string {
	if len(entries) == 0 {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, ".SH %s\n", title)
	escape := strings.NewReplacer("-", `\-`, "\n.", "\n\\&.").Replace
	for _, e := range entries {
		fmt.Fprintf(&text, ".TP\n\\fB%s\\fP\n%s\n", escape(e.name), escape(e.text))
	}
	return text.String() + "\n\n"
}

// checkManPage compares a page with its command: it must contain all flags, variables and subcommands.
func checkManPage(t *testing.T, name string, c *cobra.Command) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
		return
	}
	page := strings.ReplaceAll(string(text), `\-`, "-")
	readsFiles := c.Flags().Lookup("config") != nil
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !strings.Contains(page, "--"+f.Name) {
			t.Errorf("%s: no word on --%s", name, f.Name)
		}
		if readsFiles && !f.Hidden && f.Name != "help" && !strings.Contains(page, "\n\\fB"+variable(f.Name)+"\\fP\n") {
			t.Errorf("%s: no word on %s", name, variable(f.Name))
		}
	})
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && !strings.Contains(page, strings.ReplaceAll(below.CommandPath(), " ", "-")+"(1)") {
			t.Errorf("%s: no link to %s", name, below.CommandPath())
		}
	}
	if !strings.Contains(page, "\n.SH EXIT STATUS\n") || strings.Contains(page, "\n.SH FILES\n") != readsFiles {
		t.Errorf("%s: exit codes or files are missing, or files that it does not read are named", name)
	}
	if *release == "" && !strings.Contains(page, time.Unix(1767225600, 0).UTC().Format("Jan 2006")) {
		t.Errorf("%s: not dated by SOURCE_DATE_EPOCH", name)
	}
}

func TestManPagesNameTheCommandsThatFind(t *testing.T) {
	var paths []string
	for _, c := range commands(rootCommand(&Streams{})) {
		paths = append(paths, c.CommandPath())
	}
	for path := range findingsOf {
		if !slices.Contains(paths, path) {
			t.Errorf("there is no command %s", path)
		}
	}
}
