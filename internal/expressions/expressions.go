// Package expressions checks the CEL expressions that built-in kinds contain: those of admission policies, of the
// match conditions of webhooks and of device selectors. An API server compiles them when it validates an object.
//
// Which fields hold expressions, and what these can see, is declared by the overlay of the kind
// (x-kindvet-expressions). A kind without such fields has no [Expressions], so its documents cost nothing.
package expressions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/native"
	"github.com/kindvet/kindvet/internal/schema"
)

// Expressions are the expressions of a kind. They may be used from several goroutines.
type Expressions struct {
	schema *schema.Schema
	server cel.Server
	fields []field
}

// field is a field that holds an expression.
type field struct {
	declared schema.Expression
	steps    []string // of the path; the items of a list are the step *
	result   cel.Result
	// environments has an environment for each set of variables that are present; the index has a bit for each variable
	// of VariablesIf.
	environments []*cel.Environment
}

// New returns the expressions of a kind with this schema, which a server serves, or nil if it has none. It panics if their
// declaration is not valid, because it is part of kindvet.
func New(s *schema.Schema, server cel.Server) *Expressions {
	if len(s.Expressions) == 0 {
		return nil
	}
	e := &Expressions{schema: s, server: server}
	for _, declared := range s.Expressions {
		e.fields = append(e.fields, newField(declared))
	}
	return e
}

func newField(declared schema.Expression) field {
	result, ok := cel.ParseResult(declared.Returns)
	if !ok {
		panic("the result of an expression has a known type: " + declared.Returns)
	}
	f := field{declared: declared, result: result, steps: strings.Split(declared.At, ".")}
	for set := range 1 << len(declared.VariablesIf) {
		f.environments = append(f.environments, f.environment(set))
	}
	return f
}

// composed is the variable that holds the variables that the object defines.
const composed = "variables"

// environment returns the environment for a set of variables, without the variables that the object defines.
func (f *field) environment(present int) *cel.Environment {
	var names []string
	for _, name := range f.names(present) {
		if name != composed {
			names = append(names, name)
		}
	}
	return cel.DeclaredEnvironment(names, f.result)
}

// names returns the variables of a set.
func (f *field) names(present int) []string {
	names := slices.Clip(f.declared.Variables)
	for i, v := range f.declared.VariablesIf {
		if present&(1<<i) != 0 {
			names = append(names, v.Name)
		}
	}
	return names
}

// present returns the set of variables that the expressions of a document can see.
func (f *field) present(root manifest.Node) int {
	set := 0
	for i, v := range f.declared.VariablesIf {
		if n := root.At(strings.Split(v.Field, ".")...); n.Valid() && n.Type() != manifest.Null &&
			(n.Type() != manifest.List || n.Len() > 0) {
			set |= 1 << i
		}
	}
	return set
}

// Result is the result of checking one document.
type Result struct {
	// Violations are in the order of the declared fields. Their Object is not set.
	Violations []diag.Violation
	// NotChecked describes the expressions beyond the limit for one document, if any.
	NotChecked []diag.NotEvaluated
}

// MostWork is the maximum work of compiling the expressions of one document. One unit takes the compiler one to four
// microseconds. Raise it if a policy that a server accepts reaches half of it.
const MostWork = 256 << 10

// WorkOf returns the work of compiling an expression: one unit per byte, and at least 64. The time for nested brackets
// grows with the fourth power of their depth. Brackets in string literals count as well.
func WorkOf(text string) int {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth--
		}
	}
	deepest = min(deepest, 1000)
	return 64 + len(text) + deepest*deepest*deepest*deepest/8000
}

// Check checks the expressions of a document. old, if valid, is the document before an update.
func (e *Expressions) Check(root, old manifest.Node) Result {
	if e == nil {
		return Result{}
	}
	c := checker{
		root: root, old: old, server: e.server, unchecked: native.UncheckedFieldsOf(e.schema, root, old),
		composition: cel.NewComposition(), left: MostWork,
	}
	for i := range e.fields {
		c.start(&e.fields[i])
		c.walk(root, c.field.steps)
	}
	return c.result
}

// checker checks the expressions of one document.
type checker struct {
	root, old   manifest.Node
	server      cel.Server
	unchecked   native.UncheckedFields
	composition *cel.Composition
	left        int // work
	result      Result

	field     *field // that is being checked
	signature cel.Signature
	stored    stored
}

// start prepares the check of a field.
func (c *checker) start(f *field) {
	present := f.present(c.root)
	c.field, c.signature = f, cel.Signature{Environment: f.environments[present], Result: f.result, Work: &c.left}
	c.stored = storedOf(f.declared, c.root, c.old)
	for _, name := range f.names(present) {
		if name == composed {
			c.signature.Environment = c.composition.Extend(c.signature.Environment)
		}
	}
}

// walk checks the expressions at a path below a node.
func (c *checker) walk(n manifest.Node, steps []string) {
	switch {
	case len(steps) == 0:
		if n.Type() == manifest.String {
			c.check(n)
		}
	case steps[0] == "*":
		if n.Type() == manifest.List {
			for item := range n.Children() {
				c.walk(item, steps[1:])
			}
		}
	default:
		if f, ok := n.Field(steps[0]); ok && !c.unchecked.Has(n, steps[0]) {
			c.walk(f, steps[1:])
		}
	}
}

// check checks one expression. An empty one is the same as none.
func (c *checker) check(n manifest.Node) {
	text := strings.TrimSpace(n.Text())
	work := WorkOf(text)
	switch {
	case n.Text() == "":
		return
	case text == "":
		c.add(n, diag.Violation{
			Rule: diag.BadFormat, Message: "the expression is blank", Help: "write an expression, or remove the field",
		})
		return
	case work > c.left:
		c.skip(n)
		return
	}
	c.left -= work
	checked := c.compile(n, text)
	if c.field.declared.Defines == "" {
		return
	}
	if name := n.Parent().TextAt(c.field.declared.Defines); !c.composition.Define(name, checked) {
		c.left = 0
	}
}

// skip records an expression that is not checked. No further expressions of the document are checked.
func (c *checker) skip(n manifest.Node) {
	c.left = 0
	if len(c.result.NotChecked) > 0 {
		c.result.NotChecked[0].More++
		return
	}
	c.result.NotChecked = []diag.NotEvaluated{{
		Rule: "compile the expression", Reason: "the document has too many expressions, or too complex ones", Path: n.Path(),
		Place: n.Place(),
	}}
}

// compile compiles an expression and reports its faults. It returns nil if its type is not known.
func (c *checker) compile(n manifest.Node, text string) *cel.Checked {
	checked, faults := cel.Check(text, c.signature)
	if len(faults) > 0 && faults[0].IsLimit {
		c.skip(n)
		return nil
	}
	isKnown := len(faults) == 0 // even if the server does not allow it, so that other expressions can use its type
	if isKnown {
		faults = checked.Absent(c.server, c.isStored(n.Text()))
	}
	if len(faults) == 0 {
		faults = checked.Planned()
		isKnown = len(faults) == 0
	}
	before := strings.Index(n.Text(), text)
	for _, f := range faults {
		if f.Offset >= 0 {
			f.Offset += before
		}
		c.add(n, schema.WithGate(diag.Violation{
			Rule: diag.CEL, Message: "the expression does not compile: " + strings.Join(strings.Fields(f.Message), " "),
			Help: f.Help, Place: f.Place(n),
		}, f.Gate))
	}
	if len(faults) == 0 {
		c.checkCost(n, checked)
	}
	if !isKnown {
		return nil
	}
	return checked
}

// checkCost reports an expression that could take too long.
func (c *checker) checkCost(n manifest.Node, checked *cel.Checked) {
	limit := c.field.declared.MaxCost
	if limit == nil {
		return
	}
	cost, faults := checked.MaxCost(c.server.Minor)
	switch {
	case len(faults) > 0:
		c.add(n, diag.Violation{
			Rule: diag.CEL, Message: "the cost of the expression cannot be estimated: " + cel.JoinFaults(faults),
		})
	case cost > uint64(*limit):
		c.add(n, diag.Violation{
			Rule: diag.CEL, Message: "the expression has an estimated cost of " + strconv.FormatUint(cost, 10) + "; at most " +
				strconv.FormatInt(*limit, 10) + " is allowed",
			Help: "simplify it, for example by comparing fewer attributes in loops",
		})
	}
}

func (c *checker) add(n manifest.Node, v diag.Violation) {
	c.result.Violations = append(c.result.Violations, n.Finding(v))
}
