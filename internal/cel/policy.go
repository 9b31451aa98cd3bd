package cel

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
)

// Unknown says what of the value of an argument is not known.
type Unknown = adapter.Unknown

// MatchConditionsBudget is the maximum cost of all match conditions of a policy for one request.
const MatchConditionsBudget = CostBudget / 4

// These are the numbers of the variables of an admission policy.
const (
	PolicyObject = iota
	PolicyOldObject
	PolicyRequest
	PolicyNamespace
	PolicyParams
	PolicyAuthorizer
	policyRequestResource
)

// PolicyArguments are the values of the variables of an admission policy. A variable without a node is null, except for the
// authorizer: its answers are unknown, or it has no value.
type PolicyArguments [policyRequestResource + 1]Argument

// policyVariables are the variables of a policy, in the order of their numbers.
var policyVariables = [...]string{
	PolicyObject: "object", PolicyOldObject: "oldObject", PolicyRequest: "request", PolicyNamespace: "namespaceObject",
	PolicyParams: "params", PolicyAuthorizer: "authorizer", policyRequestResource: "authorizer.requestResource",
}

// composed is the variable that holds those that a policy defines.
const composed = "variables"

// policyEnvironments are the environments without and with params, each without and with the authorizer.
var policyEnvironments = func() (all [2][2]*Environment) {
	for params := range 2 {
		for authorizer := range 2 {
			all[params][authorizer] = newPolicyEnvironment(params == 1, authorizer == 1)
		}
	}
	return all
}()

// newPolicyEnvironment returns an environment for checking and for evaluation. All of them have the same numbers of variables,
// whatever they declare.
func newPolicyEnvironment(hasParams, hasAuthorizer bool) *Environment {
	names := []string{"object", "oldObject", "request", "namespaceObject"}
	if hasParams {
		names = append(names, "params")
	}
	if hasAuthorizer {
		names = append(names, "authorizer")
	}
	e := &Environment{celEnv: sync.OnceValues(func() (*cel.Env, error) { return buildDeclared(names, Bool) })}
	for i, name := range policyVariables {
		e.variables = append(e.variables, Variable{Name: name, Type: Dyn(), IsNullable: i < PolicyAuthorizer})
		e.first = append(e.first, i)
		e.closures = append(e.closures, closure.Variable{Name: name})
	}
	return e
}

// Composed holds the variables that an admission policy defines, and compiles its expressions. It must be used by only one
// goroutine at a time until all expressions are compiled.
type Composed struct {
	hasParams bool
	work      *int
	types     *Composition
	variables map[string]*PolicyExpression
	flat      map[string]*PolicyExpression // nil for a variable that cannot be replaced by its expression
}

// NewComposed returns a policy without variables. work is what is left for the compilation of its expressions (see Signature), or
// nil for no limit.
func NewComposed(hasParams bool, work *int) *Composed {
	return &Composed{
		hasParams: hasParams, work: work, types: NewComposition(), variables: map[string]*PolicyExpression{},
		flat: map[string]*PolicyExpression{},
	}
}

// Define adds a variable. Of several with the same name, the last one counts.
func (c *Composed) Define(name, text string) []Fault {
	e, checked, faults := c.compile(text, Any, true)
	if len(faults) > 0 {
		return faults
	}
	if !c.types.Define(name, checked) {
		return []Fault{{Message: "the types of the variables are too deep", Offset: -1, IsLimit: true}}
	}
	_, isAgain := c.variables[name]
	if c.variables[name], c.flat[name] = e, nil; e.Flat != nil && !isAgain {
		c.flat[name] = e
	}
	return nil
}

// PolicyExpression is a compiled expression of an admission policy.
type PolicyExpression struct {
	// Flat is the expression with the variables of the policy replaced by their expressions, for closures and for blame. It is
	// nil if they cannot be replaced.
	Flat    *Expression
	reads   []access
	whole   func() *program
	origins map[int64]origin // of the parts of Flat, by id
}

// origin is where a part of a flat expression is written: in the expression itself, or in that of a variable.
type origin struct {
	variable string
	rune     int32
}

// Origin returns where the part of the flat expression with an id is written: the variable whose expression has it, or "", and
// the offset in that expression in characters. It returns false if that is not known.
func (e *PolicyExpression) Origin(id int64) (variable string, offset int, ok bool) {
	at, ok := e.origins[id]
	if !ok {
		return "", 0, false
	}
	ast.PostOrderVisit(e.Flat.Root(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.ID() != id {
			return
		}
		ast.PostOrderVisit(x, ast.NewExprVisitor(func(below ast.Expr) {
			if of, ok := e.origins[below.ID()]; ok && of.variable == at.variable {
				at.rune = min(at.rune, of.rune)
			}
		}))
	}))
	return at.variable, int(at.rune), true
}

// access is a path of fields of a variable that an expression reads.
type access struct {
	variable int
	path     []string
}

// Compile compiles an expression that may use the variables that are defined so far.
func (c *Composed) Compile(text string, r Result, hasAuthorizer bool) (*PolicyExpression, []Fault) {
	e, _, faults := c.compile(text, r, hasAuthorizer)
	return e, faults
}

func (c *Composed) compile(text string, r Result, hasAuthorizer bool) (*PolicyExpression, *Checked, []Fault) {
	env := policyEnvironments[index(c.hasParams)][index(hasAuthorizer)]
	s := Signature{Environment: env, Result: r, Work: c.work}
	if len(c.variables) > 0 {
		s.Environment = c.types.Extend(env)
	}
	checked, faults := Check(text, s)
	if len(faults) > 0 {
		return nil, nil, faults
	}
	s.Environment = env
	e := &PolicyExpression{whole: sync.OnceValue(checked.program)}
	w := inliner{
		factory: ast.NewExprFactory(), variables: c.flat, types: map[int64]*types.Type{}, refs: map[int64]*ast.ReferenceInfo{},
		origins: map[int64]origin{},
	}
	tree := w.expr(checked.ast.NativeRep().Expr(), checked.ast.NativeRep())
	if w.isImpossible {
		return e, checked, nil
	}
	e.Flat = newFlat(ast.NewCheckedAST(ast.NewAST(tree, checked.ast.NativeRep().SourceInfo()), w.types, w.refs), checked.env, s)
	e.reads, e.origins = readsOf(tree), w.origins
	return e, checked, nil
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

// newFlat returns an expression of which only closures and parts are evaluated.
func newFlat(tree *ast.AST, env *cel.Env, s Signature) *Expression {
	e := &Expression{
		signature: s, tree: func() *ast.AST { return tree }, program: func() *program { return &program{env: env, ast: tree} },
	}
	for _, ref := range tree.ReferenceMap() {
		e.named |= s.Environment.slotsOf(ref.Name)
	}
	if encoded, err := closure.Encode(tree); err == nil && s.Result == Bool {
		e.code, _ = closure.Compile(encoded, s.Environment.closures)
	}
	return e
}

// MayRead reports whether the expression may read something unknown.
func (e *PolicyExpression) MayRead(arguments *PolicyArguments) bool {
	if e.Flat == nil {
		return true
	}
	for _, a := range e.reads {
		if arguments[a.variable].Unknown.Touches(a.path) {
			return true
		}
	}
	return false
}

// Reads reports whether the expression reads a variable with a number, or may do so.
func (e *PolicyExpression) Reads(variable int) bool {
	return e.Flat == nil || slices.ContainsFunc(e.reads, func(a access) bool { return a.variable == variable })
}

// ReadsField reports whether the expression reads a field of a variable with a number or something below, or may do so.
func (e *PolicyExpression) ReadsField(variable int, name string) bool {
	return e.Flat == nil || slices.ContainsFunc(e.reads, func(a access) bool {
		return a.variable == variable && (len(a.path) == 0 || a.path[0] == name)
	})
}

// inliner copies an expression and replaces the variables of a policy.
type inliner struct {
	factory      ast.ExprFactory
	variables    map[string]*PolicyExpression
	types        map[int64]*types.Type
	refs         map[int64]*ast.ReferenceInfo
	origins      map[int64]origin
	in           *PolicyExpression // the variable whose expression is copied; nil for none
	name         string            // of that variable
	next         int64
	isImpossible bool
}

func (w *inliner) expr(e ast.Expr, from *ast.AST) ast.Expr {
	if w.next++; w.next > environment.MostNodes || w.isImpossible {
		w.isImpossible = true
		return e
	}
	if e.Kind() == ast.SelectKind && isComposed(e.AsSelect().Operand(), from) {
		flat := w.variables[e.AsSelect().FieldName()]
		if flat == nil || e.AsSelect().IsTestOnly() {
			w.isImpossible = true
			return e
		}
		in, name := w.in, w.name
		w.in, w.name = flat, e.AsSelect().FieldName()
		copied := w.expr(flat.Flat.Root(), flat.Flat.tree())
		w.in, w.name = in, name
		return copied
	}
	id := w.next
	w.note(id, e, from)
	if t, ok := from.TypeMap()[e.ID()]; ok {
		w.types[id] = t
	}
	if r, ok := from.ReferenceMap()[e.ID()]; ok {
		w.refs[id] = r
	}
	switch e.Kind() {
	case ast.LiteralKind:
		return w.factory.NewLiteral(id, e.AsLiteral())
	case ast.IdentKind:
		w.isImpossible = w.isImpossible || isComposed(e, from)
		return w.factory.NewIdent(id, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		if s.IsTestOnly() {
			return w.factory.NewPresenceTest(id, w.expr(s.Operand(), from), s.FieldName())
		}
		return w.factory.NewSelect(id, w.expr(s.Operand(), from), s.FieldName())
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			return w.factory.NewMemberCall(id, c.FunctionName(), w.expr(c.Target(), from), w.all(c.Args(), from)...)
		}
		return w.factory.NewCall(id, c.FunctionName(), w.all(c.Args(), from)...)
	case ast.ListKind:
		return w.factory.NewList(id, w.all(e.AsList().Elements(), from), e.AsList().OptionalIndices())
	case ast.MapKind:
		var entries []ast.EntryExpr
		for _, entry := range e.AsMap().Entries() {
			w.next++
			own, m := w.next, entry.AsMapEntry()
			entries = append(entries, w.factory.NewMapEntry(own, w.expr(m.Key(), from), w.expr(m.Value(), from), m.IsOptional()))
		}
		return w.factory.NewMap(id, entries)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		for _, name := range []string{c.IterVar(), c.IterVar2(), c.AccuVar()} {
			w.isImpossible = w.isImpossible || name == composed || slices.Contains(policyVariables[:], name)
		}
		return w.factory.NewComprehensionTwoVar(id, w.expr(c.IterRange(), from), c.IterVar(), c.IterVar2(), c.AccuVar(),
			w.expr(c.AccuInit(), from), w.expr(c.LoopCondition(), from), w.expr(c.LoopStep(), from), w.expr(c.Result(), from))
	}
	w.isImpossible = true
	return e
}

// note notes where an expression is written.
func (w *inliner) note(id int64, e ast.Expr, from *ast.AST) {
	if w.in == nil {
		if at, ok := from.SourceInfo().GetOffsetRange(e.ID()); ok {
			w.origins[id] = origin{rune: at.Start}
		}
		return
	}
	if at, ok := w.in.origins[e.ID()]; ok {
		if at.variable == "" {
			at.variable = w.name
		}
		w.origins[id] = at
	}
}

func (w *inliner) all(list []ast.Expr, from *ast.AST) []ast.Expr {
	copied := make([]ast.Expr, len(list))
	for i, e := range list {
		copied[i] = w.expr(e, from)
	}
	return copied
}

// isComposed reports whether an expression is the variable that holds those of the policy.
func isComposed(e ast.Expr, in *ast.AST) bool {
	return e.Kind() == ast.IdentKind && e.AsIdent() == composed && in.ReferenceMap()[e.ID()] != nil
}

// readsOf returns the paths of the variables of a policy that an expression reads.
func readsOf(e ast.Expr) (reads []access) {
	inner := map[int64]bool{} // operands of a longer path
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if inner[e.ID()] {
			return
		}
		var path []string
		for at := e; ; {
			inner[at.ID()] = true
			name, operand, ok := fieldOf(at)
			if !ok {
				if at.Kind() == ast.IdentKind {
					if i := slices.Index(policyVariables[:], at.AsIdent()); i >= 0 {
						slices.Reverse(path)
						reads = append(reads, access{i, path})
					}
				} else if at != e {
					delete(inner, at.ID())
				}
				return
			}
			path, at = append(path, name), operand
		}
	}))
	return reads
}

// fieldOf returns the field that an expression selects, and of what. It returns false for any other expression.
func fieldOf(e ast.Expr) (name string, operand ast.Expr, ok bool) {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().FieldName(), e.AsSelect().Operand(), true
	case ast.CallKind:
		c := e.AsCall()
		if f := c.FunctionName(); f != "_[_]" && f != "_?._" && f != "_[?_]" || len(c.Args()) != 2 ||
			c.Args()[1].Kind() != ast.LiteralKind {
			return "", nil, false
		}
		text, isText := c.Args()[1].AsLiteral().(types.String)
		return string(text), c.Args()[0], isText
	}
	return "", nil, false
}

// PolicyRun evaluates expressions of a policy for one request, as a server evaluates those of one kind: a variable is evaluated
// when an expression first reads it, and only then costs something.
type PolicyRun struct {
	of         *Composed
	activation *Activation
	values     map[string]ref.Val
	cost       int64 // of variables, since it was taken last
}

// Run returns a run with the values of the variables. m is the remaining budget of work.
func (c *Composed) Run(arguments *PolicyArguments, m *environment.Meter) *PolicyRun {
	env := policyEnvironments[1][1]
	r := &PolicyRun{of: c, values: map[string]ref.Val{}}
	a := &Activation{
		signature: Signature{Environment: env}, arguments: arguments[:], values: make([]ref.Val, len(arguments)), meter: m,
	}
	r.activation = a
	if len(c.variables) > 0 {
		r.activation = a.Bind([]string{composed}, []ref.Val{&lazyVariables{r}})
	}
	return r
}

// Activation returns the variables of the run, for the flat forms of expressions.
func (r *PolicyRun) Activation() *Activation { return r.activation }

// Eval evaluates an expression. The cost of the variables that it was the first to read is variables.
func (r *PolicyRun) Eval(e *PolicyExpression) (result Evaluated, variables int64) {
	p := e.whole()
	if p.err != nil {
		return Evaluated{Cost: -1, Err: p.err}, 0
	}
	own := *r.activation
	result = evaluate(p.whole, &own)
	variables, r.cost = r.cost, 0
	return result, variables
}

// variable evaluates a variable.
func (r *PolicyRun) variable(name string) ref.Val {
	if v, ok := r.values[name]; ok {
		return v
	}
	r.values[name] = types.NewErr("composited variable %q needs its own value", name)
	result := func() Evaluated {
		p := r.of.variables[name].whole()
		if p.err != nil {
			return Evaluated{Err: p.err}
		}
		own := *r.activation
		return evaluate(p.whole, &own)
	}()
	r.cost = environment.AddCost(r.cost, max(result.Cost, 0))
	v := result.value
	if result.Err != nil {
		v = types.NewErr("composited variable %q fails to evaluate: %v", name, result.Err)
	}
	r.values[name] = v
	return v
}

// lazyVariables is the value of the variable variables (k8s.io/apiserver, cel/lazy.MapValue).
type lazyVariables struct{ run *PolicyRun }

var (
	_             traits.Mapper = (*lazyVariables)(nil)
	variablesType               = types.NewObjectType("kubernetes.variables", traits.IndexerType|traits.FieldTesterType|traits.IterableType)
)

func (l *lazyVariables) Find(key ref.Val) (ref.Val, bool) {
	text, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	name, ok := apiservercel.Unescape(string(text))
	if !ok || l.run.of.variables[name] == nil {
		return nil, false
	}
	return l.run.variable(name), true
}

func (l *lazyVariables) Get(key ref.Val) ref.Val {
	if v, ok := l.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (l *lazyVariables) Contains(key ref.Val) ref.Val {
	v, found := l.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(found)
}

func (l *lazyVariables) Iterator() traits.Iterator { return adapter.IteratorOf(nil) }
func (l *lazyVariables) Size() ref.Val             { return types.Int(len(l.run.of.variables)) }
func (l *lazyVariables) Type() ref.Type            { return variablesType }
func (l *lazyVariables) Value() any                { return types.NoSuchOverloadErr() }
func (l *lazyVariables) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("disallowed conversion from %q to %q", variablesType.TypeName(), t.Name())
}

func (l *lazyVariables) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case variablesType:
		return l
	case types.TypeType:
		return variablesType
	}
	return types.NewErr("disallowed conversion from %q to %q", variablesType.TypeName(), t.TypeName())
}

func (l *lazyVariables) Equal(other ref.Val) ref.Val {
	return types.Bool(other == ref.Val(l))
}

// SetAuthorizer makes the answers of the authorizer unknown; nil means that there is no authorizer.
func (a *PolicyArguments) SetAuthorizer(u *Unknown) {
	a[PolicyAuthorizer].Unknown, a[policyRequestResource].Unknown = u, u
}
