package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/evaluate"
)

// Tally counts, by kind, documents that were not validated and documents whose fields the specification does not
// describe. Counts are pointers: assigning to a map element would also replace its key, whose text may be
// overwritten.
type Tally map[tallied]*int

type tallied struct {
	group, kind string
	isSkipped   bool
	hint        string
	// policy is the name of an admission policy whose outcomes are counted, instead of documents of a kind.
	policy  string
	outcome policyOutcome
}

// policyOutcome is what a policy has decided about a document.
type policyOutcome uint8

const (
	policyMatched policyOutcome = iota
	policyDenied
	policySkipped
	policyUnknown
)

// policyCount counts the documents of a text by outcome.
type policyCount [policyUnknown + 1]int

// countPolicy counts a document that a policy matches.
func (c *checker) countPolicy(n *evaluate.Count) {
	if n.Bound == 0 {
		return
	}
	count := c.policies[n.Policy]
	if count == nil {
		if c.policies == nil {
			c.policies = map[*policy.Policy]*policyCount{}
		}
		count = &policyCount{}
		c.policies[n.Policy] = count
	}
	count[policyMatched]++
	if n.Denied > 0 {
		count[policyDenied]++
	}
	if n.Skipped > 0 && n.Skipped == n.Evaluated {
		count[policySkipped]++
	}
	if n.Unknown > 0 {
		count[policyUnknown]++
	}
}

// addPolicies adds what was counted to a tally.
func (t *Tally) addPolicies(counts map[*policy.Policy]*policyCount) {
	for p, count := range counts { // order does not matter
		for outcome, n := range count {
			if *t == nil {
				*t = Tally{}
			}
			if n > 0 {
				t.count(tallied{policy: p.Name, outcome: policyOutcome(outcome)}, n)
			}
		}
	}
}

// Policies returns the counts of admission policies, sorted by name.
func (t Tally) Policies() []diag.PolicyNote {
	byName := map[string]*diag.PolicyNote{}
	for k, n := range t {
		if k.policy == "" {
			continue
		}
		if byName[k.policy] == nil {
			byName[k.policy] = &diag.PolicyNote{Name: k.policy}
		}
		note := byName[k.policy]
		*[...]*int{policyMatched: &note.Matched, policyDenied: &note.Denied, policySkipped: &note.Skipped, policyUnknown: &note.Unknown}[k.outcome] = *n
	}
	var notes []diag.PolicyNote
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		notes = append(notes, *byName[name])
	}
	return notes
}

// maxTallied limits how many kinds are counted separately, so that a stream with a different kind in every document
// does not fill the memory. 29 public repositories have at most 309 kinds.
const maxTallied = 1000

// add counts a document. It copies the names of the kind if needed, because they are parts of a text that may be
// overwritten.
func (t *Tally) add(k tallied) {
	if *t == nil {
		*t = Tally{}
	}
	if n, ok := (*t)[k]; ok {
		*n++
		return
	}
	if len(*t) >= maxTallied {
		k.group, k.kind, k.hint = "", "", ""
	}
	k.group, k.kind = strings.Clone(diag.Cut(k.group, longestName)), strings.Clone(diag.Cut(k.kind, longestName))
	t.count(k, 1)
}

// count adds a number of documents of a kind. The names in k must not be overwritten later.
func (t *Tally) count(k tallied, documents int) {
	if (*t)[k] == nil {
		(*t)[k] = new(int)
	}
	*(*t)[k] += documents
}

// addSkipped counts a document without a schema.
func (c *checker) addSkipped(d *document, hint string) {
	group, _ := catalog.SplitAPIVersion(d.APIVersion)
	c.tally.add(tallied{group: group, kind: d.Kind, isSkipped: true, hint: hint})
}

// unspecifiedHint explains a kind whose fields the specification does not describe.
const unspecifiedHint = "its specification does not describe the fields of spec, so they were not validated; " +
	"pass its CRD with --schemas"

// addUnspecified counts a document whose metadata is all that can be validated.
func (c *checker) addUnspecified(k *catalog.Kind) {
	if k.IsUnspecified {
		c.tally.add(tallied{group: k.Group, kind: k.Name, hint: unspecifiedHint})
	}
}

// With returns the sum of two tallies.
func (t Tally) With(others Tally) Tally {
	sum := Tally{}
	for _, other := range []Tally{t, others} {
		for k, n := range other {
			sum.count(k, *n)
		}
	}
	return sum
}

// Notes returns the counts, sorted by group and kind.
func (t Tally) Notes() []diag.KindNote {
	var notes []diag.KindNote
	for k, n := range t {
		if k.policy != "" {
			continue
		}
		note := diag.KindNote{Group: k.group, Kind: k.kind, IsSkipped: k.isSkipped, Hint: k.hint, Documents: *n}
		notes = append(notes, note)
	}
	slices.SortFunc(notes, func(a, b diag.KindNote) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Hint, b.Hint))
	})
	return notes
}
