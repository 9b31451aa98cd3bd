package definition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

var reasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

// ruleTexts checks what does not require compiling the rules.
func (w *walker) ruleTexts(s *schema.Schema) {
	for i := range s.Rules {
		r := &s.Rules[i]
		n := r.Node
		if n.Type() != manifest.Map {
			w.missing(n, "rule", "a rule is missing")
			continue
		}
		rule, message := strings.TrimSpace(r.Rule), strings.TrimSpace(r.Message)
		switch {
		case rule == "":
			w.blank(n, "rule", "the rule is empty")
		case r.Message != "" && message == "":
			w.blank(n, "message", "the message is empty")
		case hasLines(message):
			w.blank(n, "message", "the message must be a single line")
		case hasLines(rule) && message == "":
			w.missing(n, "message", "a rule with several lines requires a message")
		}
		if r.MessageExpression != "" && strings.TrimSpace(r.MessageExpression) == "" {
			w.blank(n, "messageExpression", "the messageExpression is empty")
		}
		if f := at(n, "reason"); f.Valid() && !slices.Contains(reasons, f.Text()) {
			w.add(f, diag.Violation{
				Rule: diag.NotInEnum, Message: diag.Quote(f.Text()) + " is not a valid reason",
				Help: "use one of " + strings.Join(reasons, ", "),
			})
		}
		w.fieldPath(s, r)
	}
}

func hasLines(text string) bool { return strings.ContainsAny(text, "\n\r") }

// blank reports a field of a rule that is blank or, if it is absent, missing.
func (w *walker) blank(n manifest.Node, name, message string) {
	if f := at(n, name); f.Valid() {
		w.add(f, diag.Violation{Rule: diag.BadFormat, Message: message})
		return
	}
	w.missing(n, name, message)
}

func (w *walker) fieldPath(s *schema.Schema, r *schema.Rule) {
	if r.FieldPath == "" {
		return
	}
	f := at(r.Node, "fieldPath")
	switch {
	case strings.TrimSpace(r.FieldPath) == "":
		w.add(f, diag.Violation{Rule: diag.BadFormat, Message: "the fieldPath is empty"})
	case hasLines(r.FieldPath):
		w.add(f, diag.Violation{Rule: diag.BadFormat, Message: "the fieldPath must be a single line"})
	default:
		if _, fault := follow(r.FieldPath, s, true); fault != "" {
			w.add(f, diag.Violation{
				Rule: diag.BadFormat, Message: "not the path of a field below this schema: " + fault,
				Help: "use a path such as .spec.ports or .labels['app']",
			})
		}
	}
}

// rulesOf compiles the rules of a schema that is valid in every other respect.
func (w *walker) rulesOf(s *schema.Schema, here place, in *scope) {
	if len(s.Rules) == 0 || !w.compile {
		return
	}
	compiled, ok := in.compile(w.checker)
	if !ok {
		f := at(s.Node, "x-kubernetes-validations")
		w.add(f, diag.Violation{
			Rule: diag.CEL, Message: "no rule is possible here: CEL cannot use a value of this type", Place: f.KeyPlace(),
		})
		return
	}
	for i := range compiled {
		w.checkCompiled(&s.Rules[i], &compiled[i], here)
	}
}

func (w *walker) checkCompiled(r *schema.Rule, c *compiledRule, here place) {
	w.faults(at(r.Node, "rule"), "the rule", c.faults)
	w.faults(at(r.Node, "messageExpression"), "the messageExpression", c.messageFaults)
	w.cost(at(r.Node, "rule"), "the rule", c.cost)
	if len(c.messageFaults) == 0 && r.MessageExpression != "" {
		w.cost(at(r.Node, "messageExpression"), "the messageExpression", c.messageCost)
	}
	switch optional := at(r.Node, "optionalOldSelf"); {
	case c.usesOld && here.listAbove != "":
		w.add(at(r.Node, "rule"), diag.Violation{
			Rule: diag.CEL, Message: "oldSelf cannot be used here: old and new items of the list cannot be matched",
			Help: "set x-kubernetes-list-type: map and the keys of " + here.listAbove + ", or move the rule above it",
		})
	case optional.Valid() && w.dropsOptional():
		w.dropped(optional, ratcheting)
	case !c.usesOld && optional.Valid() && len(c.faults) == 0:
		w.add(optional,
			diag.Violation{Rule: diag.CEL, Message: "optionalOldSelf requires a rule that uses oldSelf", Help: "remove it"})
	}
}

// faults reports why an expression does not compile, at the place of each fault.
func (w *walker) faults(n manifest.Node, what string, faults []cel.Fault) {
	for _, f := range faults {
		if f.IsLimit {
			w.add(n, diag.Violation{
				Rule: diag.ReaderLimit, Message: what + " is not checked: " + f.Message, Help: "use shorter expressions",
			})
			continue
		}
		w.add(n, schema.WithGate(diag.Violation{
			Rule: diag.CEL, Message: what + " does not compile: " + strings.Join(strings.Fields(f.Message), " "),
			Help: f.Help, Place: f.Place(n),
		}, f.Gate))
	}
}

// cost is the estimated cost of an expression.
type cost struct {
	node manifest.Node
	most uint64
}

func (w *walker) cost(n manifest.Node, what string, most uint64) {
	if most <= ruleCostLimit || w.anyCost {
		w.costs = append(w.costs, cost{n, most})
	} else {
		w.add(n, diag.Violation{
			Rule: diag.CostlyRule, Message: what + " has an estimated cost of " + times(most, ruleCostLimit) + " the limit",
			Help: costHelp,
		})
	}
}

const costHelp = "simplify it, or add maxItems, maxProperties and maxLength to the arrays, maps and strings that it uses"

// times describes by what factor a limit is exceeded.
func times(most, limit uint64) string {
	factor := float64(most) / float64(limit)
	switch {
	case factor > 100:
		return "more than 100 times"
	case factor < 1.5:
		return fmt.Sprintf("%.3f times", factor)
	}
	return fmt.Sprintf("%.1f times", factor)
}

// mostBlamed is the maximum number of rules that the message about the total cost names. leastBlamed is the minimum
// share of the limit for a rule to be named (apiextensions-apiserver, validation.TotalCost).
const (
	mostBlamed  = 4
	leastBlamed = schemaCostLimit / 100
)

// totalCost reports rules that together cost too much, in addition to those that do so alone.
func (w *walker) totalCost(n manifest.Node) {
	total := uint64(0)
	for _, c := range w.costs {
		if total += c.most; total < c.most {
			total = 1<<64 - 1
			break
		}
	}
	if total <= schemaCostLimit {
		return
	}
	slices.SortStableFunc(w.costs, func(a, b cost) int { return cmp.Compare(b.most, a.most) })
	v := diag.Violation{
		Rule:    diag.CostlyRule,
		Message: "the rules of the schema have a total estimated cost of " + times(total, schemaCostLimit) + " the limit",
		Help:    costHelp, Place: n.HeadPlace(),
	}
	for i, c := range w.costs {
		if i == mostBlamed || c.most < leastBlamed {
			break
		}
		v.Related = append(v.Related,
			diag.Related{Place: c.node.Place(), Message: "costs " + times(c.most, schemaCostLimit) + " the limit"})
	}
	w.add(n, v)
}
