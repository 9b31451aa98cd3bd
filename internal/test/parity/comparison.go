package parity

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// Comparison counts cases, and groups those where our verdict differs from the server's.
type Comparison struct {
	Compared  int
	Rejected  map[string]int // by stage
	Caught    map[string]int // rejected by kindvet, too
	Different int            // false rejections, and errors on decoding that kindvet misses or finds elsewhere
	Missed    int            // rejections by validation that kindvet misses
	Places    [3]int         // of the rejections by validation that kindvet finds, by [Place]
	kinds     map[string]*tally
	groups    map[string]*group
	missed    map[string]*group
	elsewhere map[string]*group
}

// tally counts the cases of a kind.
type tally struct{ accepted, rejected, different, missed int }

// group holds the cases with the same difference, up to indexes and values.
type group struct {
	count    int
	smallest Case
	text     []string // of the smallest case
}

// NewComparison returns a comparison of no cases.
func NewComparison() *Comparison {
	return &Comparison{
		Rejected: map[string]int{}, Caught: map[string]int{}, kinds: map[string]*tally{},
		groups: map[string]*group{}, missed: map[string]*group{}, elsewhere: map[string]*group{},
	}
}

// Add adds a case with our violations. It ignores a case that was not decided by decoding and validation of the new
// object.
func (c *Comparison) Add(k Case, ours []diag.Violation) {
	if !slices.Contains([]string{"", "decode", "strict", "validation"}, k.Verdict.Stage) {
		return
	}
	c.Compared++
	kind := strings.TrimSuffix(k.Kind, "List")
	t, ok := c.kinds[kind]
	if !ok {
		t = &tally{}
		c.kinds[kind] = t
	}
	if k.Verdict.Accepted {
		t.accepted++
	} else {
		t.rejected++
		c.addRejection(k, ours, t)
	}
	if differences := BuiltinDifferences(k, ours); len(differences) > 0 {
		t.different++
		c.Different++
		addTo(c.groups, groupName(k, differences), k, differences)
	}
}

func (c *Comparison) addRejection(k Case, ours []diag.Violation, t *tally) {
	c.Rejected[k.Verdict.Stage]++
	if IsMissed(k, ours) {
		t.missed++
		c.Missed++
		addTo(c.missed, causeName(k), k, nil)
		return
	}
	if slices.ContainsFunc(ours, func(v diag.Violation) bool { return v.Severity == diag.Error }) {
		c.Caught[k.Verdict.Stage]++
	}
	if k.Verdict.Stage != "validation" {
		return
	}
	place := BuiltinPlace(k, ours)
	c.Places[place]++
	if place == Elsewhere {
		addTo(c.elsewhere, causeName(k), k, []string{ours[0].Path.String() + ": " + ours[0].Message})
	}
}

func addTo(groups map[string]*group, name string, k Case, differences []string) {
	g, ok := groups[name]
	if !ok {
		g = &group{}
		groups[name] = g
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
func groupName(k Case, differences []string) string {
	name := anIndex.ReplaceAllString(k.Name+": "+differences[0], "[]")
	return aParent.ReplaceAllString(aLiteral.ReplaceAllString(name, "_"), "$1")
}

// longestDetail is how many bytes of a server's message name a group.
const longestDetail = 60

// causeName names a group by the server's first cause: the last two steps of its field, the type and the message.
func causeName(k Case) string {
	cause := k.Verdict.Causes[0]
	field := aParent.ReplaceAllString(FieldOf(k.Verdict), "$1")
	_, detail, _ := strings.Cut(aLiteral.ReplaceAllString(cause.Message, "_"), ": ")
	return fmt.Sprintf("%s %s %s", field, cause.Reason, detail[:min(len(detail), longestDetail)])
}

// Rates says how many of the rejections at each stage kindvet finds.
func (c *Comparison) Rates() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d compared, %d different, %d missed", c.Compared, c.Different, c.Missed)
	for _, stage := range []string{"decode", "strict", "validation"} {
		fmt.Fprintf(&b, "; %s: %d of %d found", stage, c.Caught[stage], c.Rejected[stage])
	}
	fmt.Fprintf(&b, "; at the server's field %d, next to it %d, elsewhere %d", c.Places[Same],
		c.Places[Near], c.Places[Elsewhere])
	return b.String()
}

// Kinds returns a line of figures for each kind.
func (c *Comparison) Kinds() []string {
	lines := []string{fmt.Sprintf("%-55s %9s %9s %9s %9s", "kind", "accepted", "rejected", "different", "missed")}
	for _, kind := range slices.Sorted(maps.Keys(c.kinds)) {
		t := c.kinds[kind]
		lines = append(lines, fmt.Sprintf("%-55s %9d %9d %9d %9d", kind, t.accepted, t.rejected, t.different, t.missed))
	}
	return lines
}

// longestText is how many bytes are printed of a text.
const longestText = 2000

// Groups returns the differences, those of the smallest texts first.
func (c *Comparison) Groups() []string {
	return printed(c.groups, func(a, b *group) int {
		return cmp.Or(len(a.smallest.New)-len(b.smallest.New), strings.Compare(a.smallest.New, b.smallest.New))
	})
}

// MissedGroups returns the rejections by validation that kindvet misses, the largest groups first.
func (c *Comparison) MissedGroups() []string { return printed(c.missed, bySize) }

// ElsewhereGroups returns the rejections by validation that kindvet finds at other fields, the largest groups first.
func (c *Comparison) ElsewhereGroups() []string { return printed(c.elsewhere, bySize) }

func bySize(a, b *group) int {
	return cmp.Or(b.count-a.count, strings.Compare(a.smallest.New, b.smallest.New))
}

func printed(groups map[string]*group, order func(a, b *group) int) []string {
	var out []string
	for _, g := range slices.SortedFunc(maps.Values(groups), order) {
		k := g.smallest
		before := ""
		if k.Old != "" {
			before = k.Old[:min(len(k.Old), longestText)] + "---\n"
		}
		out = append(out,
			fmt.Sprintf("%d × %s: %s\n  server: %s %v\n  %s\n%s%s", g.count, k.Kind, k.Name, k.Verdict.Stage, k.Verdict.Causes,
				strings.Join(g.text, "\n  "), before, k.New[:min(len(k.New), longestText)]))
	}
	return out
}
