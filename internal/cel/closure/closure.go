// Package closure runs checked CEL expressions as Go closures over the nodes of a document. It is pure: no clock, no files, no
// environment of CEL unless an expression calls a library.
//
// The contract is one sentence: [True] and [False] are certain, everything else is unsure. What is certain is what cel-go gives, for
// no more than the cost that [Frame.Cost] returns. An expression that fails, costs too much or meets something that closures do not
// cover must be evaluated by cel-go, which makes messages and counts exact costs.
package closure

import (
	"errors"
	"net/netip"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Outcome is the result of an evaluation.
type Outcome uint8

const (
	// Unsure means that only cel-go can tell.
	Unsure Outcome = iota
	// Failed is an error in CEL's sense, or a value that is neither true nor false.
	Failed
	False
	True
)

func (o Outcome) String() string { return [...]string{"unsure", "error", "false", "true"}[o] }

// truth is what a test gives.
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

// not turns a test around; an error stays one.
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
	if v.kind != kindBoolean {
		return failed
	}
	return truthOf(v.bits != 0)
}

type (
	code func(*Frame) value
	test func(*Frame) truth
)

// Frame is the memory of an evaluation: the variables, and the values that the expression makes. The zero value is ready for use; a
// frame is for one goroutine and is best used again for the next expression.
type Frame struct {
	slots    []value   // of variables, then of what macros bind; settled
	items    []value   // of optionals and of lists that filters make
	lists    [][]value // that the expression has made
	others   []ref.Val
	networks []netip.Prefix
	cost     int64 // no less than what cel-go would count
	unsure   bool  // the outcome cannot be trusted
}

// Cost returns the cost of the last evaluation, which is never less than what cel-go counts for the same one.
func (f *Frame) Cost() int64 { return f.cost }

// CostsTooMuch reports whether the last evaluation ended because of its cost.
func (f *Frame) CostsTooMuch() bool { return f.cost >= maxCost }

// SetNode gives a variable the value that a rule sees of a node by a schema.
func (f *Frame) SetNode(variable int, n manifest.Node, s *schema.Schema) {
	f.slots[variable] = f.of(n, s)
}

// SetOptional gives a variable an optional that holds what SetNode gives, or nothing if the node is not valid.
func (f *Frame) SetOptional(variable int, n manifest.Node, s *schema.Schema) {
	if !n.Valid() {
		f.slots[variable] = value{kind: kindOptional}
		return
	}
	f.slots[variable] = f.settled(f.some(f.of(n, s)))
}

// SetAbsent makes reading a variable an error.
func (f *Frame) SetAbsent(variable int) { f.slots[variable] = value{} }

// SetNull gives a variable null.
func (f *Frame) SetNull(variable int) { f.slots[variable] = value{kind: kindNull} }

// SetString gives a variable a string.
func (f *Frame) SetString(variable int, text string) { f.slots[variable] = stringOf(text) }

// SetList gives a variable a list of values as [adapter.Native] returns them.
func (f *Frame) SetList(variable int, items []any) {
	f.slots[variable] = f.from(types.DefaultTypeAdapter.NativeToValue(items))
}

func (f *Frame) reset(slots int) {
	if cap(f.slots) < slots {
		f.slots = make([]value, slots)
	}
	f.slots = f.slots[:slots]
	f.items, f.lists, f.others, f.networks = f.items[:0], f.lists[:0], f.others[:0], f.networks[:0]
	f.cost, f.unsure = 0, false
}

// giveUp leaves the rule to cel-go, whatever comes out.
func (f *Frame) giveUp() value {
	f.unsure = true
	return value{}
}

func (f *Frame) recoverUnsure() {
	if recover() != nil {
		f.giveUp()
	}
}

// maxCost is the most that an expression may cost as closures count, which is never less than as the server counts.
const maxCost = celconfig.PerCallLimit

func (f *Frame) spend(units int) {
	f.cost += int64(units)
	if f.cost >= maxCost {
		f.unsure = true
	}
}

// Code is an expression as closures. It may be used from several goroutines.
type Code struct {
	run   test
	slots int
	cost  int64 // of everything but the rounds of macros and the sizes of what is handled
	named Slots
}

// Slots is a set of variables: a bit for each, by its number.
type Slots uint64

// Has reports whether a variable is in the set.
func (s Slots) Has(variable int) bool { return s&(1<<variable) != 0 }

// Named returns the variables that the expression names.
func (c *Code) Named() Slots { return c.named }

// Start makes a frame ready for the variables of the expression, which must be set before Run.
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

// Variable is a variable that an expression may name.
type Variable struct {
	// Name may have a dot, as source.raw: then the variable is the field raw of source.
	Name string
	// Schema types the values of the variable as far as is known. It is only a hint; nil is none.
	Schema *schema.Schema
}

// Compile makes closures of an encoded expression. A variable's number is its index. The error says what closures do not cover.
func Compile(encoded string, variables []Variable) (*Code, error) {
	e, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	c := &compiler{slots: len(variables), most: len(variables)}
	for slot, v := range variables {
		c.scope = &binding{name: v.Name, slot: slot, schema: adapter.Seen(v.Schema), up: c.scope}
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
	err   error // why closures cannot be made

	named Slots // the slots of variables that were named
}

// binding is a variable in scope.
type binding struct {
	name   string
	slot   int
	schema *schema.Schema // of the value, as far as is known; only a hint
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

// bind adds a variable until leave is called.
func (c *compiler) bind(name string, s *schema.Schema) int {
	slot := c.slots
	c.slots++
	c.most = max(c.most, c.slots)
	c.scope = &binding{name: name, slot: slot, schema: s, up: c.scope}
	return slot
}

func (c *compiler) leave(scope *binding, slots int) { c.scope, c.slots = scope, slots }

func (c *compiler) refuse(what string) {
	if c.err == nil {
		c.err = errors.New("closures do not cover " + what)
	}
}

// costOfStep is what the closures count for a step of evaluation, of which cel-go counts at most one for the step and one for an attribute;
// lists and maps come on top.
const costOfStep, costOfList, costOfMap = 2, 12, 32

// code compiles an expression of any type. The schema is that of its value, nil where it is not known; it is only a hint.
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
		c.refuse("the variable " + e.name)
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
