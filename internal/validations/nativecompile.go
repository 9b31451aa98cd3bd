package validations

import (
	"fmt"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// These are the variables of the rules of a value, and of the rules of each value below it.
var (
	nativeVariables     = []closure.Variable{{Name: "self"}, {Name: "oldSelf"}}
	nativeEachVariables = []closure.Variable{{Name: "self"}, {Name: "root"}, {Name: "oldRoot"}}
)

// compile compiles the rules of a schema.
func (e *Native) compile(s *schema.Schema) any {
	compiled := &nativeRules{}
	for i := range s.Rules {
		r := &s.Rules[i]
		code := e.code(r.Node, r.Rule, nativeVariables, func() *cel.Environment { return nativeEnvironment(s) })
		compiled.rules = append(compiled.rules, &nativeRule{
			declared: r, code: code, usesOld: code.Named().Has(variableOldSelf), path: parseFieldPath(r.FieldPath),
		})
	}
	for i := range s.Each {
		r := &s.Each[i]
		each := &nativeEach{declared: r, path: parseFieldPath(r.Rule.FieldPath)}
		environment := func() *cel.Environment { return eachEnvironment(s, r) }
		if r.Rule.Rule != "" {
			each.code = e.code(r.Rule.Node, r.Rule.Rule, nativeEachVariables, environment)
			each.usesOld = each.code.Named().Has(variableOldRoot)
		}
		if r.When != "" {
			each.when = e.code(r.Rule.Node, r.When, nativeEachVariables, environment)
		}
		compiled.each = append(compiled.each, each)
	}
	return compiled
}

// code compiles an expression: its checked form if there is one, otherwise its text.
func (e *Native) code(rule manifest.Node, text string, variables []closure.Variable, environment func() *cel.Environment) *closure.Code {
	encoded, ok := "", false
	if e.Checked != nil {
		encoded, ok = e.Checked(rule, text)
	}
	if !ok {
		var err error
		if encoded, err = checkNative(text, environment()); err != nil {
			panic(fmt.Sprintf("the rules of built-in kinds are valid: %s: %v", text, err))
		}
	}
	code, err := closure.Compile(encoded, variables)
	if err != nil {
		panic(fmt.Sprintf("closures cover the rules of built-in kinds: %s: %v", text, err))
	}
	return code
}

func checkNative(text string, environment *cel.Environment) (string, error) {
	checked, faults := cel.Check(text, cel.Signature{Environment: environment})
	if len(faults) > 0 {
		return "", fmt.Errorf("%s", cel.JoinFaults(faults))
	}
	return checked.Encode()
}

func nativeEnvironment(s *schema.Schema) *cel.Environment {
	t := cel.TypeOf(s, false)
	return cel.NewEnvironment(cel.Variable{Name: "self", Type: t}, cel.Variable{Name: "oldSelf", Type: t})
}

// eachEnvironment returns the variables of a rule about each value below a value.
func eachEnvironment(s *schema.Schema, r *schema.Each) *cel.Environment {
	self := cel.Text()
	if below := eachSchema(s, r.At[0]); below != nil {
		self = cel.TypeOf(below, false)
	}
	root := cel.TypeOf(s, false)
	return cel.NewEnvironment(
		cel.Variable{Name: "self", Type: self}, cel.Variable{Name: "root", Type: root}, cel.Variable{Name: "oldRoot", Type: root},
	)
}

// eachSchema returns the schema of the values at a path, or nil if they are keys.
func eachSchema(s *schema.Schema, path schema.EachPath) *schema.Schema {
	for _, step := range path.Steps {
		s.Ready()
		switch {
		case step.Keys:
			return nil
		case step.Field != "":
			field, ok := s.Property(step.Field)
			if !ok {
				panic("the paths of rules exist: " + step.Field)
			}
			s = field
		case s.Type == "array":
			s = s.Items
		default:
			s = s.Additional
		}
	}
	return s
}

// Checked is the type-checked form of an expression of a rule.
type Checked struct {
	Rule          manifest.Node
	Text, Encoded string
}

// CheckNative returns the type-checked forms of the rules of a schema, not including those of schemas below it. The
// error names the expression that is not valid.
func CheckNative(s *schema.Schema) ([]Checked, error) {
	var list []Checked
	add := func(rule manifest.Node, text string, environment *cel.Environment) error {
		if text == "" {
			return nil
		}
		encoded, err := checkNative(text, environment)
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		list = append(list, Checked{rule, text, encoded})
		return nil
	}
	s.Ready()
	for i := range s.Rules {
		if err := add(s.Rules[i].Node, s.Rules[i].Rule, nativeEnvironment(s)); err != nil {
			return nil, err
		}
	}
	for i := range s.Each {
		r := &s.Each[i]
		for _, text := range []string{r.Rule.Rule, r.When} {
			if err := add(r.Rule.Node, text, eachEnvironment(s, r)); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
