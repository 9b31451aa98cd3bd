package rule

import (
	"strings"
	"testing"
)

func TestKindsAreMatchedByNameAndGroup(t *testing.T) {
	for _, c := range []struct {
		patterns    string
		group, name string
		want        bool
	}{
		{"Service", "", "Service", true},
		{"Service", "serving.example.com", "Service", false},
		{"Service.*", "serving.example.com", "Service", true},
		{"*.example.com", "example.com", "Widget", true},
		{"*.example.com", "a.example.com", "Widget", false},
		{"*", "", "Pod", true},
		{"* !Pod", "", "Pod", false},
		{"* !Pod", "", "Service", true},
		{"Widget.example.com", "example.com", "Widget", true},
	} {
		if have := matchesAny(strings.Fields(c.patterns), Kind{c.group, c.name}); have != c.want {
			t.Errorf("%s on %s.%s: have %v", c.patterns, c.name, c.group, have)
		}
	}
}
