package builtin

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/parity"
)

// Comparison counts cases, and groups those where our verdict differs from the server's.
type Comparison struct {
	Compared  int
	Rejected  map[string]int // by stage
	Caught    map[string]int // rejected by kindvet, too
	Different int
	groups    map[string]*group
}

// group holds the cases with the same difference, up to indexes and values.
type group struct {
	count    int
	smallest parity.Case
	text     []string // of the smallest case
}

// NewComparison returns a comparison of no cases.
func NewComparison() *Comparison {
	return &Comparison{Rejected: map[string]int{}, Caught: map[string]int{}, groups: map[string]*group{}}
}

// Add adds a case with our violations.
func (c *Comparison) Add(k parity.Case, ours []diag.Violation) {
	c.Compared++
	if !k.Verdict.Accepted {
		c.Rejected[k.Verdict.Stage]++
		if slices.ContainsFunc(ours, func(v diag.Violation) bool { return v.Severity == diag.Error }) {
			c.Caught[k.Verdict.Stage]++
		}
	}
	differences := parity.BuiltinDifferences(k, ours)
	if len(differences) == 0 {
		return
	}
	c.Different++
	name := groupName(k, differences)
	g, ok := c.groups[name]
	if !ok {
		g = &group{}
		c.groups[name] = g
	}
	g.count++
	if g.count == 1 || len(k.New) < len(g.smallest.New) {
		g.smallest, g.text = k, differences
	}
}

var (
	anIndex  = regexp.MustCompile(`\[\d+\]`)
	aLiteral = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|\d+`)
	aParent  = regexp.MustCompile(`(?:[\w\[\]]+\.)+([\w\[\]]+\.[\w\[\]]+)`)
)

// groupName names a group by the mutations and the first difference, without values. Of paths it keeps the last two
// fields, because many kinds share types such as PodSpec.
func groupName(k parity.Case, differences []string) string {
	name := anIndex.ReplaceAllString(k.Name+": "+differences[0], "[]")
	return aParent.ReplaceAllString(aLiteral.ReplaceAllString(name, "_"), "$1")
}

// Rates says how many of the rejections at each stage kindvet finds.
func (c *Comparison) Rates() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d compared, %d different", c.Compared, c.Different)
	for _, stage := range []string{"decode", "strict", "validation"} {
		fmt.Fprintf(&b, "; %s: %d of %d found", stage, c.Caught[stage], c.Rejected[stage])
	}
	return b.String()
}

// longestText is how many bytes are printed of a text.
const longestText = 2000

// Groups returns the differences, those of the smallest texts first.
func (c *Comparison) Groups() []string {
	var all []*group
	for _, g := range c.groups {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(len(a.smallest.New)-len(b.smallest.New), strings.Compare(a.smallest.New, b.smallest.New))
	})
	var out []string
	for _, g := range all {
		k := g.smallest
		out = append(out, fmt.Sprintf("%d × %s: %s\n  server: %s %v\n  %s\n%s", g.count, k.Kind, k.Name, k.Verdict.Stage, k.Verdict.Causes,
			strings.Join(g.text, "\n  "), k.New[:min(len(k.New), longestText)]))
	}
	return out
}
