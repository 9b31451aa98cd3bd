package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandName returns what a user types to start the program: "kindvet", or "kubectl kindvet" if kubectl runs it as a
// plugin. The names of plugins start with "kubectl-" (kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins).
func commandName(program string) string {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return "kindvet"
}

// callBy replaces the program name in the usage lines, examples and hints of a command and its subcommands by the
// name that the user types.
func callBy(name string, c *cobra.Command) {
	if !c.HasParent() {
		c.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: name}
	}
	c.Example = strings.ReplaceAll(c.Example, "kindvet ", name+" ")
	c.Long = hintsBy(name, c.Long)
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = hintsBy(name, f.Usage) })
	for _, below := range c.Commands() {
		callBy(name, below)
	}
}

// hintsBy replaces the program name in the hints of a text by the name that the user types. Hints are commands in
// quotes.
func hintsBy(name, text string) string { return strings.ReplaceAll(text, "'kindvet ", "'"+name+" ") }
