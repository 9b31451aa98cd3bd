package expr

import (
	"fmt"
	"math"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// The most that an API server lets rules cost, estimated for the largest object of the schema, in units of CEL: one rule, and all
// rules of a version (apiextensions-apiserver, validation.StaticEstimatedCostLimit, StaticEstimatedCRDCostLimit).
const (
	RuleCostLimit   = 10_000_000
	SchemaCostLimit = 100_000_000
)

// Scope is a place in the schema of a kind as a compiler of its rules sees it: the type of self, and how many values of one object can
// stand there (apiextensions-apiserver, validation.CELSchemaContext). It is used by one goroutine.
type Scope struct {
	schema *schema.Schema
	parent *Scope
	// fromParent takes the type out of the parent's; it returns false where it is not in there.
	fromParent func(parent *apiservercel.DeclType) (*apiservercel.DeclType, bool)
	hasRules   bool   // here or above
	most       uint64 // values that can stand here, if isBounded
	isBounded  bool

	isTyped bool // decl has been looked for
	decl    *apiservercel.DeclType
}

// NewScope returns the scope of a kind's root.
func NewScope(root *schema.Schema) *Scope {
	return &Scope{schema: root, hasRules: len(root.Rules) > 0, most: 1, isBounded: true}
}

// Property returns the scope of a declared field.
func (s *Scope) Property(name string, below *schema.Schema) *Scope {
	return s.child(below, func(parent *apiservercel.DeclType) (*apiservercel.DeclType, bool) {
		escaped, ok := apiservercel.Escape(name)
		if !ok {
			return nil, false
		}
		field, ok := parent.Fields[escaped]
		if !ok {
			return nil, false
		}
		return field.Type, true
	})
}

// Item returns the scope of the items of a list, Additional that of the fields that are not declared.
func (s *Scope) Item() *Scope { return s.child(s.schema.Items, elementType) }

// Additional returns the scope of the fields that are not declared.
func (s *Scope) Additional() *Scope { return s.child(s.schema.Additional, elementType) }

func elementType(parent *apiservercel.DeclType) (*apiservercel.DeclType, bool) {
	return parent.ElemType, true
}

func (s *Scope) child(below *schema.Schema, fromParent func(*apiservercel.DeclType) (*apiservercel.DeclType, bool)) *Scope {
	c := &Scope{schema: below, parent: s, fromParent: fromParent, hasRules: s.hasRules || len(below.Rules) > 0}
	if factor, ok := mostBelow(s.schema); ok && s.isBounded {
		c.most, c.isBounded = product(s.most, factor), true
	}
	return c
}

// mostBelow returns how many values one value can hold, false where nothing bounds them (validation.extractMaxElements).
func mostBelow(s *schema.Schema) (uint64, bool) {
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

// product multiplies, and stays at the largest number where the result would be larger.
func product(a, b uint64) uint64 {
	if a != 0 && math.MaxUint64/a < b {
		return math.MaxUint64
	}
	return a * b
}

// selfDecl returns the type of self, nil where rules can see none. Like upstream it prefers the type that a rule above sees here.
func (s *Scope) selfDecl() *apiservercel.DeclType {
	if s.isTyped || !s.hasRules {
		return s.decl
	}
	s.isTyped = true
	if s.parent != nil && s.parent.hasRules {
		above := s.parent.selfDecl()
		if above == nil {
			return nil
		}
		if decl, ok := s.fromParent(above); ok {
			s.decl = decl
			return decl
		}
	}
	s.decl = sizedType(s.schema, s.parent == nil || s.schema.Embedded)
	return s.decl
}

// Compiled is what an API server finds out about a rule when the definition is created.
type Compiled struct {
	// Faults keep the rule from being compiled; MessageFaults its messageExpression.
	Faults, MessageFaults []Fault
	// UsesOld says that it is a transition rule.
	UsesOld bool
	// Cost is the estimate for all values of an object that the rule can stand on; MessageCost that of its messageExpression, once.
	Cost, MessageCost uint64
}

// hiddenType is a name of the type of self that no rule can say; upstream's is another at each time.
const hiddenType = "selfType@"

// Compile compiles the rules of a scope's schema, and estimates their cost (apiextensions-apiserver, schema/cel.Compile). It returns
// false where the schema has no type that a rule could see. A blank rule compiles to nothing.
func (s *Scope) Compile() ([]Compiled, bool) {
	decl := s.selfDecl()
	if decl == nil {
		return nil, false
	}
	decl = decl.MaybeAssignTypeName(hiddenType)
	estimator := &library.CostEstimator{SizeEstimator: sizes{decl}}
	often := s.most
	if !s.isBounded {
		often = uint64(celconfig.MaxRequestSizeBytes / (decl.MinSerializedSize + 1)) // with a comma between two
	}
	var envs [2]*cel.Env
	out := make([]Compiled, len(s.schema.Rules))
	for i := range s.schema.Rules {
		r := &s.schema.Rules[i]
		if strings.TrimSpace(r.Rule) == "" {
			continue
		}
		which := 0
		if r.OptionalOldSelf {
			which = 1
		}
		if envs[which] == nil {
			env, err := siteEnv(decl, r.OptionalOldSelf)
			if err != nil {
				out[i].Faults = []Fault{{err.Error(), -1}}
				continue
			}
			envs[which] = env
		}
		out[i] = compileRule(envs[which], r, estimator)
		out[i].Cost = product(out[i].Cost, often)
	}
	return out, true
}

func compileRule(env *cel.Env, r *schema.Rule, estimator *library.CostEstimator) Compiled {
	var c Compiled
	var ast *cel.Ast
	if ast, c.Cost, c.Faults = compileExpression(env, r.Rule, cel.BoolType, estimator); len(c.Faults) > 0 {
		return c
	}
	for _, ref := range ast.NativeRep().ReferenceMap() {
		c.UsesOld = c.UsesOld || ref.Name == "oldSelf"
	}
	if r.MessageExpression != "" {
		_, c.MessageCost, c.MessageFaults = compileExpression(env, r.MessageExpression, cel.StringType, estimator)
	}
	return c
}

func compileExpression(env *cel.Env, text string, want *cel.Type, estimator *library.CostEstimator) (*cel.Ast, uint64, []Fault) {
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, 0, faultsOf(text, issues)
	}
	if ast.OutputType() != want {
		return nil, 0, []Fault{{fmt.Sprintf("it must give a %s, gives %s", want, ast.OutputType()), -1}}
	}
	if _, err := env.Program(ast, environment.Limits(estimator)...); err != nil {
		return nil, 0, []Fault{{err.Error(), -1}}
	}
	cost, err := env.EstimateCost(ast, estimator)
	if err != nil {
		return nil, 0, []Fault{{err.Error(), -1}}
	}
	return ast, cost.Max, nil
}

// sizes knows how long the strings, lists and maps of a type can be (apiextensions-apiserver, schema/cel.sizeEstimator).
type sizes struct{ root *apiservercel.DeclType }

func (s sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	t := s.root
	for _, name := range element.Path()[1:] { // the first is self
		switch name {
		case "@items", "@values":
			t = t.ElemType
		case "@keys":
			t = t.KeyType
		default:
			field, ok := t.Fields[name]
			if !ok {
				return nil
			}
			t = field.Type
		}
		if t == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(t.MaxElements)}
}

func (s sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// CheckDefault evaluates the rules of a schema, and of those below it, on a default of it: once as a value that stays what it was,
// once as one that is created (apiextensions-apiserver, defaulting.validate). resource says that the value is one.
func CheckDefault(n manifest.Node, s *schema.Schema, resource bool) []diag.Violation {
	if !s.HasRules() {
		return nil
	}
	rules := &Rules{schema: s}
	top := rules.spot(s, s, resource)
	for _, old := range []manifest.Node{n, {}} {
		result, _ := new(evaluation).start(place{n: n, old: old, spot: top}, true)
		if len(result.Violations) > 0 {
			return result.Violations
		}
	}
	return nil
}
