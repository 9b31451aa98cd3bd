package fix

import (
	"fmt"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/rules"
)

// Decision states how findings of a rule are fixed.
type Decision struct {
	// Applicability is that of the fix; "none" if findings are not fixed in this way.
	Applicability diag.Applicability `json:"applicability"`
	// Edit says what is changed, or why nothing is.
	Edit string `json:"edit"`
}

// noFix is the applicability of a rule without fixes.
const noFix diag.Applicability = "none"

// Decisions returns the decisions about a lint rule, in the order in which its fixes are tried.
func Decisions(r *rule.Rule) (list []Decision) {
	for i := range r.Fixes {
		f := &r.Fixes[i]
		list = append(list, Decision{f.Applicability, f.Describe()})
	}
	if len(list) == 0 && r.NoFix != "" {
		list = []Decision{{noFix, r.NoFix}}
	}
	return list
}

// StructuralDecisions returns the decisions about a rule that is not a lint rule.
func StructuralDecisions(id diag.Rule) []Decision { return structural()[id] }

// structural reads rules/fixes.tsv.
var structural = sync.OnceValue(func() map[diag.Rule][]Decision {
	list := map[diag.Rule][]Decision{}
	_, lines, _ := strings.Cut(rules.Fixes, "\n") // the first line names the columns
	for line := range strings.Lines(lines) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 3 {
			panic(fmt.Sprintf("rules/fixes.tsv has a line of %d columns: %s", len(columns), line))
		}
		id := diag.Rule(columns[0])
		list[id] = append(list[id], Decision{diag.Applicability(columns[1]), columns[2]})
	}
	return list
})

// Summary says in a word or two how findings of a rule are fixed: "safe", "safe, unsafe" or "-".
func Summary(list []Decision) string {
	var words []string
	for _, a := range diag.Applicabilities {
		for _, d := range list {
			if d.Applicability == a {
				words = append(words, string(a))
				break
			}
		}
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}
