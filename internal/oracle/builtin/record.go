package builtin

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// Record returns cases with verdicts: each manifest in YAML and JSON and as an update of itself, and for each kind the
// same number of mutations, one in five as an update. Mutations whose verdict would differ from call to call are left
// out. After them come the updates of live objects that the server accepts, of as many as one in five mutations.
func (s *Server) Record(m *Mutator, mutations int) []parity.Case {
	var cases []parity.Case
	for _, from := range m.seeds {
		whole, asJSON := text(from.object, false), text(from.object, true)
		cases = append(cases,
			s.record(parity.Case{Kind: from.kind, Name: "a good object", Request: parity.Request{New: whole}}),
			s.record(parity.Case{
				Kind: from.kind, Name: "a good object, in JSON", Request: parity.Request{New: asJSON, JSON: true},
			}))
		update := s.record(parity.Case{
			Kind: from.kind, Name: "nothing changes", Request: parity.Request{New: whole, Old: whole},
		})
		if update.Verdict.Accepted { // reviews and bindings are not stored
			cases = append(cases, update)
		}
	}
	for _, kind := range m.kinds {
		for i := range mutations {
			c := m.next(kind[i%len(kind)])
			if i%5 == 0 {
				c = m.nextUpdate(kind[i%len(kind)])
			}
			c = s.record(c)
			switch c.Verdict.Stage {
			case "", "decode", "strict", "validation":
				if !isAtVolumeOfClaim(c) {
					cases = append(cases, c)
				}
			}
		}
	}
	for _, kind := range m.kinds {
		for i := range mutations / 5 {
			c, ok := m.nextLive(kind[i%len(kind)])
			if !ok {
				continue
			}
			if c = s.record(c); c.Verdict.Accepted {
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// isAtVolumeOfClaim reports whether the server rejects a volume that it made from a claim template of a StatefulSet.
// The index of such a volume differs from call to call, because volumesToAddForTemplates in
// pkg/apis/apps/validation/validation.go returns a map.
func isAtVolumeOfClaim(c parity.Case) bool {
	return c.Kind == "apps/v1 StatefulSet" && slices.ContainsFunc(c.Verdict.Causes, func(cause parity.Cause) bool {
		return strings.HasPrefix(cause.Field, "spec.template.spec.volumes[")
	})
}

// record sets the verdict of a case without its messages, which hold times and generated identifiers.
func (s *Server) record(c parity.Case) parity.Case {
	c.Verdict = withoutMessages(s.Verdict(c.Request))
	return c
}

func withoutMessages(v parity.Verdict) parity.Verdict {
	v.Warnings = nil
	v.Causes = slices.Clone(v.Causes)
	for i := range v.Causes {
		v.Causes[i].Message = ""
	}
	slices.SortFunc(v.Causes, func(a, b parity.Cause) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Site, b.Site))
	})
	v.Causes = slices.Compact(v.Causes)
	return v
}

// Differences returns the verdicts on the cases of a file that are not the recorded ones, after the hash of the cases.
func Differences(file string, cases []parity.Case, verdicts []parity.Verdict) ([]parity.Difference, error) {
	hash, err := parity.Hash(cases)
	all := []parity.Difference{{File: file, Hash: hash}}
	for i, c := range cases {
		recorded, now := withoutSites(withoutMessages(c.Verdict)), withoutMessages(verdicts[i])
		if recorded.Accepted != now.Accepted || recorded.Stage != now.Stage || !slices.Equal(recorded.Causes, now.Causes) {
			all = append(all, parity.Difference{File: file, Index: i, Verdict: now})
		}
	}
	return all, err
}

func withoutSites(v parity.Verdict) parity.Verdict {
	for i := range v.Causes {
		v.Causes[i].Site = ""
	}
	v.Causes = slices.Compact(v.Causes)
	return v
}
