package chart

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Filled is what a chart writes that fails with its default values, after the values for which it failed were set.
type Filled struct {
	// Failures are why templates failed, the first one first. Each was for a value.
	Failures []FilledFailure
	// Rendered is the last result. It is failed if the chart still fails.
	Rendered Rendered
}

// FilledFailure is why a template failed, and the default value that it failed for.
type FilledFailure struct {
	Violation diag.Violation
	Unset     *Unset
}

// Limits of the values that are set, and of the renders to find them. Each attempt renders the chart again. Raise
// mostFilled if a chart of a public repository has more values without a default for which it fails.
const (
	mostFilled      = 10
	mostFilledTried = 30 // for a failure
)

// Fill finds out for which default value a template of the chart failed, by experiment: with another value, the
// chart gets past that action. It then sets that value, and goes on. No value is at fault if the chart reached a limit.
func (l *Loaded) Fill(o Options, failed Rendered) Filled {
	filled := Filled{Rendered: failed}
	for len(filled.Failures) < mostFilled && filled.Rendered.IsFailed {
		why := filled.Rendered.failure
		unset, ok := l.fill(&o, &filled.Rendered)
		if !ok {
			break
		}
		filled.Failures = append(filled.Failures, FilledFailure{why.violation(), unset})
	}
	return filled
}

// fill sets a value for which a template failed in the options, and renders the chart again.
func (l *Loaded) fill(o *Options, failed *Rendered) (*Unset, bool) {
	why, tried := failed.failure, 0
	if len(why.order) == 0 || why.rule == diag.ReaderLimit || l.err != nil {
		return nil, false
	}
	values, err := l.chart.clone().effective(o.Values)
	if err != nil {
		return nil, false
	}
	isOfNull := strings.Contains(why.message, "nil pointer evaluating")
	for _, u := range l.failedFor(why, values) {
		for _, other := range u.others("", l.chart.namesIn(why.at.File)) {
			// Otherwise something else only prevents that the field of null is read.
			if _, isTable := other.value.(map[string]any); isOfNull && !isTable {
				continue
			}
			if tried++; tried > mostFilledTried || !l.nextUnset() {
				return nil, false
			}
			with, again := *o, l.Again()
			with.Values, with.Allowance = u.set(o.Values, values, other.value), nil
			before := *again.budget
			r := again.Render(with)
			l.unset.spent += again.budget.Spent(&before)
			if !r.IsFailed || slices.Compare(r.failure.order, why.order) > 0 {
				*o, *failed = with, r
				return u, true
			}
		}
	}
	return nil, false
}

// failedFor returns the values for which a template may have failed, the most likely first. The order is a guess, and
// an experiment decides. Decide anew if public charts need more than a few trials.
func (l *Loaded) failedFor(why fault, values map[string]any) []*Unset {
	c := l.chart
	const inFile, calling, failing = 1, 2, 3
	words := map[string]int{}
	add := func(text string, rank int) {
		for _, word := range strings.FieldsFunc(text, isNoName) {
			words[word] = max(words[word], rank)
		}
	}
	places := []source.Place{why.at}
	for _, related := range why.related {
		places = append(places, related.Place)
	}
	for _, t := range c.templateSources(nil) {
		if t.Name == why.at.File {
			add(t.Text, inFile)
		}
	}
	var list []*Unset
	var actions []string
	for i, at := range places {
		actions = append(actions, at.Text())
		add(at.Text(), failing-min(i, failing-calling))
		list = append(list, l.unset.absentIn(at.Text(), c.pathOf(at.File), values)...)
	}
	return append(list, c.unsetNamed(values, words, actions, func(*Unset) bool { return true })...)
}

// pathOf returns the names that lead to the values of the chart with a template.
func (c *Chart) pathOf(template string) []string {
	for _, sub := range c.subcharts {
		for _, t := range sub.templateSources(nil) {
			if t.Name == template {
				return append([]string{sub.name()}, sub.pathOf(template)...)
			}
		}
	}
	return nil
}
