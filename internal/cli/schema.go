package cli

import (
	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/render"
)

func schemaCommand(s *Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a kindvet output file",
	}
	addGroup(c, &cobra.Command{
		Use:   "report",
		Short: "Print the JSON Schema of 'kindvet validate -o json'",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := s.Out.Write(render.ReportSchema)
			return err
		},
	})
	return c
}
