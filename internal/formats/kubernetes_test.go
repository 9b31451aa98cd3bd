package formats

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// The formats that are written out here accept what upstream accepts.
func FuzzFormatsOfKubernetesAreThoseOfUpstream(f *testing.F) {
	for _, text := range []string{
		"", ".", "..", "..a", "a..", "a/b", "a/..", "a--b", "-a", "a-", "A", "1", "1a", "a=", "a b", "~", " ", "\x7f",
		"ä", "a\n", strings.Repeat("a", 15), strings.Repeat("a", 16), strings.Repeat("a", 253), strings.Repeat("a", 254),
	} {
		f.Add(text)
	}
	upstream := map[string]func(string) []string{
		"config-key":       validation.IsConfigMapKey,
		"env-var-name":     validation.IsRelaxedEnvVarName,
		"http-header-name": validation.IsHTTPHeaderName,
		"port-name":        validation.IsValidPortName,
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, of := range upstream {
			if have, want := hasFormat(t, name, text), len(of(text)) == 0; have != want {
				t.Errorf("%s %q: have %v, want %v", name, text, have, want)
			}
		}
	})
}

// examples are strings that have a format, and strings that do not.
type examples struct{ valid, invalid []string }

func long(n int) string { return strings.Repeat("a", n) }

// kubernetesExamples are examples of formats, by name.
var kubernetesExamples = map[string]examples{
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
	"dns-label":      {[]string{"a-1", "1a", long(63)}, []string{"A", "a.", "-a", "a-", "a_b", "", long(64)}},
	"dns-1035-label": {[]string{"a-1", long(63)}, []string{"1a", "a.", "", long(64)}},
	"dns-subdomain":  {[]string{"a.b-c.d", "1.2", long(253)}, []string{"a..b", ".a", "A", "a_b", "", long(254)}},
	"wildcard-host":  {[]string{"a.b", "*.a.b", "1.2"}, []string{"*", "*a.b", "a.*.b", "A.b", "a_b", ""}},
	"path-segment":   {[]string{"a:b", "..a", "A"}, []string{".", "..", "a/b", "a%b"}},
	"domain-path":    {[]string{"a.b/c/D"}, []string{"a", "/a", "A/b", "a/", ""}},
	"port-name": {
		[]string{"http", "a1", "1-a", long(15)},
		[]string{"1", "a--b", "-a", "a-", "a_b", "HTTP", "", long(16)},
	},
	"env-var-name":     {[]string{"A", "a.b-c", "~"}, []string{"", "A=B", "a\n", "ä"}},
	"http-header-name": {[]string{"X-Header-1", "-"}, []string{"", "a_b", "a b", "ä"}},
	"config-key":       {[]string{".a", "a..b", "A_b-c", long(253)}, []string{"", ".", "..", "..a", "a/b", long(254)}},
	"integer": {
		[]string{"0", "-1", "+1", "9223372036854775807"}, []string{"", "1.0", "a", " 1", "9223372036854775808"},
	}, "json-object": {[]string{"{}", `{"auths": {}}`, "null"}, []string{"", "[]", "1", "{", "{}{}"}},
	"base64-json-object": {[]string{"e30=", "e30\n="}, []string{"", "{}", "W10="}},
	"percent":            {[]string{"0%", "100%", "1000%"}, []string{"", "%", "1", "-1%", "1.5%", "+1%"}},
	"canonical-ip":       {[]string{"1.2.3.4", "::1"}, []string{"A::0", "01.2.3.4", "::ffff:1.2.3.4", "fe80::1%eth0"}},
	"strict-cidr": {
		[]string{"1.2.3.0/24", "A::0/16"},
		[]string{"1.2.3.4/24", "01.2.3.0/24", "1.2.3.0/024", "::ffff:1.2.3.4/128", "1.2.3.4"},
	}, "lax-cidr": {[]string{"01.2.3.4/024", "::ffff:1.2.3.4/96"}, []string{"1.2.3.4", "1.2.3.0/33", "::/129"}},
	"canonical-cidr": {[]string{"1.2.3.0/24", "a::/16"}, []string{"A::/16", "a::0/16", "1.2.3.4/24"}},
	"time-zone": {
		[]string{"Europe/Berlin", "UTC", "Etc/GMT+1", "America/Argentina/ComodRivadavia"},
		[]string{"", "Europe", "europe/berlin", "Local", ".", "Europe/Berlin/", "UTC\nUTC"},
	},
	"search-domain": {
		[]string{".", "a", "a.b.", "_tcp.a_b.c"},
		[]string{"", "..", "a..", ".a", "A.b", "a b"},
	},
	"relative-path": {
		[]string{"", "a/b", "a/..b", "a..", "."},
		[]string{"/a", "..", "../a", "a/..", "a/../b"},
	},
	"unreserved-path": {
		[]string{"", "a/b", "a/..b", "./a"},
		[]string{"/a", "..", "..a", "../a", "a/../b"},
	},
	"path": {
		[]string{"", "/a", "..a", "a/..b"},
		[]string{"..", "a/..", "/../b"},
	},
	"subdomain-prefix": {[]string{"a-", "a.b", long(253)}, []string{"-", "a.", "A", long(254)}},
	"sysctl": {
		[]string{"kernel.shm_rmid_forced", "net/ipv4/conf.a-b", long(253)},
		[]string{"", "a.", "a..b", "A", "_a", "a_", long(254)},
	},
	"seccomp-annotation": {
		[]string{"runtime/default", "docker/default", "unconfined", "localhost/", "localhost/a/b"},
		[]string{"", "default", "localhost", "localhost//a", "localhost/../a"},
	},
	"apparmor-annotation": {
		[]string{"", "runtime/default", "unconfined", "localhost/", "localhost/a"},
		[]string{"docker/default", "localhost", "default"},
	},
	"deprecated-node-label": {
		[]string{"beta.kubernetes.io/os", "node-role.kubernetes.io/master"},
		[]string{"", "kubernetes.io/os", "node-role.kubernetes.io/control-plane"},
	},
	"deletion-cost": {
		[]string{"0", "-1", "-01", "2147483647", "-2147483648"},
		[]string{"", "-", "+1", "01", "00", "2147483648", "-2147483649", "1.0", "1_0"},
	},
	"tolerations-annotation": {
		[]string{
			"", "null", "[]", `[{"key": "a"}]`, `[{"Operator": "Exists", "other": 1}]`,
			`[{"key": "a", "value": "b", "effect": "NoSchedule"}]`,
			`[{"key": "a", "effect": "NoExecute", "tolerationSeconds": 1}]`,
		},
		[]string{
			"a", "{}", `[{}]`, `[{"key": 1}]`, `[{"key": "a b"}]`, `[{"key": "a", "value": "b b"}]`,
			`[{"key": "a", "effect": "b"}]`,
			`[{"key": "a", "operator": "Exists", "value": "b"}]`, `[{"key": "a", "operator": "Gt"}]`,
			`[{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}]`,
		},
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
}

// Each format of Kubernetes accepts and rejects what its examples say. None has no examples.
func TestFormatsOfKubernetes(t *testing.T) {
	tried := map[string]bool{}
	for _, table := range []map[string]examples{
		kubernetesExamples, addressExamples, resourceExamples, webhookExamples, cronExamples,
	} {
		for name, c := range table {
			checkFormat(t, name, c.valid, c.invalid)
			tried[name] = len(c.valid) > 0 && len(c.invalid) > 0
		}
	}
	for _, f := range ofKubernetes {
		if !tried[f.Name] {
			t.Errorf("%s has no examples that are valid, or none that are not", f.Name)
		}
	}
}

func TestFormatsByName(t *testing.T) {
	for _, c := range []struct {
		text, name string
		is, known  bool
	}{
		{"a", "dns-label", true, true},
		{"a.b", "dns-label", false, true},
		{"192.0.2.1", "ipv4", true, true},
		{"a", "ipv4", false, true},
		{"a", "nonsense", false, false},
	} {
		f, known := ForKubernetes(c.name)
		if known != c.known || known && f.Check(c.text) != c.is {
			t.Errorf("%q, %s: known %v", c.text, c.name, known)
		}
	}
}

// resourceExamples are examples of names of resources and of field paths.
var resourceExamples = map[string]examples{
	"container-resource": {
		[]string{
			"cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-x", "example.com/gpu", "kubernetes.io/x",
			"a.kubernetes.io/x",
		},
		[]string{
			"", "CPU", "storage", "pods", "requests.cpu", "gpu", "hugepages-", "a/b/c", "requests.example.com/gpu",
			"example.com/", "example.com/" + strings.Repeat("a", 64), strings.Repeat("a", 245) + "/a",
		},
	},
	"pod-metadata-key": {
		[]string{"metadata.labels['a']", "metadata.labels['a.example/B']", "metadata.annotations['A.example/B']"},
		[]string{
			"", "metadata.labels", "metadata.labels['']", "metadata.labels['A.example/b']", "metadata.labels[a]",
			"metadata.labels['a'", "metadata.name['a']", "['a']", "metadata.annotations['a b']",
		},
	},
}

// checkFormat reports the texts for which a format does not say what it should.
func checkFormat(t *testing.T, name string, valid, invalid []string) {
	t.Helper()
	for _, text := range valid {
		if !hasFormat(t, name, text) {
			t.Errorf("%q is a %s", text, name)
		}
	}
	for _, text := range invalid {
		if hasFormat(t, name, text) {
			t.Errorf("%q is not a %s", text, name)
		}
	}
}

func hasFormat(t *testing.T, name, text string) bool {
	t.Helper()
	f, ok := ForKubernetes(name)
	if !ok {
		t.Fatalf("there is no format %s", name)
	}
	return f.Check(text)
}
