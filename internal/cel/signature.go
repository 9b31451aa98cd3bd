package cel

import (
	"errors"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/cel/native"
)

// Signature declares the variables that an expression can use and the type of its result.
type Signature struct {
	Environment *Environment
	Result      Result
	// AllowDyn allows an expression whose result type is known only at evaluation time.
	AllowDyn bool
	// Unwrapped passes the plain values of optional variables. API servers evaluate a messageExpression like this:
	// they check it as if oldSelf were optional, and evaluate it as if it were not.
	Unwrapped bool
	// Work is what is left of the work of checking expressions, from which each check subtracts. It is nil if only the size
	// of each expression is limited.
	Work *int
}

// Variable is a variable of a signature.
type Variable struct {
	Name string
	Type Type
	// IsOptional wraps the value in an optional, which is empty if the argument has no value.
	IsOptional bool
	// IsNullable means that a variable without a value is null. Reading any other variable without a value is an
	// error.
	IsNullable bool
	// Fields are the field names of a variable that consists of named strings.
	Fields []string
}

// Environment holds the variables of a signature. What CEL's checker needs is built when an expression is first
// checked, and shared by all signatures with the same environment. An Environment is safe for concurrent use.
type Environment struct {
	variables []Variable
	first     []int // the closure variable of each variable; a variable with fields has one for each field
	closures  []closure.Variable
	sizes     checker.CostEstimator // of the variables; nil if the types of the variables have them
	celEnv    func() (*cel.Env, error)
}

// NewEnvironment returns an environment with the given variables. Evaluations take their arguments in the same
// order.
func NewEnvironment(variables ...Variable) *Environment {
	e := &Environment{variables: variables}
	for _, v := range variables {
		e.first = append(e.first, len(e.closures))
		for _, field := range v.Fields {
			e.closures = append(e.closures, closure.Variable{Name: v.Name + "." + field})
		}
		if len(v.Fields) == 0 {
			e.closures = append(e.closures, closure.Variable{Name: v.Name, Schema: v.hint()})
		}
	}
	e.celEnv = sync.OnceValues(e.build)
	return e
}

// isNative reports whether the variables are values of a kind of Kubernetes.
func (e *Environment) isNative() bool {
	return slices.ContainsFunc(e.variables, func(v Variable) bool { return v.Type.schema != nil && v.Type.schema.Native })
}

// nativeFunctions declares the functions that rules of such kinds can call.
func nativeFunctions() []cel.EnvOption {
	var options []cel.EnvOption
	for _, f := range native.Functions {
		options = append(options, cel.Function(f.Name, cel.Overload(f.Name, f.Args, f.Result)))
	}
	return options
}

// slots returns the closure variables of a variable.
func (e *Environment) slots(variable int) closure.Slots {
	n := max(len(e.variables[variable].Fields), 1)
	return (1<<n - 1) << e.first[variable]
}

// slotsOf returns the closure variables of the variable with this name.
func (e *Environment) slotsOf(name string) closure.Slots {
	i := slices.IndexFunc(e.variables, func(v Variable) bool { return v.Name == name })
	if i < 0 {
		return 0
	}
	return e.slots(i)
}

// build extends the shared environment with the variables and their types.
func (e *Environment) build() (*cel.Env, error) {
	base, err := environment.Base()
	if err != nil {
		return nil, err
	}
	var options []cel.EnvOption
	types := make([]*apiservercel.DeclType, len(e.variables))
	if e.isNative() {
		options = append(options, nativeFunctions()...)
	}
	for i, v := range e.variables {
		if types[i] = e.typeOf(i, types); types[i] == nil {
			return nil, errors.New("CEL rules cannot use a value of this type")
		}
		t := types[i].CelType()
		if v.IsOptional {
			t = cel.OptionalType(t)
		}
		options = append(options, cel.Variable(v.Name, t))
	}
	if !slices.ContainsFunc(e.variables, func(v Variable) bool { return v.Type.isDerived }) {
		return base.Extend(options...)
	}
	return extend(base, types, options)
}

// typeSuffix is appended to the name of a variable to form the name of its type. The type must not have the name of
// the variable itself, because fields of the variable would then be taken for types.
const typeSuffix = "Type"

// typeOf returns the named type of a variable. Variables of the same type share its name.
func (e *Environment) typeOf(variable int, before []*apiservercel.DeclType) *apiservercel.DeclType {
	decl := e.variables[variable].Type.decl()
	for i := range variable {
		if e.variables[i].Type.decl() == decl {
			return before[i]
		}
	}
	if decl == nil {
		return nil
	}
	return decl.MaybeAssignTypeName(e.variables[variable].Name + typeSuffix)
}
