// Package cel compiles and evaluates CEL expressions over the nodes of documents.
//
// # Life of an expression
//
// A [Signature] declares the variables of an expression, their types and the type of the result. [Compile] checks
// the text against the signature and compiles the checked expression to closures. An evaluation tries the closures
// first ([Expression.Verdict]). They cost next to nothing and are enough for nearly all expressions that are true.
// If they are unsure, [Expression.Eval] runs cel-go's program and counts its cost as an API server does. The
// program is planned when it is first needed. The rules that are part of kindvet are checked ahead of time:
// [Precompiled] creates closures from their encoded form, and does not even parse the text until cel-go is needed.
//
// # Variables
//
// The rules of a CRD see self and oldSelf, typed by a schema. Lint rules see self, object, oldObject, source,
// pod, kubernetesMinor and objects, without a schema. The expressions of an admission policy have another signature.
//
// Only this package and the packages below it import cel-go.
package cel

import (
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/cel/library"
)

// Limits of an API server, in units of cost.
const (
	// CallCostLimit is the maximum cost of one evaluation. CostBudget is the maximum cost of all evaluations for
	// one object together.
	CallCostLimit = celconfig.PerCallLimit
	CostBudget    = celconfig.RuntimeCELCostBudget
	// MaxMessageSize is the maximum size, in bytes, of a message that an expression returns.
	MaxMessageSize = celconfig.MaxEvaluatedMessageExpressionSizeBytes
)

// Checked is an expression that CEL's checker has accepted.
type Checked struct {
	signature Signature
	env       *cel.Env
	ast       *cel.Ast
}

// Check parses and checks an expression.
func Check(text string, s Signature) (*Checked, []Fault) {
	env, err := s.Environment.celEnv()
	if err != nil {
		return nil, []Fault{{Message: err.Error(), Offset: -1}}
	}
	return check(env, text, s)
}

func check(env *cel.Env, text string, s Signature) (*Checked, []Fault) {
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, faultsOf(text, issues)
	}
	if limit := s.limit(environment.SizeOf(parsed.NativeRep().Expr(), environment.MostNodes)); limit != "" {
		return nil, []Fault{{Message: limit, Offset: -1, IsLimit: true}}
	}
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return nil, faultsOf(text, issues)
	}
	if have := checked.OutputType(); !s.Result.allows(have) && !(s.AllowDyn && have == cel.DynType) {
		fault := Fault{Message: "must return " + s.Result.String() + ", got " + have.String(), Offset: -1}
		if s.Result == Bool && have == cel.DynType {
			fault.Help = "compare the value, for example with == true"
		}
		return nil, []Fault{fault}
	}
	return &Checked{s, env, checked}, nil
}

// limit returns why an expression of this size is not checked, or "" after it has subtracted the work.
func (s Signature) limit(size environment.Size) string {
	if size.Nodes > environment.MostNodes {
		return "it is too large with all its macros expanded"
	}
	if s.Work != nil {
		if *s.Work -= size.Nodes * size.Binding / bindingsOfWork; *s.Work < 0 {
			return "the document has too many expressions, or too complex ones"
		}
	}
	return ""
}

// bindingsOfWork is the number of type variables that the checker copies in a unit of work, which is a few microseconds.
const bindingsOfWork = 32

// Encode returns the expression in the format that [Precompiled] reads.
func (c *Checked) Encode() (string, error) { return closure.Encode(c.ast.NativeRep()) }

// Names reports whether the expression uses the variable with this name.
func (c *Checked) Names(variable string) bool {
	for _, ref := range c.ast.NativeRep().ReferenceMap() {
		if ref.Name == variable {
			return true
		}
	}
	return false
}

// Planned returns the faults that an API server finds when it prepares the expression for evaluation.
func (c *Checked) Planned() []Fault {
	if !c.isFolded() {
		return nil
	}
	if err := c.program().err; err != nil {
		return []Fault{{Message: err.Error(), Offset: -1}}
	}
	return nil
}

// MaxCost returns an upper bound of the cost of the expression, based on the sizes of the types of its variables.
// It is the estimate of an API server of a minor version of Kubernetes 1; 0 is the newest one.
func (c *Checked) MaxCost(minor int) (uint64, []Fault) {
	if p := c.program(); p.err != nil {
		return 0, []Fault{{Message: p.err.Error(), Offset: -1}}
	}
	estimator := c.signature.Environment.sizes
	if estimator == nil {
		estimator = sizes{c.signature.Environment}
	}
	cost, err := c.env.EstimateCost(c.ast, &library.CostEstimator{SizeEstimator: estimator, Minor: minor})
	if err != nil {
		return 0, []Fault{{Message: err.Error(), Offset: -1}}
	}
	return cost.Max, nil
}

// program plans cel-go's program.
func (c *Checked) program() *program {
	p := &program{env: c.env, ast: c.ast.NativeRep()}
	p.whole, p.err = c.env.Program(c.ast, environment.Limits(p.ast.Expr(), &library.CostEstimator{})...)
	return p
}

// isFolded reports whether planning a program may evaluate a part of the expression and find a fault in it: a
// conversion of a literal, or a search for a literal pattern (cel-go, interpreter/decorators.go). The literals of
// matches, duration and timestamp are checked together with the expression.
func (c *Checked) isFolded() bool {
	found := false
	ast.PostOrderVisit(c.ast.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		switch name := e.AsCall().FunctionName(); name {
		case "find", "findAll":
			found = true
		case overloads.TypeConvertDuration, overloads.TypeConvertTimestamp,
			overloads.TypeConvertDyn, overloads.TypeConvertType:
		default:
			found = found || overloads.IsTypeConversionFunction(name)
		}
	}))
	return found
}

// Expression is a compiled expression. It is safe for concurrent use.
type Expression struct {
	signature Signature
	code      *closure.Code // nil if closures do not cover the expression
	named     closure.Slots
	program   func() *program
	// tree is the expression as cel-go's AST. That of a precompiled expression is made from the encoded form, and is not
	// the one of the program.
	tree          func() *ast.AST
	isPrecompiled bool
	parts         sync.Map // *part by the id of its expression in the tree
}

// program is cel-go's part of an expression.
type program struct {
	env   *cel.Env
	ast   *ast.AST
	whole cel.Program
	err   error // why there is no program
}

// Compile compiles an expression.
func Compile(text string, s Signature) (*Expression, []Fault) {
	checked, faults := Check(text, s)
	if len(faults) > 0 {
		return nil, faults
	}
	e := &Expression{signature: s, program: sync.OnceValue(checked.program), tree: checked.ast.NativeRep}
	for _, ref := range checked.ast.NativeRep().ReferenceMap() {
		e.named |= s.Environment.slotsOf(ref.Name)
	}
	if encoded, err := checked.Encode(); err == nil && s.Result == Bool {
		e.code, _ = closure.Compile(encoded, s.Environment.closures)
	}
	if e.code == nil || checked.isFolded() {
		if err := e.program().err; err != nil {
			return nil, []Fault{{Message: err.Error(), Offset: -1}}
		}
	}
	return e, nil
}

// Precompiled returns an expression that was checked before, given its encoded form. The function text is called,
// and its result compiled, only when closures cannot tell the value of the expression or of a part of it. If closures
// do not cover the expression, it is compiled immediately.
func Precompiled(encoded string, s Signature, text func() string) (*Expression, []Fault) {
	code, err := closure.Compile(encoded, s.Environment.closures)
	if err != nil {
		return Compile(text(), s)
	}
	compile := func() *program {
		checked, faults := Check(text(), s)
		if len(faults) > 0 {
			return &program{err: faultError(faults)}
		}
		return checked.program()
	}
	return &Expression{
		signature: s, code: code, named: code.Named(), program: sync.OnceValue(compile), isPrecompiled: true,
		tree: sync.OnceValue(func() *ast.AST {
			tree, err := closure.Tree(encoded)
			if err != nil {
				panic("the encoded expression has been read before: " + err.Error())
			}
			return tree
		}),
	}, nil
}

// Names reports whether the expression uses the variable with this number.
func (e *Expression) Names(variable int) bool {
	return e.named&e.signature.Environment.slots(variable) != 0
}

// IsCovered reports whether closures cover the expression.
func (e *Expression) IsCovered() bool { return e.code != nil }

// Unescape returns the key that a name in an expression refers to.
func Unescape(name string) string {
	if !strings.Contains(name, "__") {
		return name
	}
	if key, ok := apiservercel.Unescape(name); ok {
		return key
	}
	return name
}

// sizes estimates how long the strings, lists and maps of a type can be (apiextensions-apiserver,
// schema/cel.sizeEstimator).
type sizes struct{ environment *Environment }

func (s sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	t := s.environment.variables[0].Type.decl()
	for _, name := range element.Path()[1:] { // the first element is the variable
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

// faultError is a list of faults as an error.
type faultError []Fault

func (f faultError) Error() string { return strings.TrimSpace(JoinFaults(f)) }

// Parse returns the tree of an expression, with its macros expanded. It returns false if it is not an expression, or too large.
func Parse(text string) (*ast.AST, bool) {
	env, err := environment.Base()
	if err != nil {
		return nil, false
	}
	parsed, issues := env.Parse(text)
	if issues.Err() != nil || environment.SizeOf(parsed.NativeRep().Expr(), environment.MostNodes).Nodes > environment.MostNodes {
		return nil, false
	}
	return parsed.NativeRep(), true
}
