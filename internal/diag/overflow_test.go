package diag

import "testing"

func TestViolationsBeyondTheLimitAreCounted(t *testing.T) {
	var list []Violation
	var overflow Overflow
	add := func(rule Rule, severity Severity) {
		if !overflow.Counts(list, rule, severity) {
			list = append(list, Violation{Rule: rule, Severity: severity})
		}
	}
	for range MaxDescribed {
		add("a", Error)
	}
	if len(list) != MaxDescribed || list[len(list)-1].More != 0 {
		t.Fatalf("at the limit: %d are described, %d counted", len(list), list[len(list)-1].More)
	}
	add("a", Error)
	add("a", Warning) // the first with this rule and severity
	add("b", Error)
	add("a", Error)
	add("b", Error)
	if len(list) != MaxDescribed+2 {
		t.Fatalf("%d are described", len(list))
	}
	for i, want := range map[int]int{MaxDescribed - 1: 2, MaxDescribed: 0, MaxDescribed + 1: 1} {
		if list[i].More != want {
			t.Errorf("violation %d counts %d more, want %d", i, list[i].More, want)
		}
	}
}
