package diag

import (
	"slices"
	"testing"
)

func TestRulesAreFoundByIDAndShortName(t *testing.T) {
	n := NewRuleNames([]Rule{
		"network/open-cidr", "token/duplicate", "object/duplicate", "ingress/duplicate-key", "network/open-cidr",
	})
	for _, c := range []struct {
		name string
		want []Rule
	}{
		{"network/open-cidr", []Rule{"network/open-cidr"}},
		{"open-cidr", []Rule{"network/open-cidr"}},
		{"duplicate", []Rule{"token/duplicate", "object/duplicate"}},
		{"duplicate-key", []Rule{DuplicateKey}}, // an id takes precedence over a short name
		{"suppression-unused", []Rule{SuppressionUnused}},
		{"network", nil}, {"", nil}, {"open-cidrs", nil},
	} {
		if have := n.Find(c.name); !slices.Equal(have, c.want) {
			t.Errorf("%q: have %q, want %q", c.name, have, c.want)
		}
	}
}

func TestTheNearestRuleOfAMistypedName(t *testing.T) {
	n := NewRuleNames([]Rule{"network/open-cidr"})
	for name, want := range map[string]Rule{
		"open-cdir": "network/open-cidr", "network/opencidr": "network/open-cidr", "unknwon-field": UnknownField, "else": "",
	} {
		if have, ok := n.Nearest(name); have != want || ok != (want != "") {
			t.Errorf("%q: have %q, want %q", name, have, want)
		}
	}
}
