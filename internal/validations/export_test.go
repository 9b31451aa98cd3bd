package validations

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// Compare evaluates the rules of a document with closures and with cel-go.
func (r *Rules) Compare(y *celtest.Tally, root, old manifest.Node) {
	if !r.schema.HasRules() {
		return
	}
	cursor{n: root, old: old, node: r.top()}.walk(func(p cursor) bool {
		for _, rule := range p.node.rules.rules() {
			if rule.isBlank || rule.err != nil {
				continue
			}
			y.Count(rule.expression)
			if rule.usesOld && !p.hasOld() && !rule.OptionalOldSelf {
				continue
			}
			a := p.arguments()
			y.Compare(rule.expression, a[:], func() string { return rule.text() + "\n" + string(p.n.AppendJSON(nil)) })
		}
		return true
	})
}

// Uncovered returns the names of the rules that closures do not cover.
func (r *Rules) Uncovered() (rules, covered int, uncovered []string) {
	if !r.schema.HasRules() {
		return 0, 0, nil
	}
	r.top()
	for _, s := range r.sets {
		for _, rule := range s.rules() {
			if rule.isBlank || rule.err != nil {
				continue
			}
			rules++
			if rule.expression.IsCovered() {
				covered++
				continue
			}
			uncovered = append(uncovered, strings.Join(strings.Fields(rule.Rule.Rule), " "))
		}
	}
	return rules, covered, uncovered
}

// Expressed returns the expressions in the tables as rules of three schemas, and the texts of the object and of its
// state before the update.
func Expressed(t testing.TB) (rules []*Rules, object, before string) {
	for _, set := range []struct {
		options     string
		expressions []string
	}{{"", expressions}, {"", transitions}, {", optionalOldSelf: true", optionalTransitions}} {
		var list strings.Builder
		for _, e := range set.expressions {
			list.WriteString("  - {rule: " + strconv.Quote(e) + set.options + "}\n")
		}
		rules = append(rules, NewRules(compileSchema(t, expressedSchema(t)+"x-kubernetes-validations:\n"+list.String())))
	}
	return rules, expressed, expressedBefore
}
