package expr

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Comparison is what became of rules that were run both ways: as closures, and as cel-go's program.
type Comparison struct {
	// Rules counts the rules that were compiled, Covered those that closures cover.
	Rules, Covered int
	// Runs counts the evaluations, Unsure those that closures left to cel-go.
	Runs, Unsure int
	// Different says where closures gave another outcome, or counted less than cel-go.
	Different []string
}

// Compare runs the rules of a document both ways.
func (r *Rules) Compare(root, old manifest.Node, seen map[any]bool) (c Comparison) {
	if !r.schema.HasRules() {
		return c
	}
	top := place{n: root, old: old, spot: r.top(), ratchet: ratchet{here: schema.Correlate(root, old, r.schema)}}
	top.walk(func(p place) bool {
		for _, rule := range p.spot.site.rules() {
			c.rule(p, rule, seen)
		}
		return true
	})
	return c
}

func (c *Comparison) rule(p place, r *rule, seen map[any]bool) {
	if r.isBlank || r.err != nil {
		return
	}
	if !seen[r] {
		seen[r] = true
		c.Rules++
		if r.code != nil {
			c.Covered++
		}
	}
	if r.code == nil {
		return
	}
	hasOld := p.old.Valid() && p.old.Type() != manifest.Null
	if r.usesOld && !hasOld && !r.OptionalOldSelf {
		return
	}
	c.Runs++
	f := &closure.Frame{}
	have := r.verdict(f, p)
	if have == closure.Unsure {
		c.Unsure++
		return
	}
	vars, optional := activations(p, hasOld, &environment.Meter{Left: environment.WorkBudget})
	if r.OptionalOldSelf {
		vars = optional
	}
	out, details, err := r.judge().program.ContextEval(context.Background(), vars)
	want := closure.Failed
	if err == nil {
		want = outcomeOf(out)
	}
	if have != want {
		c.Different = append(c.Different, fmt.Sprintf("%s: closures %s, cel-go %s (%v)\n%s", r.text(), have, want, err, p.n.AppendJSON(nil)))
	} else if cost := details.ActualCost(); cost != nil && int64(*cost) > f.Cost() {
		c.Different = append(c.Different, fmt.Sprintf("%s: closures count %d, cel-go %d\n%s", r.text(), f.Cost(), *cost, p.n.AppendJSON(nil)))
	}
}

// outcomeOf is what cel-go gave; what is neither true nor false counts as an error.
func outcomeOf(v ref.Val) closure.Outcome {
	switch v {
	case types.True:
		return closure.True
	case types.False:
		return closure.False
	}
	return closure.Failed
}

// Uncovered names the rules that closures do not cover, and why.
func (r *Rules) Uncovered() (rules, covered int, why []string) {
	if !r.schema.HasRules() {
		return 0, 0, nil
	}
	r.top()
	for _, s := range r.sites {
		for _, rule := range s.rules() {
			if rule.isBlank || rule.err != nil {
				continue
			}
			rules++
			if rule.code != nil {
				covered++
				continue
			}
			flat, err := closure.Encode(rule.judge().ast)
			if err == nil {
				_, err = closure.Compile(flat, s.variables(rule.Rule))
			}
			why = append(why, strings.Join(strings.Fields(rule.Rule.Rule), " ")+": "+err.Error())
		}
	}
	return rules, covered, why
}

// Expressed returns the expressions of the table as rules of three schemas, and the texts of the object and of its state before.
func Expressed(t testing.TB) (rules []*Rules, object, before string) {
	for _, set := range []struct {
		options     string
		expressions []string
	}{{"", expressions}, {"", transitions}, {", optionalOldSelf: true", optionalTransitions}} {
		var list strings.Builder
		for _, e := range set.expressions {
			list.WriteString("  - {rule: " + strconv.Quote(e) + set.options + "}\n")
		}
		rules = append(rules, NewRules(compileSchema(t, expressedSchema+"x-kubernetes-validations:\n"+list.String())))
	}
	return rules, expressed, expressedBefore
}

// Compare evaluates an expression of a lint rule both ways. Of rules that are one, Rules and Covered count each at its first value.
func (l *Lint) Compare(v *Variables, seen map[any]bool) (c Comparison) {
	if !seen[l] {
		seen[l] = true
		c.Rules++
		if l.code != nil {
			c.Covered++
		}
	}
	if l.code == nil {
		return c
	}
	c.Runs++
	have := l.verdict(v)
	if have == closure.Unsure {
		c.Unsure++
		return c
	}
	out, _, err := l.judge().program.Eval(v.activation(l.named))
	want := closure.Failed
	if err == nil {
		want = outcomeOf(out)
	}
	if have != want {
		flat, _ := l.Flat()
		c.Different = append(c.Different, fmt.Sprintf("%s: closures %s, cel-go %s (%v)\n%s", flat, have, want, err, v.Self.AppendJSON(nil)))
	}
	return c
}

// WhyUncovered says why closures do not cover an expression of a lint rule; nil where they do.
func (l *Lint) WhyUncovered() error {
	flat, err := l.Flat()
	if err == nil {
		_, err = compileLintFlat(flat)
	}
	return err
}
