package engine

import (
	"reflect"
	"strings"
	"testing"
)

// A chart may read and write 64 MiB, and 32 bytes more for each of its own, in each of its two renders.
func TestALargeChartMayWriteMore(t *testing.T) {
	for _, isRefilled := range []bool{false, true} {
		for size, more := range map[int]int{0: 0, 1: 32, 1000: 32_000} {
			b := NewBudget(size)
			if isRefilled {
				must(b.text(maxString))
				b.Refill()
			}
			for range 8 {
				if err := b.text(8 << 20); err != nil {
					t.Fatalf("%d bytes: %v", size, err)
				}
			}
			if err := b.text(more); err != nil {
				t.Errorf("%d bytes, refilled %t: %d more cannot be written", size, isRefilled, more)
			}
			if err := b.text(1); err != errBytes {
				t.Errorf("%d bytes, refilled %t: more than %d can be written", size, isRefilled, more)
			}
		}
	}
}

// split makes a map of all pieces, splitn at most of a number, but looks for all.
func TestAStringIsSplitIntoAMapOfLimitedSize(t *testing.T) {
	for _, name := range []string{"split", "splitn"} {
		for pieces, want := range map[int]error{250_000: nil, 250_001: errItems} {
			args := []reflect.Value{reflect.ValueOf(", "), reflect.ValueOf(strings.Repeat("ä, ", pieces))}
			if name == "splitn" {
				args = []reflect.Value{args[0], reflect.ValueOf(2), args[1]}
			}
			if err := NewBudget(0).precheck(name, args, amount{}); err != want {
				t.Errorf("%s at %d places: have %v, want %v", name, pieces, err, want)
			}
		}
	}
}

// The numbers of a sequence count, however they are given.
func TestTheNumbersOfASequenceCount(t *testing.T) {
	for _, c := range []struct {
		numbers []int
		want    int // -1 if they are rejected
	}{
		{[]int{7}, 7}, {[]int{-7}, 7}, {[]int{1, -9}, 9}, {[]int{8, 2, 3}, 8}, {nil, 0},
		{[]int{1_000_000}, 1_000_000}, {[]int{1_000_001}, -1}, {[]int{1, -1_000_001}, -1},
	} {
		b := NewBudget(0)
		err := b.precheck("seq", []reflect.Value{reflect.ValueOf(c.numbers)}, amount{})
		switch {
		case (err != nil) != (c.want < 0):
			t.Errorf("%v: have %v", c.numbers, err)
		case err == nil && maxItems-b.items != c.want:
			t.Errorf("%v: have %d items, want %d", c.numbers, maxItems-b.items, c.want)
		}
	}
}

// Of a long text, each byte may be a match. The replacement of a match may have all its groups.
func TestASearchCountsMatchesAndGroups(t *testing.T) {
	cost := func(name string, args ...any) (steps, items int) {
		b, list := NewBudget(0), []reflect.Value{}
		for _, arg := range args {
			list = append(list, reflect.ValueOf(arg))
		}
		if err := b.precheck(name, list, amount{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return MaxSteps - b.steps, maxItems - b.items
	}
	short, long := strings.Repeat("a", longSearch), strings.Repeat("a", longSearch+1)
	for _, name := range []string{"regexFindAll", "mustRegexFindAll", "regexSplit", "mustRegexSplit"} {
		if _, items := cost(name, "a", short, -1); items != 0 {
			t.Errorf("%s: the matches of a short text count twice", name)
		}
		if _, items := cost(name, "a", long, -1); items != len(long) {
			t.Errorf("%s: have %d items, want %d", name, items, len(long))
		}
	}
	if _, items := cost("regexMatch", "a", long); items != 0 {
		t.Error("regexMatch has one match")
	}
	none, _ := cost("regexReplaceAll", "(a)", "aaaa", "b")
	if two, _ := cost("regexReplaceAll", "(a)", "aaaa", "$1$1"); two != 3*none || none == 0 {
		t.Errorf("have %d steps with two groups and %d with none", two, none)
	}
}
