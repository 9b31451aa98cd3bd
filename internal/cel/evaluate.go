package cel

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Argument is the value of a variable in an evaluation. The zero value means that the variable has no value.
type Argument struct {
	// Node is the value of a variable whose type has a schema.
	Node manifest.Node
	// Strings are the field values of a variable with fields, in the order of the fields.
	Strings []string
	// Items are the items of a list of values of any type.
	Items []any
	// Integer is the value of an integer.
	Integer int64
	// Unknown says what of the node's value is not known; nil if all of it is.
	Unknown *Unknown
}

// field returns the value of a field, or "" if it has no value.
func (a *Argument) field(i int) string {
	if i >= len(a.Strings) {
		return ""
	}
	return a.Strings[i]
}

// Verdict evaluates the expression as closures. The result is certain, unless it is [closure.Unsure]. The frame
// holds the cost. Call Verdict only if closures cover the expression.
func (e *Expression) Verdict(f *closure.Frame, arguments []Argument) closure.Outcome {
	e.code.Start(f)
	env := e.signature.Environment
	for i := range env.variables {
		if v := &env.variables[i]; e.named&env.slots(i) != 0 {
			v.set(f, env.first[i], &arguments[i])
		}
	}
	return e.code.Run(f)
}

// set assigns the value of a closure variable.
func (v *Variable) set(f *closure.Frame, slot int, a *Argument) {
	switch s := v.Type.schema; {
	case len(v.Fields) > 0:
		for i := range v.Fields {
			f.SetString(slot+i, a.field(i))
		}
	case v.Type.isInteger:
		f.SetInteger(slot, a.Integer)
	case s == nil:
		f.SetList(slot, a.Items)
	case v.IsOptional:
		f.SetOptional(slot, a.Node, s)
	case a.Node.Valid():
		f.SetNode(slot, a.Node, s)
	case v.IsNullable:
		f.SetNull(slot)
	default:
		f.SetAbsent(slot)
	}
}

// Activation holds the values of variables for evaluations by cel-go. It must not be shared between goroutines.
type Activation struct {
	signature Signature
	arguments []Argument
	values    []ref.Val // of the variables that were read so far
	bound     map[string]ref.Val
	meter     *environment.Meter
	steps     int64 // of the loops of the current evaluation
	widest    int64 // the largest number of items, fields or bytes of one value in the arguments; 0 if not counted yet
}

// Activate returns an activation of the expression's variables. m is the remaining budget of work.
func (e *Expression) Activate(arguments []Argument, m *environment.Meter) *Activation {
	return &Activation{
		signature: e.signature, arguments: arguments, values: make([]ref.Val, len(arguments)), meter: m,
	}
}

// WithMeter returns an activation whose work is subtracted from another budget.
func (a *Activation) WithMeter(m *environment.Meter) *Activation {
	inner := *a
	if inner.meter = m; a.meter != nil {
		m.IsCanceled = a.meter.IsCanceled
	}
	return &inner
}

// Bind returns an activation with additional variables, which hide others of the same name. A variable with the
// name "" is ignored.
func (a *Activation) Bind(names []string, values []ref.Val) *Activation {
	inner := *a
	inner.bound = make(map[string]ref.Val, len(a.bound)+len(names))
	for name, v := range a.bound {
		inner.bound[name] = v
	}
	for i, name := range names {
		if name != "" {
			inner.bound[name] = values[i]
		}
	}
	return &inner
}

func (a *Activation) Parent() interpreter.Activation { return nil }

// ResolveName returns the value of a variable. The value of one that has none is the error that cel-go makes of it: if the
// variable were not found, cel-go would search for it once for each combination of the loops around it.
func (a *Activation) ResolveName(name string) (any, bool) {
	if v, ok := a.bound[name]; ok {
		return v, true
	}
	switch name {
	case environment.MeterName:
		return a.meter, true
	case environment.LoopStep:
		a.loop()
		return nil, true
	}
	for i := range a.signature.Environment.variables {
		v := &a.signature.Environment.variables[i]
		if v.Name != name {
			continue
		}
		if a.values[i] == nil {
			a.values[i] = v.value(&a.arguments[i], a.signature.Unwrapped)
		}
		if a.values[i] == nil {
			a.values[i] = types.NewErr("no such attribute(s): %s", name)
		}
		return a.values[i], true
	}
	return nil, false
}

// loop counts a step of a loop. A loop has at most as many steps as a list of the arguments has items, or as a
// string of the arguments that is split has bytes. Lists that lists.range and flatten create are counted when they
// are created.
func (a *Activation) loop() {
	a.steps++
	if a.steps <= environment.FewSteps {
		return
	}
	if a.widest == 0 {
		a.widest = 1
		for i := range a.arguments {
			a.widest = max(a.widest, widest(a.arguments[i].Node), int64(len(a.arguments[i].Items)))
		}
	}
	a.meter.Loop(min(a.steps, a.widest))
}

// widest returns the largest number of items, fields or bytes of a node or any node below it.
func widest(n manifest.Node) int64 {
	switch {
	case !n.Valid():
		return 0
	case n.Type() == manifest.String:
		return int64(len(n.Text()))
	case n.Type() != manifest.Map && n.Type() != manifest.List:
		return 0
	}
	most := int64(n.Len())
	for child := range n.Children() {
		most = max(most, widest(child))
	}
	return most
}

// value returns the value of a variable as cel-go sees it, or nil if it has no value.
func (v *Variable) value(a *Argument, isUnwrapped bool) ref.Val {
	s := v.Type.schema
	switch {
	case a.Unknown != nil:
		return adapter.ValueOfKnown(a.Node, a.Unknown)
	case len(v.Fields) > 0:
		m := make(map[string]any, len(v.Fields))
		for i, name := range v.Fields {
			m[name] = a.field(i)
		}
		return types.DefaultTypeAdapter.NativeToValue(m)
	case v.Type.isInteger:
		return types.Int(a.Integer)
	case s == nil:
		return types.DefaultTypeAdapter.NativeToValue(a.Items)
	case a.Node.Valid() && v.IsOptional && !isUnwrapped:
		return types.OptionalOf(adapter.ValueOf(a.Node, s))
	case a.Node.Valid():
		return adapter.ValueOf(a.Node, s)
	case v.IsOptional && !isUnwrapped:
		return types.OptionalNone
	case v.IsNullable:
		return types.NullValue
	}
	return nil
}

// Evaluated is the result of an evaluation by cel-go.
type Evaluated struct {
	value ref.Val
	// Cost is the cost of the evaluation, or -1 if it was not counted.
	Cost int64
	// Err is the error with which the evaluation ended.
	Err error
}

// The errors of evaluations that ended early. Err of an [Evaluated] may be one of them.
var (
	// ErrCost means that the evaluation costs more than an API server allows for one expression.
	ErrCost = errors.New(environment.OutOfCost)
	// ErrWork means that the budget of work is used up.
	ErrWork = errors.New(environment.OutOfWork)
)

// IsTrue reports whether the result is true.
func (r Evaluated) IsTrue() bool { return r.Err == nil && r.value == types.True }

// IsFalse reports whether the result is false.
func (r Evaluated) IsFalse() bool { return r.Err == nil && r.value == types.False }

// Text returns the result if it is a string.
func (r Evaluated) Text() (string, bool) {
	if r.Err != nil {
		return "", false
	}
	text, ok := r.value.Value().(string)
	return text, ok
}

// IsUnknown reports whether the result depends on something unknown.
func (r Evaluated) IsUnknown() bool { return r.Err == nil && types.IsUnknown(r.value) }

// IsNull reports whether the result is null.
func (r Evaluated) IsNull() bool { return r.Err == nil && r.value == types.NullValue }

// DependsOn returns the names of what an unknown result depends on, sorted.
func (r Evaluated) DependsOn() (names []string) {
	unknown, ok := r.value.(*types.Unknown)
	if !ok {
		return nil
	}
	for _, id := range unknown.IDs() {
		trails, _ := unknown.GetAttributeTrails(id)
		for _, t := range trails {
			names = append(names, t.Variable())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CanEval reports whether cel-go can evaluate the expression. It returns false for a precompiled expression whose
// text does not compile.
func (e *Expression) CanEval() bool { return e.program().err == nil }

// Eval evaluates the expression with cel-go.
func (e *Expression) Eval(a *Activation) Evaluated {
	p := e.program()
	if p.err != nil {
		return Evaluated{Cost: -1, Err: p.err}
	}
	return evaluate(p.whole, a)
}

func evaluate(p cel.Program, a *Activation) Evaluated {
	a.steps = 0
	out, details, err := p.Eval(a)
	r := Evaluated{value: out, Cost: -1, Err: err}
	if cost := details.ActualCost(); cost != nil {
		r.Cost = int64(min(*cost, math.MaxInt64/2))
	}
	if err != nil {
		switch text := err.Error(); {
		case strings.HasPrefix(text, environment.OutOfCost):
			r.Err = ErrCost
		case text == environment.OutOfWork:
			r.Err = ErrWork
		}
	}
	return r
}
