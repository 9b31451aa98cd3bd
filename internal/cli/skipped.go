package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/render"
)

// maxSkippedGroups is how many API groups without schemas are listed, unless all are asked for.
const maxSkippedGroups = 5

// skippedGroup is an API group of which documents had no schema, and the source that has the schemas; "" if none is
// known.
type skippedGroup struct{ name, source string }

// listSkippedGroups writes a line for each API group of which documents had no schema, with the command that would add
// it. Groups that a hint is about are not listed again.
func listSkippedGroups(w io.Writer, r *diag.Report, all bool) {
	documents := map[skippedGroup]int{}
	var groups []skippedGroup
	for _, n := range r.KindNotes {
		if !n.IsSkipped || n.Hint != "" || n.Group == "" {
			continue
		}
		g := skippedGroup{name: n.Group}
		if p, ok := projects.ForKind(n.Group, n.Kind); ok {
			g.source = p.Source()
		} else if p, ok := projects.ForGroup(n.Group); ok {
			g.source = p.Source()
		}
		if documents[g] == 0 {
			groups = append(groups, g)
		}
		documents[g] += n.Documents
	}
	slices.SortFunc(groups, func(a, b skippedGroup) int {
		return cmp.Or(documents[b]-documents[a], cmp.Compare(a.name, b.name), cmp.Compare(a.source, b.source))
	})
	for i, g := range groups {
		if i == maxSkippedGroups && !all {
			fmt.Fprintf(w, "  and %s; --verbose lists them\n", diag.Count(len(groups)-i, "more group"))
			return
		}
		line := fmt.Sprintf("  no schema for %s (%s)", render.Clean(g.name), diag.Count(documents[g], "document"))
		if !catalog.IsKubernetesGroup(g.name) { // its kinds have no CRDs
			line += ": kindvet schemas add " + cmp.Or(g.source, "SOURCE")
		}
		fmt.Fprintln(w, line)
	}
}
