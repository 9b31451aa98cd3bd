package sets

import (
	"context"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

// groupBudget is the budget of the rules about sets for a whole run, as a multiple of the budget of one document.
// The rules are evaluated in a fixed order, so what is evaluated before the budget is used up does not depend on
// the workers. Raise it if a repository that people check reaches half of it.
const groupBudget = 10

// Result is what the rules found in the details of a whole run.
type Result struct {
	Violations   []diag.Violation
	NotEvaluated []diag.NotEvaluated
}

// Gather returns the result for the details of a whole run, in any order. When the context ends, the result is incomplete.
func Gather(ctx context.Context, details []Detail) Result {
	details, targets := takeTargets(details)
	slices.SortStableFunc(details, func(a, b Detail) int {
		switch {
		case a.rule != b.rule:
			return strings.Compare(string(a.rule.ID), string(b.rule.ID))
		case a.key != b.key:
			return strings.Compare(a.key, b.key)
		case a.place.Before(b.place):
			return -1
		case b.place.Before(a.place):
			return 1
		}
		return 0
	})
	var result Result
	var vars rule.Variables
	allowance := &cel.Allowance{}
	defer allowance.Until(ctx)()
	vars.Start(groupBudget, allowance.Share(0))
	for i := 0; i < len(details) && ctx.Err() == nil; {
		end := i + 1
		for end < len(details) && details[end].rule == details[i].rule && details[end].key == details[i].key {
			end++
		}
		if details[i].rule.IsReference() {
			leadNowhere(details[i:end], targets, &vars, &result)
		} else if group := withoutCopies(details[i:end]); len(group) > 1 {
			inGroup(group, &vars, &result)
		}
		i = end
	}
	return result
}

// withoutCopies drops the details of a document that several units have: a kustomization may be built twice, with different
// changes. Within a unit, a template may write several documents at one place, which are several objects. The group is sorted by
// place.
func withoutCopies(group []Detail) []Detail {
	if len(group) < 2 {
		return group
	}
	kept := group[:0:0]
	for i := range group {
		d := &group[i]
		if last := len(kept) - 1; last < 0 || kept[last].Unit == d.Unit || !kept[last].place.IsSame(d.place) {
			kept = append(kept, *d)
		}
	}
	return kept
}

// inGroup checks documents that share a key. They are at fault unless the rule's check is true.
func inGroup(group []Detail, vars *rule.Variables, result *Result) {
	r := group[0].rule.Rule()
	setObjects(vars, group)
	if check := group[0].rule.Check(); check != nil {
		ok, err := vars.IsTrue(check)
		if err != nil {
			result.NotEvaluated = append(result.NotEvaluated, diag.NotEvaluated{
				Rule: string(r.ID), Reason: rule.OneLine(err.Error()), Path: group[1].path, Place: group[1].place,
				Object: group[1].Object,
			})
		}
		if ok || err != nil {
			return
		}
	}
	v := group[1].violation(vars)
	for i := range group {
		if i != 1 {
			v.Related = append(v.Related,
				diag.Related{Place: group[i].place, Message: group[i].Object.Kind + " " + group[i].Object.Name})
		}
	}
	result.Violations = append(result.Violations, v)
}

// setObjects sets the variable objects of a rule about a set, if the rule has an expression that can read it.
func setObjects(vars *rule.Variables, group []Detail) {
	if e := group[0].rule; e.Check() == nil && !e.Rule().HasMessageExpression() {
		return
	}
	objects := make([]any, len(group))
	for i := range group {
		objects[i] = group[i].native()
	}
	vars.SetObjects(objects)
}

// takeTargets splits details into those of rules and those of targets, by id.
func takeTargets(details []Detail) (rest []Detail, targets map[uint64]*Detail) {
	targets = map[uint64]*Detail{}
	for i := range details {
		if d := &details[i]; d.target == 0 {
			rest = append(rest, *d)
		} else if targets[d.target] == nil {
			targets[d.target] = d
		}
	}
	return rest, targets
}

// leadNowhere reports references whose target does not exist.
func leadNowhere(references []Detail, targets map[uint64]*Detail, vars *rule.Variables, result *Result) {
	for i := range references {
		d := &references[i]
		setObjects(vars, references[i:i+1])
		if check := d.rule.Check(); check != nil {
			if ok, err := vars.IsTrue(check); ok || err != nil {
				continue
			}
		}
		v := d.violation(vars)
		if d.fault.isUnsure {
			v.Severity = min(v.Severity, diag.Info)
		}
		if !d.rule.Rule().HasMessage() {
			v.Message = d.rule.targetKind(d.key) + " " + diag.Quote(d.lastPart()) + " not found"
		}
		if near := d.fault.near; near != "" {
			v.Message += "; did you mean " + diag.Quote(near) + "?"
			v.Help = "use " + diag.Quote(near)
		}
		if t := targets[d.fault.target]; t != nil {
			v.Related = append(v.Related, diag.Related{Place: t.place, Message: t.Object.Kind + " " + t.Object.Name})
		}
		result.Violations = append(result.Violations, v)
	}
}
