package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A helpGroup is a part of a long list of commands or flags. Its names are listed in order.
type helpGroup struct {
	title string
	names []string
}

// commandGroups are the groups of commands. Other commands are listed as "More commands".
var commandGroups = []helpGroup{
	{"Check manifests", []string{"validate", "baseline"}},
	{"Look up kinds and rules", []string{"explain", "kinds", "rules"}},
	{"Set up a repository", []string{"config", "schemas", "completion"}},
}

// flagGroups are the groups of flags of commands that check manifests. Other flags are listed as "More flags".
var flagGroups = []helpGroup{
	{"Input", []string{
		"schemas", "kubernetes-version", "feature-gate", "no-discovery", "config", "unknown-kinds", "stdin-filename", "allow-empty",
		"no-ignore", "force-exclude", "jobs",
	}},
	{"Rules", []string{"profile", "enable", "disable", "severity", "rules", "fail-on", "baseline", "no-suppressions"}},
	{"Output", []string{
		"output", "quiet", "verbose", "one-line", "statistics", "color", "show-suppressed", "max-findings",
		"junit-dialect", "passthrough",
	}},
	{
		"Helm charts", []string{
			"chart", "values", "set", "set-string", "release-name", "namespace", "kube-version", "api-versions", "helm-version", "include-crds",
		},
	},
	{"Admission policies", []string{"policies", "user", "group", "operation"}},
	{"Git", []string{"staged", "since", "old"}},
	{"Fixes", []string{"fix", "unsafe-fixes", "diff", "rule", "exit-non-zero-on-fix"}},
}

// Flag lists that are longer than this are grouped.
const longFlagList = 8

// setHelp makes a command and its subcommands print their help in groups, in lines of at most pageWidth columns.
func setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		text := c.Long
		if text == "" {
			text = c.Short
		}
		fmt.Fprintf(c.OutOrStdout(), "%s\n\n", wrapParagraphs(text, pageWidth))
		writeUsage(c.OutOrStdout(), c)
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		writeUsage(c.OutOrStderr(), c)
		return nil
	})
}

func writeUsage(w io.Writer, c *cobra.Command) {
	fmt.Fprint(w, "Usage:\n")
	takesArguments := strings.Contains(c.Use, " ")
	if takesArguments || !c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s [command]\n", c.CommandPath())
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	writeCommands(w, c)
	writeFlags(w, c.LocalFlags())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nUse '%s [command] --help' for more information about a command.\n", c.CommandPath())
	}
}

// writeCommands lists the subcommands of a command.
func writeCommands(w io.Writer, c *cobra.Command) {
	var names []string
	lines := map[string]string{}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() || below.Name() == "help" {
			names = append(names, below.Name())
			lines[below.Name()] = fmt.Sprintf("  %-*s  %s\n", below.NamePadding(), below.Name(), below.Short)
		}
	}
	groups := []helpGroup{{"Commands", names}}
	if !c.HasParent() {
		groups = grouped(names, commandGroups, "More commands")
	}
	for _, g := range groups {
		if len(g.names) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", g.title)
		for _, name := range g.names {
			fmt.Fprint(w, lines[name])
		}
	}
}

// writeFlags lists flags. Long lists are grouped.
func writeFlags(w io.Writer, flags *pflag.FlagSet) {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	groups := []helpGroup{{"Flags", names}}
	if len(names) > longFlagList {
		groups = grouped(names, flagGroups, "More flags")
	}
	for _, g := range groups {
		if len(g.names) == 0 {
			continue
		}
		part := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		part.SortFlags = false
		for _, name := range g.names {
			part.AddFlag(flags.Lookup(name))
		}
		fmt.Fprintf(w, "\n%s:\n%s", g.title, part.FlagUsagesWrapped(pageWidth))
	}
}

// grouped returns the groups, reduced to the given names. A last group has the remaining names.
func grouped(names []string, groups []helpGroup, more string) []helpGroup {
	rest := slices.Clone(names)
	var list []helpGroup
	for _, g := range groups {
		isOther := func(name string) bool { return !slices.Contains(names, name) }
		g.names = slices.DeleteFunc(slices.Clone(g.names), isOther)
		rest = slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(g.names, name) })
		list = append(list, g)
	}
	return append(list, helpGroup{more, rest})
}
