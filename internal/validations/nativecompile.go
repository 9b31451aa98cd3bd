package validations

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// These are the variables of the rules of a value, and of the rules of each value below it.
var (
	nativeVariables     = []closure.Variable{{Name: "self"}, {Name: "oldSelf"}}
	nativeEachVariables = []closure.Variable{{Name: "self"}, {Name: "root"}, {Name: "oldRoot"}, {Name: "parent"}}
)

// Checked is the type-checked form of an expression of a rule.
type Checked struct {
	Encoded string
	// UsesOld reports whether the expression reads the value before an update.
	UsesOld bool
	// Fields are the fields of self that the expression reads. If none of them is set, it is true. If there are no
	// Fields, nothing is known.
	Fields []string
}

// nativeCode is an expression that is compiled when it is first needed.
type nativeCode struct {
	checked Checked
	hashes  []uint32 // of the fields
	code    func() *closure.Code
}

// concerns reports whether an expression about a value may be false.
func (c *nativeCode) concerns(n manifest.Node) bool {
	if len(c.hashes) == 0 || n.Type() != manifest.Map {
		return true
	}
	for i, hash := range c.hashes {
		if _, ok := n.FieldHashed(c.checked.Fields[i], hash); ok {
			return true
		}
	}
	return false
}

// compile compiles the rules of a schema.
func (e *Native) compile(s *schema.Schema) any {
	compiled := &nativeRules{}
	for i := range s.Rules {
		r := &s.Rules[i]
		code := e.code(r.Rule, nativeVariables, func() *cel.Environment { return nativeEnvironment(s) })
		compiled.rules = append(compiled.rules, &nativeRule{
			declared: r, code: code, path: parseFieldPath(r.FieldPath), derived: parseFieldPath(r.DerivedFrom),
			selection: selectionOf(r.Rule),
		})
	}
	for i := range s.Each {
		r := &s.Each[i]
		environment := func() *cel.Environment { return eachEnvironment(s, r.At[0]) }
		compiled.each = append(compiled.each, &nativeEach{
			declared: r, path: parseFieldPath(r.Rule.FieldPath),
			code:   e.code(r.Rule.Rule, nativeEachVariables, environment),
			when:   e.code(r.When, nativeEachVariables, environment),
			inWhen: e.code(r.InWhen, nativeEachVariables, func() *cel.Environment { return eachEnvironment(s, r.Others()[0]) }),
		})
	}
	for i := range s.ConditionalDefaults {
		d := &s.ConditionalDefaults[i]
		environment := func() *cel.Environment { return eachEnvironment(s, d.At[0]) }
		compiled.defaults = append(compiled.defaults,
			&nativeDefault{declared: d, when: e.code(d.When, nativeEachVariables, environment)})
	}
	return compiled
}

// code returns an expression: its checked form if there is one, otherwise it is checked now. It returns nil for "".
func (e *Native) code(text string, variables []closure.Variable, environment func() *cel.Environment) *nativeCode {
	if text == "" {
		return nil
	}
	c := &nativeCode{}
	ok := false
	if e.Checked != nil {
		c.checked, ok = e.Checked(text)
	}
	if !ok {
		var err error
		if c.checked, err = checkNative(text, variables, environment()); err != nil {
			panic(fmt.Sprintf("the rules of built-in kinds are valid: %s: %v", text, err))
		}
	}
	for _, name := range c.checked.Fields {
		c.hashes = append(c.hashes, manifest.Hash(name))
	}
	c.code = sync.OnceValue(func() *closure.Code {
		code, err := closure.Compile(c.checked.Encoded, variables)
		if err != nil {
			panic(fmt.Sprintf("closures cover the rules of built-in kinds: %s: %v", text, err))
		}
		return code
	})
	return c
}

// checkNative checks an expression.
func checkNative(text string, variables []closure.Variable, environment *cel.Environment) (Checked, error) {
	checked, faults := cel.Check(text, cel.Signature{Environment: environment})
	if len(faults) > 0 {
		return Checked{}, errors.New(cel.JoinFaults(faults))
	}
	encoded, err := checked.Encode()
	if err != nil {
		return Checked{}, err
	}
	code, err := closure.Compile(encoded, variables)
	if err != nil {
		return Checked{}, err
	}
	c := Checked{Encoded: encoded}
	for i, v := range variables {
		c.UsesOld = c.UsesOld || strings.HasPrefix(v.Name, "old") && code.Named().Has(i)
	}
	if fields, ok := closure.Fields(encoded, "self"); ok && holdsWithoutValues(code, len(variables)) {
		c.Fields = fields
	}
	return c, nil
}

// holdsWithoutValues reports whether an expression is true if no variable has a value.
func holdsWithoutValues(code *closure.Code, variables int) bool {
	var f closure.Frame
	code.Start(&f)
	for i := range variables {
		f.SetNative(i, manifest.Node{}, nil)
	}
	return code.Run(&f) == closure.True
}

func nativeEnvironment(s *schema.Schema) *cel.Environment {
	t := cel.TypeOf(s, false)
	return cel.NewEnvironment(cel.Variable{Name: "self", Type: t}, cel.Variable{Name: "oldSelf", Type: t})
}

// eachEnvironment returns the variables of a rule about each value at a path below a value.
func eachEnvironment(s *schema.Schema, path schema.EachPath) *cel.Environment {
	self := cel.Text()
	if below := eachSchema(s, path); below != nil {
		self = cel.TypeOf(below, false)
	}
	root := cel.TypeOf(s, false)
	return cel.NewEnvironment(
		cel.Variable{Name: "self", Type: self}, cel.Variable{Name: "root", Type: root},
		cel.Variable{Name: "oldRoot", Type: root},
		cel.Variable{Name: "parent", Type: cel.TypeOf(eachParent(s, path), false)},
	)
}

// eachParent returns the schema of the object that has the last field of a path.
func eachParent(s *schema.Schema, path schema.EachPath) *schema.Schema {
	for i, step := range slices.Backward(path.Steps) {
		if step.Field != "" {
			return eachSchema(s, schema.EachPath{Steps: path.Steps[:i]})
		}
	}
	return s
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

// CheckNative checks the expressions of the rules of a schema of a kind of Kubernetes, not including those of schemas
// below it and those that skip selects. It returns their checked forms by their texts. The error names the expressions
// that are not valid.
func CheckNative(s *schema.Schema, skip func(text string) bool) (map[string]Checked, error) {
	all := map[string]Checked{}
	var faults []error
	add := func(text string, variables []closure.Variable, environment *cel.Environment) {
		if text == "" || skip(text) {
			return
		}
		checked, err := checkNative(text, variables, environment)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", text, err))
		}
		all[text] = checked
	}
	s.Ready()
	for i := range s.Rules {
		add(s.Rules[i].Rule, nativeVariables, nativeEnvironment(s))
	}
	for i := range s.Each {
		r := &s.Each[i]
		environment := eachEnvironment(s, r.At[0])
		add(r.Rule.Rule, nativeEachVariables, environment)
		add(r.When, nativeEachVariables, environment)
		if r.InWhen != "" {
			add(r.InWhen, nativeEachVariables, eachEnvironment(s, r.Others()[0]))
		}
	}
	for i := range s.ConditionalDefaults {
		d := &s.ConditionalDefaults[i]
		add(d.When, nativeEachVariables, eachEnvironment(s, d.At[0]))
	}
	return all, errors.Join(faults...)
}
