// Package closure runs checked CEL expressions as Go closures over the nodes of a document. It uses no clock and no
// files, and no CEL environment unless an expression calls a library.
//
// The contract is one sentence: [True] and [False] are certain, everything else is unsure. A certain outcome is the
// same as that of cel-go, whose cost is at most [Frame.Cost]. An expression that fails, costs too much or uses
// something that closures do not cover must be evaluated by cel-go, which creates the messages and counts the exact
// cost.
//
// The alternative is cel-go alone, which evaluates the same expressions. Measured with two rules, one about each item
// of a list and one about a string, closures are 6 and 12 times as fast as it, and need no environment at the start.
// Decide anew if cel-go evaluates the nodes of a document as fast.
package closure

import (
	"errors"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/schema"
)

// Outcome is the result of an evaluation.
type Outcome uint8

const (
	// Unsure means that only cel-go can tell.
	Unsure Outcome = iota
	// Failed means an error in CEL's sense, or a value that is neither true nor false.
	Failed
	False
	True
)

func (o Outcome) String() string { return [...]string{"unsure", "error", "false", "true"}[o] }

// truth is the result of a test.
type truth uint8

const (
	failed truth = iota // an error, in CEL's sense
	no
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func truthOfVal(v ref.Val) truth {
	if b, ok := v.(types.Bool); ok {
		return truthOf(bool(b))
	}
	return failed
}

// not negates a truth; an error stays an error.
func (t truth) not() truth {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return failed
}

func (t truth) value() value {
	switch t {
	case yes:
		return value{kind: kindBoolean, bits: 1}
	case no:
		return value{kind: kindBoolean}
	}
	return value{}
}

func (v value) truth() truth {
	if v.kind == kindZero {
		return no
	}
	if v.kind != kindBoolean {
		return failed
	}
	return truthOf(v.bits != 0)
}

type (
	code func(*Frame) value
	test func(*Frame) truth
)

// Code is an expression compiled to closures. It is safe for concurrent use.
type Code struct {
	run   test
	slots int
	cost  int64 // of everything except the iterations of macros and the sizes of the values
	named Slots
}

// Slots is a set of variables: bit i is set if the set has variable number i.
type Slots uint64

// Has reports whether a variable is in the set.
func (s Slots) Has(variable int) bool { return s&(1<<variable) != 0 }

// Named returns the variables that the expression refers to.
func (c *Code) Named() Slots { return c.named }

// Start prepares a frame for the variables of the expression. Set the variables before you call Run.
func (c *Code) Start(f *Frame) {
	f.reset(c.slots)
	f.spend(int(c.cost))
}

// Run evaluates the expression with the variables of a frame.
func (c *Code) Run(f *Frame) Outcome {
	t := c.run(f)
	if f.unsure {
		return Unsure
	}
	return Failed + Outcome(t)
}

// Variable is a variable that an expression can use.
type Variable struct {
	// Name may contain a dot, such as source.raw. Then the variable is the field raw of source.
	Name string
	// Schema describes the values of the variable. It is only a hint; nil means that nothing is known.
	Schema *schema.Schema
}

// Compile compiles an encoded expression to closures. The number of a variable is its index. The error says what
// closures do not cover.
func Compile(encoded string, variables []Variable) (*Code, error) {
	c, e, err := newCompiler(encoded, variables)
	if err != nil {
		return nil, err
	}
	run := c.test(e)
	if c.err != nil {
		return nil, c.err
	}
	return &Code{run: run, slots: c.most, cost: c.cost, named: c.named}, nil
}

// compiler turns one expression into closures.
type compiler struct {
	scope *binding
	slots int // in use
	most  int // ever in use
	cost  int64
	err   error // the reason why the expression cannot be compiled to closures

	named Slots // the slots of the variables that the expression uses
}

// newCompiler decodes an expression, and returns a compiler that knows its variables.
func newCompiler(encoded string, variables []Variable) (*compiler, *expression, error) {
	e, err := decode(encoded)
	if err != nil {
		return nil, nil, err
	}
	c := &compiler{slots: len(variables), most: len(variables)}
	for slot, v := range variables {
		c.scope = &binding{name: v.Name, slot: slot, schema: adapter.Seen(v.Schema), up: c.scope}
	}
	return c, e, nil
}

// binding is a variable in scope.
type binding struct {
	name   string
	slot   int
	schema *schema.Schema // of the value, if known; only a hint
	up     *binding
}

func (c *compiler) lookup(name string) *binding {
	for b := c.scope; b != nil; b = b.up {
		if b.name == name {
			return b
		}
	}
	return nil
}

// bind adds a variable. It stays in scope until leave is called.
func (c *compiler) bind(name string, s *schema.Schema) int {
	slot := c.slots
	c.slots++
	c.most = max(c.most, c.slots)
	c.scope = &binding{name: name, slot: slot, schema: s, up: c.scope}
	return slot
}

func (c *compiler) leave(scope *binding, slots int) { c.scope, c.slots = scope, slots }

func (c *compiler) reject(what string) {
	if c.err == nil {
		c.err = errors.New("closures do not cover " + what)
	}
}

// costOfStep is what closures count for one step of an evaluation. cel-go counts at most one for the step and one
// for an attribute. Lists and maps cost extra.
const costOfStep, costOfList, costOfMap = 2, 12, 32

// code compiles an expression of any type. It also returns the schema of its value, or nil if that is not known.
// The schema is only a hint.
func (c *compiler) code(e *expression) (code, *schema.Schema) {
	c.cost += costOfStep
	switch e.op {
	case opLiteral:
		return c.literal(e), nil
	case opVariable:
		return c.variable(e)
	case opType:
		t := typeOf(e.name)
		return func(*Frame) value { return t }, nil
	case opField:
		return c.field(e)
	case opList:
		return c.list(e), nil
	case opMap:
		return c.entries(e), nil
	case opMacro:
		return c.macro(e)
	case opCall:
		return c.call(e)
	}
	t := c.test(e)
	return func(f *Frame) value { return t(f).value() }, nil
}

// test compiles an expression whose value must be true or false.
func (c *compiler) test(e *expression) test {
	switch e.op {
	case opPresence:
		return c.presence(e)
	case opMacro:
		if t := c.macroTest(e); t != nil {
			return t
		}
	case opCall:
		if t := c.callTest(e); t != nil {
			return t
		}
	}
	v, _ := c.code(e)
	return func(f *Frame) truth { return v(f).truth() }
}

func (c *compiler) variable(e *expression) (code, *schema.Schema) {
	b := c.lookup(e.name)
	if b == nil {
		c.reject("the variable " + e.name)
		return nil, nil
	}
	return c.slot(b), b.schema
}

// slot reads a variable.
func (c *compiler) slot(b *binding) code {
	slot := b.slot
	c.named |= 1 << slot
	return func(f *Frame) value { return f.slots[slot] }
}
