package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/render"
)

// maxHints limits how many hints about kinds are listed by default. A summary should be shorter than the findings.
const maxHints = 5

// hint is a line of the summary about documents that were not, or not fully, validated: their group and, if the line is about
// some kinds of the group only, these; and what to do, as a sentence or as sources of schemas.
type hint struct {
	group, advice string
	kinds         []string
	sources       []string
	documents     int
}

// hints returns what the summary says about the kinds of a report: a hint for each group without schemas, and for each advice
// about kinds of a group, those with the most documents first.
func hints(r *diag.Report) []*hint {
	type key struct{ group, advice string }
	known := map[key]*hint{}
	var list []*hint
	for _, n := range r.KindNotes {
		if !n.IsSkipped && n.Hint == "" {
			continue
		}
		h := known[key{n.Group, n.Hint}]
		if h == nil {
			h = &hint{group: n.Group, advice: n.Hint}
			known[key{n.Group, n.Hint}] = h
			list = append(list, h)
		}
		h.documents += n.Documents
		h.kinds = append(h.kinds, n.Kind)
		if n.Hint == "" {
			h.addSource(n.Group, n.Kind)
		}
	}
	slices.SortStableFunc(list, func(a, b *hint) int {
		return cmp.Or(b.documents-a.documents, cmp.Compare(a.group, b.group))
	})
	return list
}

// addSource adds the source of the schemas of a kind, if one is known.
func (h *hint) addSource(group, kind string) {
	p, ok := projects.ForKind(group, kind)
	if !ok {
		p, ok = projects.ForGroup(group)
	}
	if ok && !slices.Contains(h.sources, p.Source()) {
		h.sources = append(h.sources, p.Source())
	}
}

func (h *hint) String() string {
	documents := " (" + diag.Count(h.documents, "document") + ")"
	if h.advice != "" {
		subject := render.Clean(strings.TrimSuffix(h.kinds[0]+"."+h.group, "."))
		if more := len(h.kinds) - 1; more > 0 {
			subject += " and " + diag.Count(more, "more kind")
		}
		return subject + documents + ": " + render.Clean(h.advice)
	}
	line := "no schema for " + render.Clean(cmp.Or(h.group, "the core group")) + documents
	if !catalog.IsKubernetesGroup(h.group) { // its kinds are not defined by CRDs
		line += ": kindvet schemas add " + cmp.Or(strings.Join(h.sources, " "), "SOURCE")
	}
	return line
}

// listHints writes a line for each hint, and one for the command that follows all of them that name sources. Unless the caller asks for all, what is above maxHints is one line.
func listHints(w io.Writer, r *diag.Report, all bool) {
	list := hints(r)
	known := map[string]bool{}
	for _, h := range list {
		for _, source := range h.sources {
			known[source] = true
		}
	}
	if len(known) > 1 {
		defer fmt.Fprintln(w, "  all known schemas, in the versions that the repository uses: kindvet schemas add --detect")
	}
	for i, h := range list {
		if i == maxHints && !all {
			documents := 0
			for _, h := range list[i:] {
				documents += h.documents
			}
			fmt.Fprintf(w, "  and %s (%s); --verbose lists them\n", diag.Count(len(list)-i, "more group"),
				diag.Count(documents, "document"))
			return
		}
		fmt.Fprintln(w, "  "+h.String())
	}
}
