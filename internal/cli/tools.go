package cli

import (
	"fmt"
	"io"

	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/render"
)

// listTools lists how to check what other programs write from files that were found.
func listTools(w io.Writer, tools []find.Tool) {
	for _, t := range tools {
		advice := t.Advice
		if t.Command != "" {
			advice = "run '" + t.Command + " | kindvet validate -'"
		}
		fmt.Fprintln(w, "  "+t.Name+" ("+render.Clean(t.File)+"): to check what it writes, "+advice)
	}
}
