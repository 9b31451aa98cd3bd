package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/run"
)

func kindsCommand(s *Streams) *cobra.Command {
	var o run.Options
	c := &cobra.Command{
		Use:   "kinds",
		Short: "List known kinds",
		Long: `List the kinds that are known in the current directory: built-in kinds, with the names from the configuration, and kinds from
--schemas and the configuration.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			registry, err := registryOf(c, s, o)
			if err != nil {
				return err
			}
			return printClean(s.Out, func(out io.Writer) error {
				w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "KIND\tGROUP\tVERSIONS\tSCOPE\tLIST KIND")
				for _, e := range registry.Entries() {
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, e.Group, strings.Join(e.Versions, ", "), e.Scope(), e.ListName)
				}
				return w.Flush()
			})
		},
	}
	registryFlags(c, &o)
	return c
}
