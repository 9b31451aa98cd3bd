// Package fields finds the fields that an expression names and that no value has for which it is evaluated.
//
// The expressions of admission policies have no types: a policy is about several kinds, and an API server evaluates it for each. So
// a value has a schema for each [Kind]. A field is unknown only if no kind has it for which that part of the expression is evaluated:
// a comparison with object.kind and the like limits the kinds.
package fields

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Kind is a version of a kind for which expressions are evaluated. One without a name stands for kinds that are not known.
type Kind struct {
	Group, Version, Plural, Name string
	Schema                       *schema.Schema // nil if it is not known
}

func (k *Kind) apiVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// MostKinds is the maximum number of kinds.
const MostKinds = 64

// Set is a set of kinds, by their indexes.
type Set uint64

// Has reports whether the kind with an index is in the set.
func (s Set) Has(i int) bool { return s&(1<<i) != 0 }

// mostSteps is the maximum number of steps of a [Checker]; a step is about a part of an expression and some kinds.
const mostSteps = 1 << 20

// Checker checks the expressions of a policy.
type Checker struct {
	// All are all kinds.
	All Set

	kinds     []Kind
	roots     values // of object
	params    values // nil if their kind is not known
	meta      *schema.Schema
	variables map[string]*Expression
	left      int // steps
	nearest   nearest.Work
}

// NewChecker returns a checker for some kinds. meta is the schema of metadata. params are the schemas of the parameters, of which
// one applies; none if they are not known.
func NewChecker(kinds []Kind, meta *schema.Schema, params []*schema.Schema) *Checker {
	c := &Checker{
		All: 1<<len(kinds) - 1, kinds: kinds, meta: meta, variables: map[string]*Expression{}, left: mostSteps,
		nearest: nearest.WorkFor(1 << 10),
	}
	for i := range kinds {
		c.roots = append(c.roots, value{form: typed, schema: kinds[i].Schema, isRoot: true})
	}
	param := value{form: nothing}
	for _, s := range params {
		param = either(param, value{form: typed, schema: s, isRoot: true})
	}
	if len(params) > 0 {
		c.params = same(param, len(kinds))
	}
	return c
}

// IsExhausted reports whether the limit of steps was reached, after which nothing is found.
func (c *Checker) IsExhausted() bool { return c.left < 0 }

// Unknown is a field that no kind has.
type Unknown struct {
	Name string
	// Path is the field as the expression has it, such as object.spec.replcas.
	Path string
	// Offset is that of the name in the expression, in bytes; -1 if it is not known.
	Offset int
	// Kinds are those of which the value has no such field.
	Kinds Set
	// Near is the nearest name of a field there, or "". Others are the names of all.
	Near   string
	Others []string

	isProbe bool // the expression asks whether there is one
}

// Expression is an expression of the policy.
type Expression struct {
	*Checker
	text   string
	tree   *ast.AST // nil if it is not an expression
	guards map[int64]guard
	found  []Unknown

	isWithin bool // its own value is being looked for
	value    values
	hasValue bool
}

// Parse returns an expression. If the text is none, nothing is known of it.
func (c *Checker) Parse(text string) *Expression {
	e := &Expression{Checker: c, text: text, guards: map[int64]guard{}}
	if text != "" {
		e.tree, _ = cel.Parse(text)
	}
	return e
}

// Define defines a variable of the policy. Of several with one name, the last one counts.
func (c *Checker) Define(name string, e *Expression) { c.variables[name] = e }

// Check returns the unknown fields of an expression that is evaluated for some kinds.
func (e *Expression) Check(active Set) []Unknown {
	if e.tree != nil && active != 0 {
		w := walker{Expression: e}
		w.eval(e.tree.Expr(), active, nil)
	}
	return e.found
}

// When returns for which of some kinds the expression can be true, and for which it can be false.
func (e *Expression) When(active Set) (isTrue, isFalse Set) {
	if e.tree == nil {
		return active, active
	}
	w := walker{Expression: e, isSilent: true}
	g := w.guardOf(e.tree.Expr(), active, nil)
	return g.whenTrue, g.whenFalse
}

// valueOf returns the value of a variable.
func (e *Expression) valueOf() values {
	if e.tree == nil || e.isWithin {
		return nil
	}
	if !e.hasValue {
		e.isWithin = true
		w := walker{Expression: e, isSilent: true}
		e.value, e.hasValue = w.eval(e.tree.Expr(), e.All, nil), true
		e.isWithin = false
	}
	return e.value
}

// report adds an unknown field, of values. One that the expression only asks for may be of another version or kind unless it is
// nearly a known one.
func (e *Expression) report(u Unknown, of values) {
	u.Others = namesOf(of, u.Kinds)
	if u.Near, _ = e.nearest.Name(u.Name, u.Others); !u.isProbe || areClose(u.Near, u.Name) {
		e.found = append(e.found, u)
	}
}

// areClose reports whether a name is almost certainly a slip for the nearest one, if there is one: the two differ by at most one
// letter in length.
func areClose(near, name string) bool {
	return near != "" && max(len(near), len(name))-min(len(near), len(name)) <= 1
}

// namesOf returns the names of the fields that the values for some kinds have.
func namesOf(of values, kinds Set) (names []string) {
	for i := range of {
		for v := &of[i]; kinds.Has(i) && v != nil; v = v.also {
			if v.schema == nil {
				continue
			}
			for _, p := range v.schema.Properties {
				if !slices.Contains(names, p.Name) {
					names = append(names, p.Name)
				}
			}
		}
	}
	return names
}

// Texts returns the text literals of an expression.
func (e *Expression) Texts() (texts []string) {
	if e.tree == nil {
		return nil
	}
	ast.PreOrderVisit(e.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if text, ok := textIn(e); ok {
			texts = append(texts, text)
		}
	}))
	return texts
}

// textOf returns a short form of the expression of a value.
func textOf(e ast.Expr) string {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent()
	case ast.SelectKind:
		return textOf(e.AsSelect().Operand()) + "." + e.AsSelect().FieldName()
	case ast.CallKind:
		if name, operand, ok := namedField(e); ok {
			return textOf(operand) + "." + name
		}
		if c := e.AsCall(); isIndex(c) {
			return textOf(c.Args()[0]) + "[...]"
		}
	}
	return "(...)"
}

// nameOffset returns the offset of the first occurrence of a whole name in a text, from an offset on; -1 if there is none.
func nameOffset(text, name string, from int) int {
	for at := max(from, 0); at < len(text); {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return -1
		}
		at += i
		if end := at + len(name); (at == 0 || !isWord(text[at-1])) && (end == len(text) || !isWord(text[end])) {
			return at
		}
		at += max(len(name), 1)
	}
	return -1
}

func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// runeOffset converts an offset in code points into one in bytes.
func runeOffset(text string, runes int) int {
	for i := range text {
		if runes == 0 {
			return i
		}
		runes--
	}
	return len(text)
}
