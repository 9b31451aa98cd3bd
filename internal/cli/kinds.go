package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/kinds"
)

func kindsCommand(s *Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "kinds",
		Short: "List the kinds of the registry",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "KIND\tGROUP\tVERSIONS\tSCOPE\tLIST KIND")
			for _, e := range kinds.Embedded().Entries() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, e.Group, strings.Join(e.Versions, ", "), e.Scope(), e.ListName)
			}
			return w.Flush()
		},
	}
}
