package rule

import "testing"

func TestExpressionsAreWrittenOnOneLine(t *testing.T) {
	for _, c := range []struct{ check, want string }{
		{"self.a == 1\n  && self.b == 2\n", "v1.a == 1 && v1.b == 2"},
		{"itself && selfish && self", "itself && selfish && v1"},
		{"self.a // don't drop self\n&& self.b", "v1.a && v1.b"},
		{"self // a\n// b\n", "v1"},
		{"pod.spec.pod == podSpec && self. pod", "object.spec.pod == podSpec && v1. pod"},
		{"self == 'a  b // self'", "v1 == 'a  b // self'"},
		{`self == "a  b // self"`, `v1 == "a  b // self"`},
		{`self == 'it\'s  self' || self == "\"  self"`, `v1 == 'it\'s  self' || v1 == "\"  self"`},
		{`self.matches(r'\') && self == ''`, `v1.matches(r'\') && v1 == ''`},
		{`self.matches(R"\") && self == ""`, `v1.matches(R"\") && v1 == ""`},
		{"self == '''it's\n self''' && self", "v1 == '''it's\n self''' && v1"},
		{"self == r\"\"\"\\\"\n self\"\"\" && self", "v1 == r\"\"\"\\\"\n self\"\"\" && v1"},
	} {
		if have := inline(c.check, map[string]string{"self": "v1", "pod": "object"}); have != c.want {
			t.Errorf("%q: have %q, want %q", c.check, have, c.want)
		}
	}
}
