package example

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

// maxFixes is how often the fixes of a rule are applied to its example.
const maxFixes = 10

// runFixed compares the fixed example of a rule with what its fixes make of the bad one.
func runFixed(ctx context.Context, base find.Base, r *rule.Rule, dir string) (faults []string) {
	bad, fixed := Files(base, dir, rule.BadExample), Files(base, dir, rule.FixedExample)
	switch {
	case len(r.Fixes) == 0 && len(fixed) > 0:
		return []string{fixed[0] + ": the rule has no fix"}
	case len(r.Fixes) == 0 || len(bad) == 0:
		return nil
	}
	have, faults := Fixed(ctx, base, r, bad)
	if len(faults) == 0 && !isChanged(base, have) {
		return []string{bad[0] + ": no finding has a fix"}
	}
	for _, src := range have {
		name := fixedName(src.Name)
		want, err := base.Read(name, disk.Rules)
		switch {
		case err != nil:
			faults = append(faults, name+": missing; a rule with a fix needs "+path.Base(src.Name)+" as the fix leaves it")
		case want.Text != src.Text:
			faults = append(faults, fmt.Sprintf("%s:%d: the fix of %s leaves another text", name, differentLine(want.Text, src.Text), r.ID))
		}
	}
	return faults
}

// isChanged reports whether a text differs from the example that it was made of.
func isChanged(base find.Base, texts []*source.Source) bool {
	return slices.ContainsFunc(texts, func(src *source.Source) bool {
		bad, err := base.Read(src.Name, disk.Rules)
		return err != nil || WithoutMarks(bad.Text) != src.Text
	})
}

// fixedName returns the name of a bad example after the fixes.
func fixedName(bad string) string {
	dir, name := path.Split(bad)
	return dir + rule.FixedExample + strings.TrimPrefix(name, rule.BadExample)
}

// differentLine returns the number of the first line in which two texts differ.
func differentLine(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return 1 + strings.Count(a[:i], "\n")
}

// Fixed returns bad examples of a rule without their marks, after the first fix of each finding. The faults say which
// findings stay although they have a fix, and which others come.
func Fixed(ctx context.Context, base find.Base, r *rule.Rule, bad []string) (texts []*source.Source, faults []string) {
	texts, err := readAll(base, bad)
	if err != nil {
		return nil, []string{err.Error()}
	}
	for i, src := range texts {
		texts[i] = &source.Source{Name: src.Name, Text: WithoutMarks(src.Text)}
	}
	others := -1
	for range maxFixes {
		report, err := checkTexts(ctx, base, texts, rule.Options{Own: []*rule.Rule{r}, Params: r.ExampleParams})
		if err != nil {
			return nil, []string{err.Error()}
		}
		groups, found := map[string][][]edit.Edit{}, 0
		for _, v := range report.Violations {
			if v.Rule != r.ID {
				found++
			} else if len(v.Fixes) > 0 {
				groups[v.Place.File] = append(groups[v.Place.File], v.Fixes[0].Bytes())
			}
		}
		if others >= 0 && found > others {
			v := firstOther(report.Violations, r.ID)
			return texts, []string{fmt.Sprintf("%s:%d: the fix leads to: %s", fixedName(v.Place.File), v.Place.Start().Line, v.Message)}
		}
		if others = found; len(groups) == 0 {
			return texts, nil
		}
		for i, src := range texts {
			texts[i] = &source.Source{Name: src.Name, Text: edit.Apply(src.Text, groups[src.Name]...).Text}
		}
	}
	return texts, []string{bad[0] + ": findings stay after their fix"}
}

func firstOther(list []diag.Violation, id diag.Rule) *diag.Violation {
	for i := range list {
		if list[i].Rule != id {
			return &list[i]
		}
	}
	return nil
}
