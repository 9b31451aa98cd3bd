package cel_test

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/environment"
)

// isLimited reports whether an expression is too large to be checked, or there is not enough work left.
func isLimited(t *testing.T, text string, work *int) bool {
	t.Helper()
	_, faults := cel.Check(text, cel.Signature{Environment: request, Result: cel.Bool, Work: work})
	if len(faults) > 0 && !faults[0].IsLimit {
		t.Fatal(faults[0].Message)
	}
	return len(faults) > 0
}

func TestTheSizeOfAnExpressionIsLimited(t *testing.T) {
	const around = 4 // nodes: the list, size(), 0 and >
	for nodes, want := range map[int]bool{environment.MostNodes: false, environment.MostNodes + 1: true} {
		text := "[" + strings.Repeat("1, ", nodes-around-1) + "1].size() > 0"
		if have := isLimited(t, text, nil); have != want {
			t.Errorf("%d nodes are too many: have %v, want %v", nodes, have, want)
		}
	}
}

func TestTheWorkOfExpressionsIsLimited(t *testing.T) {
	const text, each = "[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]].size() > 0", 29
	for work, want := range map[int]int{0: 0, each - 1: 0, each: 1, 2*each - 1: 1, 2 * each: 2} {
		left, checked := work, 0
		for !isLimited(t, text, &left) {
			checked++
		}
		if checked != want {
			t.Errorf("with a work of %d: have %d expressions checked, want %d", work, checked, want)
		}
		if !isLimited(t, text, &left) {
			t.Errorf("with a work of %d: an expression is checked after one that was not", work)
		}
	}
}
