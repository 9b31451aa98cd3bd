package nearest

import "testing"

func TestNameFindsSlips(t *testing.T) {
	fields := []string{"targetType", "targetGroupARN", "serviceRef", "networking", "to", "ids", "tags"}
	for _, c := range []struct{ name, want string }{
		{"targetTyp", "targetType"},
		{"targettype", "targetType"},
		{"targetGroupArn", "targetGroupARN"},
		{"servcieRef", "serviceRef"},
		{"tgas", "tags"},
		{"networkPolicies", ""},
		{"x", ""},
		{"tags", ""},
	} {
		if have, _ := Name(c.name, fields); have != c.want {
			t.Errorf("Name(%q): have %q, want %q", c.name, have, c.want)
		}
	}
}
