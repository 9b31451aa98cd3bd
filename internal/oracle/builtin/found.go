//go:build sites

package builtin

import (
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// Sites holds the written cases, and the simplest other case for each error site.
type Sites struct {
	server  *Server
	best    map[string]parity.Case
	written []parity.Case
}

// NewSites returns a collection of written cases.
func NewSites(s *Server, written []parity.Case) *Sites {
	found := &Sites{server: s, best: map[string]parity.Case{}}
	for _, c := range written {
		c.Verdict = withoutMessages(s.SiteVerdict(c.Request))
		found.written = append(found.written, c)
	}
	return found
}

// Len returns the number of sites that have a case which nobody wrote.
func (s *Sites) Len() int { return len(s.best) }

// Add asks for the verdict on a case, and keeps the case for each site for which it is the simplest.
func (s *Sites) Add(c parity.Case) {
	if c.JSON {
		return
	}
	c.Verdict = withoutMessages(s.server.SiteVerdict(c.Request))
	for _, site := range c.Sites() {
		if best, ok := s.best[site]; !ok || isSimpler(c, best) {
			s.best[site] = c
		}
	}
}

// isSimpler reports whether a case has fewer sites than another, or as many and a shorter text. A create is simpler
// than an update.
func isSimpler(a, b parity.Case) bool {
	if x, y := len(a.Sites()), len(b.Sites()); x != y {
		return x < y
	}
	return len(a.New)+2*len(a.Old) < len(b.New)+2*len(b.Old)
}

// Cases returns the cases, each once: the written ones, then the others, sorted by site.
func (s *Sites) Cases() []parity.Case {
	var cases []parity.Case
	known := map[string]bool{}
	add := func(c parity.Case) {
		key := strings.Join([]string{c.Old, c.New}, "\x00")
		if !known[key] {
			known[key] = true
			cases = append(cases, c)
		}
	}
	for _, c := range s.written {
		add(c)
	}
	for _, site := range slices.Sorted(maps.Keys(s.best)) {
		add(s.best[site])
	}
	return cases
}
