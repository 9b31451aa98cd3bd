package planted

import (
	"cmp"
	"slices"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// checker checks single texts. It takes a tenth of the time of a run, which finds files and resolves settings.
type checker struct {
	resolver *settings.Resolver
	engine   *check.Engine
}

func newChecker(dir string, o rule.Options) (*checker, error) {
	finder, err := find.New(find.Options{Base: find.OnDisk(dir), NoConfig: true})
	if err != nil {
		return nil, err
	}
	c, err := finder.ConfigAt(dir)
	if err != nil {
		return nil, err
	}
	resolver := settings.NewResolver(find.OnDisk(dir), settings.Options{Lint: o})
	resolved, err := resolver.Resolve(c)
	if err != nil {
		return nil, err
	}
	return &checker{resolver, resolved.Engine(check.Options{})}, nil
}

// check returns the findings of a text.
func (c *checker) check(name, text string) []diag.Violation {
	report, list := c.engine.Texts([]*source.Source{{Name: name, Text: text}})
	c.resolver.Suppress(&report, list, suppress.Settings{})
	return report.Violations
}

// maxPasses is how often edits are applied: some overlap, and behind an unknown field, nothing is found.
const maxPasses = 6

// fixed applies the first fix of each finding until none has one. It returns what is found before and in the fixed text.
func (c *checker) fixed(name, text string, isUnsafe bool) (fixed string, before, after []diag.Violation) {
	for passes := 0; ; passes++ {
		after = c.check(name, text)
		if passes == 0 {
			before = slices.Clone(after)
		}
		slices.SortStableFunc(after, func(a, b diag.Violation) int { return cmp.Compare(rank(&b), rank(&a)) })
		var groups [][]edit.Edit
		for i := range after {
			if fixes := after[i].Applicable(isUnsafe); len(fixes) > 0 {
				groups = append(groups, fixes[0].Bytes())
			}
		}
		if len(groups) == 0 || passes == maxPasses {
			return text, before, after
		}
		text = edit.Apply(text, groups...).Text
	}
}

// rank orders findings whose fixes overlap: errors first, and safe fixes before guesses.
func rank(v *diag.Violation) int {
	if len(v.Applicable(false)) > 0 {
		return 2*int(v.Severity) + 1
	}
	return 2 * int(v.Severity)
}
