//go:build sites

package builtin

import (
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/parity"
)

// Sites holds the simplest case for each error site.
type Sites struct {
	server *Server
	best   map[string]parity.Case
}

// NewSites returns a collection without cases.
func NewSites(s *Server) *Sites { return &Sites{s, map[string]parity.Case{}} }

// Len returns the number of sites that have a case.
func (s *Sites) Len() int { return len(s.best) }

// Add asks for the verdict on a case, and keeps the case for each site for which it is the simplest.
func (s *Sites) Add(c parity.Case) {
	if c.JSON {
		return
	}
	verdict, sites := s.server.SiteVerdict(c.Request)
	if len(sites) == 0 {
		return
	}
	c.Sites = sites
	for _, site := range sites {
		if best, ok := s.best[site]; !ok || isSimpler(c, best) {
			c.Verdict = withoutMessages(verdict)
			s.best[site] = c
		}
	}
}

// isSimpler reports whether a case has fewer sites than another, or as many and a shorter text. A create is simpler
// than an update.
func isSimpler(a, b parity.Case) bool {
	if len(a.Sites) != len(b.Sites) {
		return len(a.Sites) < len(b.Sites)
	}
	return len(a.New)+2*len(a.Old) < len(b.New)+2*len(b.Old)
}

// Cases returns the cases, sorted, each once.
func (s *Sites) Cases() []parity.Case {
	var cases []parity.Case
	known := map[string]bool{}
	for _, site := range slices.Sorted(maps.Keys(s.best)) {
		c := s.best[site]
		key := strings.Join([]string{c.Old, c.New}, "\x00")
		if !known[key] {
			known[key] = true
			cases = append(cases, c)
		}
	}
	return cases
}
