package cel

import (
	"fmt"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/cel/library"
)

// declaredVariables are the variables that the expressions in built-in kinds can see, by name: those of admission
// policies and webhooks (k8s.io/apiserver, admission/plugin/cel.createEnvForOpts), and the device of a device selector
// (k8s.io/dynamic-resource-allocation, cel.newCompiler).
var declaredVariables = map[string]func() *apiservercel.DeclType{
	"object":          func() *apiservercel.DeclType { return apiservercel.DynType },
	"oldObject":       func() *apiservercel.DeclType { return apiservercel.DynType },
	"params":          func() *apiservercel.DeclType { return apiservercel.DynType },
	"request":         requestType,
	"namespaceObject": namespaceType,
	"device":          deviceType,
}

// DeclaredEnvironment returns the environment of an expression in a built-in kind that can see the variables with
// these names: object, oldObject, params, request, namespaceObject, authorizer or device. If the expression returns a
// patch, it can also use the types of patches.
func DeclaredEnvironment(names []string, result Result) *Environment {
	e := &Environment{celEnv: sync.OnceValues(func() (*cel.Env, error) { return buildDeclared(names, result) })}
	if slices.Contains(names, "device") {
		e.sizes = deviceSizes{deviceType()}
	}
	return e
}

func buildDeclared(names []string, result Result) (*cel.Env, error) {
	base, err := environment.Base()
	if err != nil {
		return nil, err
	}
	var options []cel.EnvOption
	var objects []*apiservercel.DeclType
	for _, name := range names {
		if name == "authorizer" {
			options = append(options, cel.Variable(name, library.AuthorizerType),
				cel.Variable(name+".requestResource", library.ResourceCheckType))
			continue
		}
		declared, ok := declaredVariables[name]
		if !ok {
			return nil, fmt.Errorf("unknown variable %s", name)
		}
		t := declared()
		options = append(options, cel.Variable(name, t.CelType()))
		if t.IsObject() {
			objects = append(objects, t)
		}
	}
	if slices.Contains(names, "device") {
		options = append(options, ext.Bindings(ext.BindingsVersion(0)))
	}
	if result.isPatch() {
		options = append(options, providePatchTypes, library.JSONPatch())
	}
	return extend(base, objects, options)
}

// extend adds variables and their object types to an environment.
func extend(base *cel.Env, objects []*apiservercel.DeclType, options []cel.EnvOption) (*cel.Env, error) {
	if len(objects) == 0 {
		return base.Extend(options...)
	}
	provider := apiservercel.NewDeclTypeProvider(objects...)
	provider.SetRecognizeKeywordAsFieldName(true)
	provided, err := provider.EnvOptions(base.CELTypeProvider())
	if err != nil {
		return nil, err
	}
	return base.Extend(append(provided, options...)...)
}

// Composition holds the variables that an admission policy defines. Its expressions see them as fields of the variable
// variables (k8s.io/apiserver, admission/plugin/cel.CompositedCompiler). It must be used by only one goroutine.
type Composition struct {
	variables *apiservercel.DeclType
	envs      map[*Environment]*Environment
}

// NewComposition returns a composition without variables.
func NewComposition() *Composition {
	return &Composition{
		variables: apiservercel.NewObjectType("kubernetes.variables", map[string]*apiservercel.DeclField{}),
		envs:      map[*Environment]*Environment{},
	}
}

// Extend returns an environment with the variables that the composition has when an expression is checked.
func (c *Composition) Extend(e *Environment) *Environment {
	if c.envs[e] == nil {
		c.envs[e] = &Environment{sizes: e.sizes, celEnv: sync.OnceValues(func() (*cel.Env, error) {
			base, err := e.celEnv()
			if err != nil {
				return nil, err
			}
			return extend(base, []*apiservercel.DeclType{c.variables},
				[]cel.EnvOption{cel.Variable("variables", c.variables.CelType())})
		})}
	}
	return c.envs[e]
}

// Define adds a variable. It is of any type if its expression has faults, which a nil Checked means. Define returns
// false if the type is too deep to check further expressions: a variable can nest the types of others, and checking
// takes exponential time.
func (c *Composition) Define(name string, checked *Checked) bool {
	t := apiservercel.DynType
	if checked != nil {
		output := checked.ast.OutputType()
		if !isShallow(output, deepestVariable) {
			return false
		}
		t = declOf(output)
	}
	c.variables.Fields[name] = apiservercel.NewDeclField(name, t, true, nil, nil)
	return true
}

// deepestVariable is the maximum depth of the type of a variable.
const deepestVariable = 16

// isShallow reports whether lists and maps in a type are nested at most to a depth.
func isShallow(t *cel.Type, depth int) bool {
	return depth > 0 && !slices.ContainsFunc(t.Parameters(), func(p *cel.Type) bool { return !isShallow(p, depth-1) })
}
