package formats

import "strings"

// webhookExamples are examples of formats of webhooks, policies and devices.
var webhookExamples = map[string]examples{
	"webhook-url": {
		[]string{
			"https://a", "https://a/", "https://a:443/b", "https://[::1]", "HTTPS://a", "https://a?", "https://a#",
			"https://*.a",
		},
		[]string{
			"", "a", "//a", "http://a", "https://", "https:a", "https:///a", "https://a?b", "https://a#b", "https://u@a",
			"https://@a",
			"https://a:b", "https://a b", "https://a/%zz", " https://a",
		},
	},
	"webhook-path": {
		[]string{"", "/", "/a", "/a/", "/a.b/c-d", "/" + strings.Repeat("a", 253)},
		[]string{"a", "//", "///", "/a//", "/a//b", "/A", "/a_b", "/%20", "/a?b", "/.", "/" + strings.Repeat("a", 254)},
	},
	"webhook-name": {
		[]string{"a.b.c", "1.2.3.4", "a.b.c" + strings.Repeat("c", 248)},
		[]string{"", "a", "a.b", "A.b.c", "a.b.c.", "a..c", ".a.b", "a.b.*", "a.b.-c", "a.b.c" + strings.Repeat("c", 249)},
	},
	"group-version": {
		[]string{"v1", "a/v1", "a.b/v1", "/v1"},
		[]string{"", "/", "a/", "a/b/c", "A/v1", "a/1", "a/V1", "v1.2"},
	},
	"kind": {
		[]string{"A", "a", "A-b", strings.Repeat("a", 63)},
		[]string{"", "1A", "A_b", "a.b", "A-", strings.Repeat("a", 64)},
	},
	"cel-identifier": {
		[]string{"a", "A1", "_", "__a", "self", "ins"},
		[]string{"", "1", "a-b", "a.b", "a b", "é", "in", "true", "namespace"},
	},
	"pool-name": {
		[]string{"a", "a/b.c", strings.Repeat("a", 253)},
		[]string{"", "/", "a/", "/a", "a//b", "A", "a_b", strings.Repeat("a", 254)},
	},
	"attribute-name": {
		[]string{
			"a", "_A1", "example.com/a", "Example.com/a", "a/b/c", "//",
			strings.Repeat("a", 63) + "/" + strings.Repeat("a", 32),
		},
		[]string{"", "1", "a-b", "/a", "a/", "a_b/c", "a/1", strings.Repeat("a", 64) + "/a", strings.Repeat("a", 33), "é"},
	},
	"full-attribute-name": {[]string{"a/b"}, []string{"a", "a/", ""}},
	"extended-resource": {
		[]string{"example.com/gpu"},
		[]string{"", "cpu", "kubernetes.io/a", "requests.example.com/a", "example.com/a/b"},
	},
	"semantic-version": {
		[]string{"1.2.3", "0.0.0", "1.2.3-rc.1", "1.2.3-a-b+c.01", "1.2.3+001"},
		[]string{"", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3+", "1.2.3 "},
	},
}
