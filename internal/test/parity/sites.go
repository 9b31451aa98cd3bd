package parity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrorSite is a place in upstream's source where validation makes an error.
type ErrorSite struct {
	// File is relative to its module's packages, such as core/validation/validation.go.
	File     string
	Line     int
	Function string
	// Type is the constructor of the error, such as Invalid.
	Type string
	// State is seen, elsewhere, together, missed, unreachable, left out, rule or open; see sites.tsv.
	State string
	// Note is our message or the reason of the state.
	Note string
}

// Name returns the name of the site in recorded cases.
func (s ErrorSite) Name() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// sitesHeader explains the columns of sites.tsv.
const sitesHeader = `# Every place in kube-apiserver (see go.mod) where the validation of a built-in kind makes an error.
# seen: a recorded case gets there, and kindvet rejects it with this message at or near the same field.
# elsewhere: a recorded case gets there, and kindvet rejects it with this message, but at another field.
# together: a recorded case gets there only with other errors of the server, and kindvet reports this one of them.
# missed: a recorded case gets there, and kindvet allows it.
# unreachable: no create or apply gets there; the note says why.
# left out: kindvet does not check it; the note says why.
# rule: kindvet checks it as the note says, but no recorded case gets there.
# open: nobody has looked at it, and no recorded case gets there.
# file	line	function	type	state	note
`

// ReadSites returns the sites of a table.
func ReadSites(text string) ([]ErrorSite, error) {
	var sites []ErrorSite
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 6 {
			return nil, fmt.Errorf("%d cells: %q", len(cells), line)
		}
		n, err := strconv.Atoi(cells[1])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		sites = append(sites,
			ErrorSite{File: cells[0], Line: n, Function: cells[2], Type: cells[3], State: cells[4], Note: cells[5]})
	}
	return sites, nil
}

// WriteSites returns the table of sites.
func WriteSites(sites []ErrorSite) string {
	var b strings.Builder
	b.WriteString(sitesHeader)
	for _, s := range sites {
		note := strings.Join(strings.Fields(s.Note), " ")
		fmt.Fprintf(&b, "%s\t%d\t%s\t%s\t%s\t%s\n", s.File, s.Line, s.Function, s.Type, s.State, note)
	}
	return b.String()
}

// Sites returns the error sites that a case reaches, sorted.
func (c *Case) Sites() []string {
	var sites []string
	for _, cause := range c.Verdict.Causes {
		if cause.Site != "" {
			sites = append(sites, cause.Site)
		}
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}
