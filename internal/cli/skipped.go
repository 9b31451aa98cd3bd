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

// maxSkippedGroups limits how many API groups without schemas are listed by default.
const maxSkippedGroups = 5

// skippedGroup is an API group with documents that had no schema. source is a source of the schemas; "" if none is
// known.
type skippedGroup struct{ name, source string }

// listSkippedGroups writes a line for each API group with documents that had no schema. The line has the command that
// adds the schemas. Groups with a hint are omitted.
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
		if !catalog.IsKubernetesGroup(g.name) { // its kinds are not defined by CRDs
			line += ": kindvet schemas add " + cmp.Or(g.source, "SOURCE")
		}
		fmt.Fprintln(w, line)
	}
}
