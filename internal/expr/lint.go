package expr

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// lintEnv is the environment of lint expressions: that of the API server's rules, with the variables of a lint rule.
var lintEnv = sync.OnceValues(newLintEnv)

func newLintEnv() (*cel.Env, error) {
	base, err := environment.Base()
	if err != nil {
		return nil, err
	}
	return base.Extend(
		cel.Variable("self", cel.DynType),
		cel.Variable("object", cel.DynType),
		cel.Variable("oldObject", cel.DynType),
		cel.Variable("source", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("objects", cel.ListType(cel.DynType)),
	)
}

// Lint is a compiled expression of a lint rule. It may be used from several goroutines.
type Lint struct {
	code  *closure.Code // nil where closures do not cover the expression
	named closure.Slots // the variables that the expression names
	judge func() *judge
}

// CompileLint compiles an expression over the variables self, object, oldObject, source and objects. It must give a bool, or, with
// asText, a string; what is known only at run time passes.
func CompileLint(text string, asText bool) (*Lint, []Fault) {
	j, found := judgeLint(text, asText)
	if len(found) > 0 {
		return nil, found
	}
	l := &Lint{judge: func() *judge { return j }}
	if flat, err := closure.Encode(j.ast); err == nil && !asText {
		l.code, _ = compileLintFlat(flat)
	}
	for _, r := range j.ast.ReferenceMap() {
		l.named |= lintSlots(r.Name)
	}
	return l, nil
}

// judgeLint has cel-go check an expression, and makes its program.
func judgeLint(text string, asText bool) (*judge, []Fault) {
	env, err := lintEnv()
	if err != nil {
		panic("the environment of lint rules is fixed: " + err.Error())
	}
	checked, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, faultsOf(text, issues)
	}
	want := cel.BoolType
	if asText {
		want = cel.StringType
	}
	if have := checked.OutputType(); have != want && have != cel.DynType {
		return nil, []Fault{{Message: "must give " + want.String() + ", gives " + have.String()}}
	}
	j := &judge{env: env, ast: checked.NativeRep()}
	if j.program, err = env.Program(checked, environment.Limits(&library.CostEstimator{})...); err != nil {
		return nil, []Fault{{Message: err.Error()}}
	}
	return j, nil
}

// ShippedLint returns an expression of type bool that was checked before, of its flat form. Its text is asked for, and compiled, when
// closures do not know that it is true. A text that does not compile panics.
func ShippedLint(flat string, text func() string) *Lint {
	l := &Lint{}
	l.judge = sync.OnceValue(func() *judge {
		j, found := judgeLint(text(), false)
		if len(found) > 0 {
			panic("a shipped expression was checked before: " + found[0].Message)
		}
		return j
	})
	var err error
	if l.code, err = compileLintFlat(flat); err != nil {
		l, _ = CompileLint(text(), false)
		return l
	}
	l.named = l.code.Named()
	return l
}

// Flat returns the expression in the flat form.
func (l *Lint) Flat() (string, error) { return closure.Encode(l.judge().ast) }

// UsesOldObject says whether the expression names oldObject.
func (l *Lint) UsesOldObject() bool { return l.named.Has(slotOldObject) }

// UsesSource says whether the expression names source.
func (l *Lint) UsesSource() bool { return l.named&sourceSlots != 0 }

// UsesObjects says whether the expression names objects.
func (l *Lint) UsesObjects() bool { return l.named.Has(slotObjects) }

// Variables are what a lint expression is evaluated over. Self must be valid unless the expression is about objects alone. They are for
// one goroutine, and best used again for the next expression.
type Variables struct {
	// Self is the value that the rule looks at, Object the resource that holds it, OldObject that resource before the update; not
	// valid where there is none, and then null.
	Self, Object, OldObject manifest.Node
	// Source says how Self is written.
	Source Source
	// Objects are what a rule over a set of documents has gathered.
	Objects []any
	// Budget is what the expressions may cost; nil where each has a budget of its own.
	Budget *Budget

	frame closure.Frame
}

// Budget is what is left of the cost and work that the lint expressions of one document, or of one set of documents, may cause, and that
// of blame. It counts steps of evaluation and not time, so that a report does not depend on the machine.
type Budget struct {
	cost  int64
	work  environment.Meter
	blame blameBudget
}

// Reset makes the budget that of so many other documents. For one it is as large as what a server grants the rules of an object.
func (b *Budget) Reset(documents int64) {
	*b = Budget{cost: documents * celconfig.RuntimeCELCostBudget, work: environment.Meter{Left: documents * environment.WorkBudget}, blame: newBlameBudget()}
}

// IsExhausted says that nothing is left: no further expression is evaluated.
func (b *Budget) IsExhausted() bool { return b.cost <= 0 || b.work.Left <= 0 }

// ErrBudget says that an expression was not evaluated because the budget is used up.
var ErrBudget = errors.New("the rules of the document need too many steps")

// ErrCost says that the evaluation of an expression was ended because it takes more steps than an API server allows.
var ErrCost = errors.New("it takes more steps than an API server allows for one expression")

// Source says how a value is written.
type Source struct {
	// Raw is the value's text, with its quotes; Style is plain, single-quoted, double-quoted, literal, folded or flow.
	Raw, Style string
	// Tag is the value's tag, "" where it has none; Key the text of its key, Between what stands between the two.
	Tag, Key, Between string
}

func (v *Variables) activation(named closure.Slots) *activation {
	a := &activation{meter: &v.budget().work}
	if v.Self.Valid() {
		a.self = adapter.ValueOf(v.Self, adapter.DynSchema())
	}
	bind := func(name string, value ref.Val) {
		if a.bound == nil {
			a.bound = map[string]ref.Val{}
		}
		a.bound[name] = value
	}
	if named.Has(slotObject) && v.Object.Valid() {
		bind("object", adapter.ValueOf(v.Object, adapter.DynSchema()))
	}
	if named.Has(slotOldObject) {
		bind("oldObject", types.NullValue)
		if v.OldObject.Valid() {
			bind("oldObject", adapter.ValueOf(v.OldObject, adapter.DynSchema()))
		}
	}
	if named&sourceSlots != 0 {
		bind("source", types.DefaultTypeAdapter.NativeToValue(map[string]any{
			"raw": v.Source.Raw, "style": v.Source.Style, "tag": v.Source.Tag, "key": v.Source.Key, "between": v.Source.Between,
		}))
	}
	if named.Has(slotObjects) {
		bind("objects", types.DefaultTypeAdapter.NativeToValue(v.Objects))
	}
	return a
}

// budget returns the budget, or, where there is none, a new one.
func (v *Variables) budget() *Budget {
	if v.Budget == nil {
		v.Budget = &Budget{}
		v.Budget.Reset(1)
	}
	return v.Budget
}

// True evaluates an expression of type bool. The error says why there is no answer, as when a field is absent; ErrCost and ErrBudget are
// that too many steps are needed.
func (l *Lint) True(v *Variables) (bool, error) {
	budget := v.budget()
	if budget.IsExhausted() {
		return false, ErrBudget
	}
	if l.code != nil {
		outcome := l.verdict(v)
		budget.cost -= v.frame.Cost()
		switch {
		case outcome == closure.True || outcome == closure.False:
			return outcome == closure.True, nil
		case v.frame.CostsTooMuch():
			return false, ErrCost
		}
	}
	out, err := l.eval(v)
	if err != nil {
		return false, err
	}
	return out == types.True, nil
}

// eval runs cel-go's program of an expression.
func (l *Lint) eval(v *Variables) (ref.Val, error) {
	budget := v.budget()
	out, details, err := l.judge().program.Eval(v.activation(l.named))
	budget.cost -= costOf(details)
	switch {
	case err == nil:
		return out, nil
	case err.Error() == environment.OutOfCost:
		return nil, ErrCost
	case err.Error() == environment.OutOfWork:
		return nil, ErrBudget
	}
	return nil, err
}

// Text evaluates an expression of type string.
func (l *Lint) Text(v *Variables) (string, error) {
	if v.budget().IsExhausted() {
		return "", ErrBudget
	}
	out, err := l.eval(v)
	if err != nil {
		return "", err
	}
	text, ok := out.(types.String)
	if !ok {
		return "", types.MaybeNoSuchOverloadErr(out).(*types.Err)
	}
	return strings.Join(strings.Fields(string(text)), " "), nil
}

// Blame says which part of the document made a false expression false.
type Blame struct {
	// Node is that part; where something is absent, what lacks it, and Absent is true.
	Node   manifest.Node
	Absent bool
	// Place is what to mark, Help names the operands and their values.
	Place source.Place
	Help  string
	// Related has the places of the old values that were read.
	Related []diag.Related
}

// Blame blames a false expression on the operand that decided it, if that is Self or a part of it; else on Self.
func (l *Lint) Blame(v *Variables) Blame {
	budget := &v.budget().blame
	b := budget.blamer(&rule{judge: l.judge}, place{n: v.Self})
	defer budget.pay(b)
	b.scope = &scope{name: "object", n: v.Object, up: &scope{name: "oldObject", n: v.OldObject}}
	var operands []operand
	var related []diag.Related
	for _, o := range b.guilty(l.judge().ast.Expr(), b.metered(v.activation(l.named)), false) {
		switch {
		case len(operands) == mostBlamed:
		case slices.ContainsFunc(operands, func(x operand) bool { return x.n == o.n && x.name == o.name }):
		case o.n.Tree() == v.Self.Tree():
			operands = append(operands, o)
		case !o.absent && len(related) < mostOperands:
			related = append(related, diag.Related{Place: Mark(o.n), Message: "was " + valueText(o.n)})
		}
	}
	blamed := operand{n: v.Self}
	if i := slices.IndexFunc(operands, func(o operand) bool { return isWithin(o.n, v.Self) }); i >= 0 {
		blamed = operands[i]
	}
	result := Blame{Node: blamed.n, Absent: blamed.absent, Help: helpOf(operands), Place: Mark(blamed.n), Related: related}
	if blamed.absent {
		result.Place = placeIn(blamed.n, blamed.n.HeadSpan())
	}
	return result
}

// isWithin says whether a node is another one of its tree, or stands below it.
func isWithin(n, above manifest.Node) bool {
	for ; n.Valid(); n = n.Parent() {
		if n == above {
			return true
		}
	}
	return false
}

// Mark returns what a violation marks of a node: a scalar itself, of a map or list its head.
func Mark(n manifest.Node) source.Place { return placeIn(n, n.MarkSpan()) }
