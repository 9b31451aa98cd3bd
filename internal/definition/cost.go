package definition

import (
	"math"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/schema"
)

// These are the maximum costs that an API server allows for one rule and for all rules of a version, estimated for the
// largest object of the schema, in CEL cost units (apiextensions-apiserver, validation.StaticEstimatedCostLimit,
// StaticEstimatedCRDCostLimit).
const (
	ruleCostLimit   = 10_000_000
	schemaCostLimit = 100_000_000
)

// scope is a place in the schema of a kind as the rule compiler sees it: the type of self, and how many values of one
// object can be there (apiextensions-apiserver, validation.CELSchemaContext). It must be used by only one goroutine.
type scope struct {
	schema *schema.Schema
	minor  int // of the server
	parent *scope
	// fromParent derives the type from that of the parent. It returns false if the parent's type does not have it.
	fromParent func(parent cel.SizedType) (cel.SizedType, bool)
	hasRules   bool   // here or above
	most       uint64 // number of values that can be here, if isBounded
	isBounded  bool

	isTyped bool // self has been computed
	self    cel.SizedType
}

// newScope returns the scope of the root of a kind.
func newScope(root *schema.Schema, minor int) *scope {
	return &scope{schema: root, minor: minor, hasRules: len(root.Rules) > 0, most: 1, isBounded: true}
}

// property returns the scope of a declared field.
func (s *scope) property(name string, below *schema.Schema) *scope {
	return s.child(below, func(parent cel.SizedType) (cel.SizedType, bool) { return parent.Field(name) })
}

// item returns the scope of the items of a list.
func (s *scope) item() *scope { return s.child(s.schema.Items, elementType) }

// additional returns the scope of the undeclared fields.
func (s *scope) additional() *scope { return s.child(s.schema.Additional, elementType) }

func elementType(parent cel.SizedType) (cel.SizedType, bool) { return parent.Element(), true }

func (s *scope) child(below *schema.Schema, fromParent func(cel.SizedType) (cel.SizedType, bool)) *scope {
	c := &scope{schema: below, minor: s.minor, parent: s, fromParent: fromParent, hasRules: s.hasRules || len(below.Rules) > 0}
	if factor, ok := maxBelow(s.schema); ok && s.isBounded {
		c.most, c.isBounded = product(s.most, factor), true
	}
	return c
}

// maxBelow returns how many values one value can hold, or false if the number is unbounded
// (validation.extractMaxElements).
func maxBelow(s *schema.Schema) (uint64, bool) {
	var limit *int64
	switch {
	case s.Type == "array":
		limit = s.MaxItems
	case s.Type == "object" && s.AdditionalSet:
		limit = s.MaxProperties
	default:
		return 1, true
	}
	if limit == nil {
		return 0, false
	}
	return uint64(max(*limit, 0)), true
}

// product multiplies two numbers. If the result would overflow, it returns the largest number.
func product(a, b uint64) uint64 {
	if a != 0 && math.MaxUint64/a < b {
		return math.MaxUint64
	}
	return a * b
}

// selfType returns the type of self. It is not valid if rules see no type here. As upstream, it prefers the type that
// a rule further up sees here.
func (s *scope) selfType() cel.SizedType {
	if s.isTyped || !s.hasRules {
		return s.self
	}
	s.isTyped = true
	if s.parent != nil && s.parent.hasRules {
		above := s.parent.selfType()
		if !above.IsValid() {
			return above
		}
		if t, ok := s.fromParent(above); ok {
			s.self = t
			return t
		}
	}
	s.self = cel.SizedTypeOf(s.schema, s.parent == nil || s.schema.Embedded, s.minor)
	return s.self
}

// compiledRule is what an API server computes for a rule when the CRD is created.
type compiledRule struct {
	// faults prevent the rule from being compiled, and messageFaults its messageExpression.
	faults, messageFaults []cel.Fault
	// usesOld means that the rule is a transition rule.
	usesOld bool
	// cost is the estimate for all values of an object that the rule can apply to. messageCost is the estimate for
	// evaluating its messageExpression once.
	cost, messageCost uint64
}

// compile compiles the rules of a scope's schema and estimates their cost (apiextensions-apiserver,
// schema/cel.Compile). It returns false if the schema has no type that a rule could see. The result for a blank rule
// is the zero value, as it is when the check is canceled.
func (s *scope) compile(c *checker) ([]compiledRule, bool) {
	self := s.selfType()
	if !self.IsValid() {
		return nil, false
	}
	often := s.most
	if !s.isBounded {
		often = self.MaxInRequest()
	}
	var environments [2]*cel.Environment // without and with an optional oldSelf
	out := make([]compiledRule, len(s.schema.Rules))
	for i := range s.schema.Rules {
		r := &s.schema.Rules[i]
		if strings.TrimSpace(r.Rule) == "" || c.share.IsCanceled() {
			continue
		}
		which := 0
		if r.OptionalOldSelf && !c.dropsOptional() {
			which = 1
		}
		if environments[which] == nil {
			t := self.Type()
			environments[which] = cel.NewEnvironment(
				cel.Variable{Name: "self", Type: t},
				cel.Variable{Name: "oldSelf", Type: t, IsOptional: which == 1},
			)
		}
		out[i] = c.compileRule(environments[which], r)
		out[i].cost = product(out[i].cost, often)
	}
	return out, true
}

func (c *checker) compileRule(e *cel.Environment, r *schema.Rule) compiledRule {
	var out compiledRule
	checked, faults := cel.Check(r.Rule, cel.Signature{Environment: e, Result: cel.Bool, Work: &c.work})
	if len(faults) == 0 {
		faults = checked.Absent(c.server, c.isStoredRule(r.Rule))
	}
	if len(faults) == 0 {
		out.cost, faults = checked.MaxCost(c.server.Minor)
	}
	if len(faults) > 0 {
		out.faults = faults
		return out
	}
	out.usesOld = checked.Names("oldSelf")
	if r.MessageExpression != "" {
		message, faults := cel.Check(r.MessageExpression, cel.Signature{Environment: e, Result: cel.String, Work: &c.work})
		if len(faults) == 0 {
			faults = message.Absent(c.server, c.isStoredMessage(r.MessageExpression))
		}
		if len(faults) == 0 {
			out.messageCost, faults = message.MaxCost(c.server.Minor)
		}
		out.messageFaults = faults
	}
	return out
}
