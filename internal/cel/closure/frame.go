package closure

import (
	"net/netip"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Frame is the memory of an evaluation: the variables, and the values that the expression makes. The zero
// value is ready for use; a frame is for one goroutine and is best used again for the next expression.
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

// SetList gives a variable a list of values as adapter.Native returns them.
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
