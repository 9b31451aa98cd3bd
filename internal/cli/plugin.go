package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandName returns what a person types to start the program: "kindvet", or "kubectl kindvet" where kubectl runs it
// as a plugin, which is a program whose name starts with "kubectl-"
// (kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins).
func commandName(program string) string {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return "kindvet"
}

// callBy makes usage lines, examples and hints of a command and those below it say the name that the program was
// called by.
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

// hintsBy makes the hints of a text, which name a command in quotes, say the name that the program was called by.
func hintsBy(name, text string) string { return strings.ReplaceAll(text, "'kindvet ", "'"+name+" ") }
