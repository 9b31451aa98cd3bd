package closure

import (
	"net/netip"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kindvet/kindvet/internal/cel/native"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Frame is the memory of an evaluation: the variables, and the values that the expression creates. The zero value
// is ready to use. A frame must not be shared between goroutines. Reuse it for the next expression to save
// allocations.
type Frame struct {
	slots      []value   // of variables, followed by those that macros bind
	items      []value   // items of optionals and of lists that filters create
	lists      [][]value // lists that the expression has created
	others     []ref.Val
	networks   []netip.Prefix
	quantities []resource.Quantity
	args       []value // of calls of native functions
	base       int64   // the cost at which an evaluation starts
	cost       int64   // base, and at least what cel-go would count
	unsure     bool    // the outcome cannot be trusted

	meter      native.Meter
	nativeArgs []native.Value
}

// Cost returns the cost of the last evaluation. It is never less than what cel-go counts for the same evaluation.
func (f *Frame) Cost() int64 { return f.cost - f.base }

// Limit sets the cost at which the next evaluations of whole expressions end. It is at most that of a server.
func (f *Frame) Limit(cost int64) { f.base = maxCost - min(cost, maxCost) }

// CostsTooMuch reports whether the last evaluation stopped because of its cost.
func (f *Frame) CostsTooMuch() bool { return f.cost >= maxCost }

// SetNode sets a variable to a node. The rule sees the node by the given schema.
func (f *Frame) SetNode(variable int, n manifest.Node, s *schema.Schema) {
	f.slots[variable] = f.of(n, s)
}

// SetOptional sets a variable to an optional with the value of a node. The optional is empty if the node is not valid.
func (f *Frame) SetOptional(variable int, n manifest.Node, s *schema.Schema) {
	if !n.Valid() {
		f.slots[variable] = value{kind: kindOptional}
		return
	}
	f.slots[variable] = f.some(f.of(n, s))
}

// SetAbsent marks a variable as absent: reading it is an error.
func (f *Frame) SetAbsent(variable int) { f.slots[variable] = value{} }

// SetNull sets a variable to null.
func (f *Frame) SetNull(variable int) { f.slots[variable] = value{kind: kindNull} }

// SetString sets a variable to a string.
func (f *Frame) SetString(variable int, text string) { f.slots[variable] = stringOf(text) }

// SetInteger sets a variable to an integer.
func (f *Frame) SetInteger(variable int, i int64) { f.slots[variable] = integerOf(i) }

// SetList sets a variable to a list of values of the types that adapter.Native returns.
func (f *Frame) SetList(variable int, items []any) {
	f.slots[variable] = f.from(types.DefaultTypeAdapter.NativeToValue(items))
}

func (f *Frame) reset(slots int) {
	if cap(f.slots) < slots {
		f.slots = make([]value, slots)
	}
	f.slots = f.slots[:slots]
	f.release(mark{})
	f.cost, f.unsure, f.meter = f.base, false, native.Meter{}
}

// giveUp marks the outcome as unsure, so cel-go must evaluate the rule again.
func (f *Frame) giveUp() value {
	f.unsure = true
	return value{}
}

func (f *Frame) recoverUnsure() {
	if recover() != nil {
		f.giveUp()
	}
}

// maxCost is the maximum cost of an expression as closures count it, which is never less than what the server
// counts.
const maxCost = celconfig.PerCallLimit

func (f *Frame) spend(units int) {
	f.cost += int64(units)
	if f.cost >= maxCost {
		f.unsure = true
	}
}
