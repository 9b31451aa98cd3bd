package formats

import (
	"encoding/base64"
	"strings"
	"testing"
)

// requestPEM is a certificate signing request for the name a.
const requestPEM = `-----BEGIN CERTIFICATE REQUEST-----
MIHHMG4CAQAwDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BEK4P4LN6+T1h0M1eY8/qKJO5LonPLYtQ1W6hRaW+Cyvf8Iao6I9ihuYmRQrIG+P
idxXRs+pXhTRzXcsNF0+0nCgADAKBggqhkjOPQQDAgNJADBGAiEAufQniVOwB4Y4
44RCpR0R9Xb6MeqQ2nNWlle1czLHa5ICIQCffkXki5QLNKFPX+0TEmUR67WYN4T6
1SX/hW3y5Z/l1A==
-----END CERTIFICATE REQUEST-----
`

// bundlePEM is the certificate of an authority.
const bundlePEM = `-----BEGIN CERTIFICATE-----
MIHgMIGToAMCAQICAQEwBQYDK2VwMAAwHhcNNzAwMTAxMDAwMDAwWhcNMDEwOTA5
MDE0NjQwWjAAMCowBQYDK2VwAyEAiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SI
AbQPb1yjMjAwMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFDR1D5i9Wfz8lG2k
Wqq+kzvhVKS1MAUGAytlcANBAIIA8zm3KQKBVXLbprjBE1oxy1d7/X9y25XiAEJ0
zgDKW3jf1V4Zb9IUNMYZMzyTVb4qDGBihQbXQx9S/PCpYwI=
-----END CERTIFICATE-----
`

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// addressExamples are examples of addresses, and of other formats that are parsed.
var addressExamples = map[string]examples{
	"dns-1035-label": {[]string{"v1", "a-b"}, []string{"1v", "A", "a.b"}},
	"path-segment":   {[]string{"a:b", "..."}, []string{".", "..", "a/b", "a%b"}},
	"config-key":     {[]string{".a", "A_b-c"}, []string{".", "..", "..a", "a/b"}},
	"port-name":      {[]string{"http", "1a", "a-b"}, []string{"1", "Http", "a--b", "sixteen-letters1"}},
	"domain":         {[]string{"a.b", "a.b."}, []string{"a", "a..b", "A.b"}},
	"canonical-ip":   {[]string{"1.2.3.4", "::1"}, []string{"0:0::1", "01.2.3.4"}},
	"endpoint-ip": {
		[]string{"1.2.3.4", "010.0.0.1", "::ffff:010.0.0.1", "2001:db8::1", "10.0.00.0"},
		[]string{
			"0.0.0.0", "000.0.0.0", "127.0.0.1", "0127.0.0.1", "::ffff:127.0.0.1", "::", "::1", "169.254.1.1", "fe80::1",
			"224.0.0.1", "ff02::1", "x",
		},
	},
	"strict-cidr":   {[]string{"1.2.3.0/24", "::/0"}, []string{"1.2.3.4/24", "01.2.3.0/24", "1.2.3.4"}},
	"lax-cidr":      {[]string{"1.2.3.4/24", "01.2.3.0/24"}, []string{"1.2.3.4", "1.2.3.4/33"}},
	"path":          {[]string{"/", "a..b/..c"}, []string{"..", "a/../b"}},
	"absolute-path": {[]string{"/", "/a"}, []string{"a", "./a"}},
	"driver-name":   {[]string{"a", "CSI.example.com"}, []string{"a_b", "-a", "a/b"}},
	"provisioner":   {[]string{"Example.com/A_b", "a"}, []string{"a/b/c", "a b"}},
	"iscsi-name": {
		[]string{"iqn.2001-04.com.example:a", "eui.0123456789abcdef", "naa." + strings.Repeat("0", 32)},
		[]string{"iqn.2001-04.com.example", "eui.0", "naa.0", "abc", "iq", "iqn.2001-04.com.example:a b"},
	},
	"host-ports":  {[]string{"a:1", "a:1,b:2", "[::1]:2"}, []string{"a", "a:1,", "a:1,b", "a:1:2"}},
	"api-version": {[]string{"v1", "apps/v1"}, []string{"a/b/c"}},
	"signer-name": {
		[]string{"example.com/a", "a.b/c.d", strings.Repeat("a", 63) + ".b/" + strings.Repeat("c", 253)},
		[]string{"example.com", "a.b/c/d", "a/b", "a_.b/c", "a.b/C", "a.b/", "a..b/c", strings.Repeat("a", 64) + ".b/c"},
	},
	"resource": {
		[]string{"cpu", "storage", "pods", "hugepages-2Mi", "requests.hugepages-2Mi", "example.com/gpu", "kubernetes.io/x"},
		[]string{"gpu", "Cpu", "limits.storage", "/gpu", "a/b/c", "hugepages-"},
	},
	"container-resource": {
		[]string{"cpu", "memory", "ephemeral-storage", "hugepages-1Gi", "example.com/gpu", "a.kubernetes.io/x"},
		[]string{
			"storage", "pods", "requests.cpu", "requests.example.com/gpu", "requests.hugepages-2Mi",
			strings.Repeat("a.", 123) + "aa/gpu",
		},
	},
	"quota-resource": {
		[]string{"cpu", "pods", "requests.storage", "services.nodeports", "count/pods", "requests.hugepages-2Mi"},
		[]string{"storage", "limits.storage", "gpu"},
	},
	"standard-quota-resource": {[]string{"cpu", "pods", "hugepages-x"}, []string{"storage", "count/pods"}},
	"counted-resource": {
		[]string{"pods", "example.com/gpu", "count/pods"},
		[]string{"cpu", "storage", "requests.example.com/gpu", "kubernetes.io/x"},
	},
	"certificate-request": {
		[]string{encode(requestPEM)},
		[]string{
			"YQ==", "?", encode(strings.Replace(requestPEM, "REQUEST", "REQUESU", 1)),
			encode(strings.Replace(requestPEM, "/hW3", "/hW4", 1)),
		},
	},
	"trust-bundle": {[]string{bundlePEM, "a comment\n" + bundlePEM}, []string{"", requestPEM, bundlePEM + bundlePEM}},
	"pod-certificate-request": {
		[]string{
			"MH8wMwIBADAAMCowBQYDK2VwAyEAiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1ygADAFBgMrZXADQQDcKJulFGTHGoQS" +
				"sC+ZWsM50yNV89YZa00mvgXdcTdjgbAHEs0W4P2szz4ZQHmtPtoRNG/TCFEfR0JbQIc3YR4L",
		},
		[]string{"", "YQ==", "?", encode(requestPEM)},
	},
}

func TestLaxCIDRsAreParsed(t *testing.T) {
	for text, want := range map[string]string{
		"10.1.2.3/8": "10.0.0.0/8", "010.001.0.0/016": "10.1.0.0/16", "2001:0db8::0001/032": "2001:db8::/32", "0.0.0.0/0": "0.0.0.0/0",
		"::ffff:10.1.0.0/112": "::ffff:10.1.0.0/112", "10.0.0.0": "", "10.0.0.0/33": "", "": "",
	} {
		have := ""
		if parsed, ok := ParseLaxCIDR(text); ok {
			have = parsed.String()
		}
		if have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}
