package schema

import (
	"strings"
	"testing"
)

func TestFormatsOfKubernetes(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, c := range map[string]struct{ valid, invalid []string }{
		"qualified-name": {
			[]string{"app", "example.com/app", "A_b-c.9", long(63), "a/" + long(63)},
			[]string{"", "-a", "a-", "a b", "a/b/c", "/a", "Example.com/a", long(64), "a/" + long(64)},
		},
		"label-value": {
			[]string{"", "a", "A_b-c.9", long(63)},
			[]string{"-a", "a.", "a/b", long(64)},
		},
		"ip": {
			[]string{"192.0.2.1", "2001:db8::1", "FE80:0:0:0:0:0:0:0abc"},
			[]string{"192.0.2", "192.0.2.01", "::ffff:192.0.2.1", "192.0.2.1/24", "host"},
		},
		"lax-ip": {
			[]string{"192.0.2.1", "192.0.2.01", "::ffff:192.0.2.1"},
			[]string{"192.0.2", "192.0.2.256", "host"},
		},
		"search-domain": {
			[]string{".", "a", "a.b.", "_tcp.a_b.c"},
			[]string{"", "..", "a..", ".a", "A.b", "a b"},
		},
		"relative-path": {
			[]string{"", "a/b", "a/..b", "a..", "."},
			[]string{"/a", "..", "../a", "a/..", "a/../b"},
		},
		"sysctl": {
			[]string{"kernel.shm_rmid_forced", "net/ipv4/conf.a-b", long(253)},
			[]string{"", "a.", "a..b", "A", "_a", "a_", long(254)},
		},
		"windows-user-name": {
			[]string{
				"user", `NT AUTHORITY\SYSTEM`, "a b", `domain.example\user`, ".a", long(104),
				strings.Repeat("a.", 127) + `a\u`, `0\1`,
			},
			[]string{
				"", `\user`, `a\`, `a\b\c`, "a\tb", "a\x7f", "..", " . ", "a@b", "a[b", long(105),
				`a*b\u`, `.a\u`, long(64) + `\u`, strings.Repeat("a.", 128) + `\u`,
			},
		},
	} {
		for _, text := range c.valid {
			if !nativeFormats[name].text(text) {
				t.Errorf("%q is a %s", text, name)
			}
		}
		for _, text := range c.invalid {
			if nativeFormats[name].text(text) {
				t.Errorf("%q is not a %s", text, name)
			}
		}
	}
}

func TestFormatsOfKubernetesAreNotEnforcedForCRDs(t *testing.T) {
	root := parse(t, "{type: string, format: qualified-name}")
	for _, c := range []struct {
		compiler *Compiler
		enforced bool
	}{
		{&Compiler{}, false},
		{&Compiler{Native: true}, true},
		{&Compiler{Native: true, decodeOnly: true}, false},
	} {
		s, _ := c.compiler.Compile(root)
		if have := s.format.text != nil; have != c.enforced {
			t.Errorf("native %v, only decoded %v: enforced %v", c.compiler.Native, c.compiler.decodeOnly, have)
		}
	}
}
