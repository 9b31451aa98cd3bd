package engine

import "testing"

func TestEachCostIsThatOfAFunction(t *testing.T) {
	list := Functions()
	for name, cost := range costs {
		if _, ok := list[name]; !ok {
			t.Errorf("%s is not a function of templates", name)
		}
		if cost < 2 {
			t.Errorf("%s costs %d", name, cost)
		}
	}
}
