package expr

import (
	"errors"
	"net/netip"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// A rule runs as closures over the tree, compiled from its checked AST. Their verdict counts where it was cheap: a rule that ends in an
// error, costs nearly too much or meets anything that the closures do not know is judged by cel-go's program, which alone makes messages,
// exact costs and blame. A lint rule, whose cost no server judges, is not evaluated again where it costs too much.

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
	code func(*frame) value
	test func(*frame) truth
)

// frame is what a rule in evaluation has: its variables, and the memory of what it makes. It is used again for the next rule.
type frame struct {
	slots    []value   // self, oldSelf, and what macros bind; settled
	items    []value   // of optionals and of lists that filters make
	lists    [][]value // that the rule has made
	others   []ref.Val
	networks []netip.Prefix
	cost     int64 // no less than what cel-go would count
	unsure   bool  // the outcome says nothing
}

const (
	slotSelf = iota
	slotOld
	firstFreeSlot
)

func (f *frame) reset(slots int) {
	if cap(f.slots) < slots {
		f.slots = make([]value, slots)
	}
	f.slots = f.slots[:slots]
	f.items, f.lists, f.others, f.networks = f.items[:0], f.lists[:0], f.others[:0], f.networks[:0]
	f.cost, f.unsure = 0, false
}

// giveUp leaves the rule to cel-go, whatever comes out.
func (f *frame) giveUp() value {
	f.unsure = true
	return value{}
}

func (f *frame) recoverUnsure() {
	if recover() != nil {
		f.giveUp()
	}
}

// mostCost is the most that a rule may cost as closures count, which is never less than as the server counts.
const mostCost = celconfig.PerCallLimit

func (f *frame) spend(units int) {
	f.cost += int64(units)
	if f.cost >= mostCost {
		f.unsure = true
	}
}

// costsTooMuch says that the evaluation was given up because of its cost.
func (f *frame) costsTooMuch() bool { return f.cost >= mostCost }

// compiledCode is a rule as closures.
type compiledCode struct {
	run   test
	slots int
	cost  int64 // of everything but the rounds of macros and the sizes of what is handled
	named slotSet
}

// slotSet is a set of the slots of a rule's variables: a bit for each.
type slotSet uint64

func (s slotSet) has(slot int) bool { return s&(1<<slot) != 0 }

// start makes a frame ready for the rule's variables.
func (c *compiledCode) start(f *frame) {
	f.reset(c.slots)
	f.spend(int(c.cost))
}

// verdict says what becomes of a rule on a value: true, false or an error, and whether that is certain. The frame has the cost.
func (c *compiledCode) verdict(f *frame, self, old manifest.Node, s *schema.Schema, optionalOld bool) (t truth, sure bool) {
	c.start(f)
	f.slots[slotSelf] = f.of(self, s)
	f.slots[slotOld] = f.old(old, s, optionalOld)
	t = c.run(f)
	return t, !f.unsure
}

// old is oldSelf; an error where there is none.
func (f *frame) old(old manifest.Node, s *schema.Schema, optional bool) value {
	if !old.Valid() || old.Type() == manifest.Null {
		if optional {
			return value{kind: kindOptional}
		}
		return value{}
	}
	v := f.of(old, s)
	if optional {
		return f.settled(f.some(v))
	}
	return v
}

// compileFlat makes closures of a rule in the flat form; s is what self is.
func compileFlat(text string, s *schema.Schema, optionalOld bool) (*compiledCode, error) {
	e, err := parseFlat(text)
	if err != nil {
		return nil, err
	}
	c := &compiler{slots: firstFreeSlot, most: firstFreeSlot}
	c.scope = &binding{name: "self", slot: slotSelf, schema: staticOf(s)}
	c.scope = &binding{name: "oldSelf", slot: slotOld, schema: staticOf(s), up: c.scope}
	if optionalOld {
		c.scope.schema = nil
	}
	return c.compile(e)
}

// compile compiles the expression of a rule, whose variables are in scope.
func (c *compiler) compile(e *form) (*compiledCode, error) {
	run := c.test(e)
	if c.err != nil {
		return nil, c.err
	}
	return &compiledCode{run: run, slots: c.most, cost: c.cost, named: c.named}, nil
}

// compiler turns one expression into closures.
type compiler struct {
	scope *binding
	slots int // in use
	most  int // ever in use
	cost  int64
	err   error // why closures cannot be made

	named slotSet // the slots of variables that were named
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

// staticOf is the schema that a value made by frame.of has.
func staticOf(s *schema.Schema) *schema.Schema {
	if s == nil || s.Type != "object" {
		return s
	}
	return seenAs(s)
}

// costOfStep is what the closures count for a step of evaluation, of which cel-go counts at most one for the step and one for an attribute;
// lists and maps come on top.
const costOfStep, costOfList, costOfMap = 2, 12, 32

// code compiles an expression of any type. The schema is that of its value, nil where it is not known; it is only a hint.
func (c *compiler) code(e *form) (code, *schema.Schema) {
	c.cost += costOfStep
	switch e.op {
	case opLiteral:
		return c.literal(e), nil
	case opVariable:
		return c.variable(e)
	case opType:
		t := typeOf(e.name)
		return func(*frame) value { return t }, nil
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
	return func(f *frame) value { return t(f).value() }, nil
}

// test compiles an expression whose value must be true or false.
func (c *compiler) test(e *form) test {
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
	return func(f *frame) truth { return v(f).truth() }
}

func (c *compiler) variable(e *form) (code, *schema.Schema) {
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
	return func(f *frame) value { return f.slots[slot] }
}
