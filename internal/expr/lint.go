package expr

import (
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// anything is the schema of values that a lint expression sees as they are written: maps with any key, lists of any item, scalars of the
// type that they have, null included. It is what a ValidatingAdmissionPolicy sees of an object.
var anything = func() *schema.Schema {
	s := &schema.Schema{}
	s.Additional, s.Items = s, s
	return s
}()

// written returns a node as a value of its own type.
func written(n manifest.Node) ref.Val {
	switch n.Type() {
	case manifest.Boolean:
		return types.Bool(n.Boolean())
	case manifest.Integer:
		return types.Int(n.Integer())
	case manifest.Float:
		return types.Double(n.Float())
	case manifest.String:
		return types.String(n.Text())
	case manifest.List:
		return &list{n: n, s: anything}
	case manifest.Map:
		return &object{n, anything}
	}
	return types.NullValue
}

// lintEnv is the environment of lint expressions: that of the API server's rules, with the variables of a lint rule.
var lintEnv = sync.OnceValues(newLintEnv)

func newLintEnv() (*cel.Env, error) {
	base, err := baseEnv()
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
	judge *judge
	uses  map[string]bool // the variables that the expression names
}

// CompileLint compiles an expression over the variables self, object, oldObject, source and objects. It must give a bool, or, with
// asText, a string; what is known only at run time passes.
func CompileLint(text string, asText bool) (*Lint, []Fault) {
	env, err := lintEnv()
	if err != nil {
		panic("the environment of lint rules is fixed: " + err.Error())
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, faultsOf(text, issues)
	}
	want := cel.BoolType
	if asText {
		want = cel.StringType
	}
	if have := ast.OutputType(); have != want && have != cel.DynType {
		return nil, []Fault{{Message: "must give " + want.String() + ", gives " + have.String()}}
	}
	l := &Lint{judge: &judge{env: env, ast: ast.NativeRep()}, uses: map[string]bool{}}
	for _, r := range l.judge.ast.ReferenceMap() {
		l.uses[r.Name] = true
	}
	if l.judge.program, err = env.Program(ast, cel.EvalOptions(cel.OptOptimize)); err != nil {
		return nil, []Fault{{Message: err.Error()}}
	}
	return l, nil
}

// Uses says whether the expression names a variable.
func (l *Lint) Uses(variable string) bool { return l.uses[variable] }

// Variables are what a lint expression is evaluated over. Self must be valid unless the expression is about objects alone.
type Variables struct {
	// Self is the value that the rule looks at, Object the resource that holds it, OldObject that resource before the update; not
	// valid where there is none, and then null.
	Self, Object, OldObject manifest.Node
	// Source says how Self is written.
	Source map[string]any
	// Objects are what a rule over a set of documents has gathered.
	Objects []any
}

func (v *Variables) activation(uses map[string]bool) *activation {
	a := &activation{}
	if v.Self.Valid() {
		a.self = written(v.Self)
	}
	bind := func(name string, value ref.Val) {
		if a.bound == nil {
			a.bound = map[string]ref.Val{}
		}
		a.bound[name] = value
	}
	if uses["object"] && v.Object.Valid() {
		bind("object", written(v.Object))
	}
	if uses["oldObject"] {
		bind("oldObject", types.NullValue)
		if v.OldObject.Valid() {
			bind("oldObject", written(v.OldObject))
		}
	}
	if uses["source"] {
		bind("source", types.DefaultTypeAdapter.NativeToValue(v.Source))
	}
	if uses["objects"] {
		bind("objects", types.DefaultTypeAdapter.NativeToValue(v.Objects))
	}
	return a
}

// True evaluates an expression of type bool. The error says why there is no answer, as when a field is absent.
func (l *Lint) True(v *Variables) (bool, error) {
	out, _, err := l.judge.program.Eval(v.activation(l.uses))
	if err != nil {
		return false, err
	}
	return out == types.True, nil
}

// Text evaluates an expression of type string.
func (l *Lint) Text(v *Variables) (string, error) {
	out, _, err := l.judge.program.Eval(v.activation(l.uses))
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
	// Related has the place of an old value, if one was read.
	Related []diag.Related
}

// Blame blames a false expression on the operand that decided it, if that is Self or a part of it; else on Self.
func (l *Lint) Blame(v *Variables) Blame {
	b := &blamer{rule: &rule{judge: func() *judge { return l.judge }}, place: place{n: v.Self}, steps: maxBlameSteps}
	b.scope = &scope{name: "object", n: v.Object, up: &scope{name: "oldObject", n: v.OldObject}}
	var operands []operand
	var related []diag.Related
	for _, o := range b.guilty(l.judge.ast.Expr(), v.activation(l.uses), false) {
		switch {
		case slices.ContainsFunc(operands, func(x operand) bool { return x.n == o.n && x.name == o.name }):
		case o.n.Tree() == v.Self.Tree():
			operands = append(operands, o)
		case !o.absent && len(related) == 0:
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

// Native converts a node to what encoding/json would make of it, with integers as int64, as the items of Variables.Objects.
func Native(n manifest.Node) any { return native(n) }

// Mark returns what a violation marks of a node: a scalar itself, of a map or list its head.
func Mark(n manifest.Node) source.Place { return placeIn(n, spanOf(n)) }
