package environment

import (
	"testing"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

func TestQuantitiesAreReadUpToALargestExponent(t *testing.T) {
	for text, want := range map[string]bool{
		"1e4096": true, "1e4097": false, "1e-4096": true, "1E-4097": false, "12": true, "1Ei": true, "x1e9999": true,
		"1e4294967296": true, // whose low 32 bits are 0
	} {
		if have := IsQuantityInRange(text); have != want {
			t.Errorf("%s: have %v, want %v", text, have, want)
		}
	}
}

func TestWidthsOfAFormatAddUp(t *testing.T) {
	for format, want := range map[string]int64{"%s": 0, "%.3f %.20f": 23, "7": 7, "%.99999999999999999999f": tooMuch} {
		if have := widths(format); have != want {
			t.Errorf("%s: have %d, want %d", format, have, want)
		}
	}
}

func TestAMeterPaysAllOrNothing(t *testing.T) {
	for _, c := range []struct {
		work, left int64
		ok         bool
	}{{9, 1, true}, {10, 0, true}, {11, 0, false}} {
		m := &Meter{Left: 10}
		if ok := m.spend(c.work); ok != c.ok || m.Left != c.left {
			t.Errorf("work of %d: have %v and %d left, want %v and %d", c.work, ok, m.Left, c.ok, c.left)
		}
	}
	if m := (*Meter)(nil); !m.spend(WorkBudget) || m.spend(WorkBudget+1) {
		t.Error("a call without a document has the whole budget, and no more")
	}
}

func TestWorkIsKnownFromArguments(t *testing.T) {
	if have := WorkOf("lists.range", []ref.Val{types.Int(1000)}); have != 1000 {
		t.Errorf("have %d, want 1000", have)
	}
}
