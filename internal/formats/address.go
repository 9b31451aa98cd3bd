package formats

import (
	"net/netip"
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// These formats follow upstream's functions in k8s.io/kubernetes.

// isEndpointIP is pkg/apis/core/validation, ValidateEndpointIP.
func isEndpointIP(text string) bool {
	ip, ok := sloppyIP(text)
	return ok && !ip.IsUnspecified() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() && !ip.IsLinkLocalMulticast()
}

// isLegacyIP reports whether a text is an IP address as fields expect it that are older than strict validation, which
// Kubernetes 1.36 introduced (apimachinery, util/validation.IsValidIPForLegacyField).
func isLegacyIP(text string, strict bool) bool {
	return len(validation.IsValidIPForLegacyField(nil, text, strict, nil)) == 0
}

// leadingZero is a zero that a parser of numbers in addresses would reject, and the digit after it.
var leadingZero = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[.:/])0+([0-9a-fA-F])`) })

// ParseLaxCIDR parses a CIDR whose numbers may have leading zeros and that may have bits after the prefix
// (k8s.io/utils/net.ParseCIDRSloppy).
func ParseLaxCIDR(text string) (netip.Prefix, bool) {
	prefix, err := netip.ParsePrefix(leadingZero().ReplaceAllString(text, "$1$2"))
	return prefix.Masked(), err == nil
}

// isSearchDomain reports whether a text is a search path of a DNS configuration (k8s.io/kubernetes,
// pkg/apis/core/validation.validatePodDNSConfig).
func isSearchDomain(text string) bool {
	return text == "." || validation.IsDNS1123SubdomainWithUnderscore(strings.TrimSuffix(text, ".")) == nil
}

// isWildcardHost reports whether a text is a hostname, with or without a wildcard as the first label
// (k8s.io/kubernetes, pkg/apis/networking/validation.validateIngressRules).
func isWildcardHost(text string) bool {
	if strings.Contains(text, "*") {
		return len(validation.IsWildcardDNS1123Subdomain(text)) == 0
	}
	return CheckSubdomain(text) == nil
}

func isDomainPath(text string) bool {
	return len(validation.IsDomainPrefixedPath(field.NewPath("path"), text)) == 0
}

// sloppyIP parses an IP address whose IPv4 numbers may have leading zeros (k8s.io/utils/net.ParseIPSloppy).
func sloppyIP(text string) (netip.Addr, bool) {
	if !isLegacyIP(text, false) {
		return netip.Addr{}, false
	}
	colon := strings.LastIndexByte(text, ':') + 1
	numbers := strings.Split(text[colon:], ".")
	for i, n := range numbers {
		if len(numbers) > 1 {
			numbers[i] = strings.TrimLeft(n[:len(n)-1], "0") + n[len(n)-1:]
		}
	}
	ip, err := netip.ParseAddr(text[:colon] + strings.Join(numbers, "."))
	return ip.Unmap(), err == nil
}

// iscsiNames are iscsiInitiatorIqnRegex, iscsiInitiatorEuiRegex and iscsiInitiatorNaaRegex of
// pkg/apis/core/validation, by the first three letters of a name.
var iscsiNames = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"iqn": regexp.MustCompile(`iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$`),
		"eui": regexp.MustCompile(`^eui.[[:alnum:]]{16}$`),
		"naa": regexp.MustCompile(`^naa.[[:alnum:]]{32}$`),
	}
})

// isISCSIName is the check of iqn in pkg/apis/core/validation, validateISCSIVolumeSource.
func isISCSIName(text string) bool {
	if len(text) < 3 {
		return false
	}
	shape := iscsiNames()[text[:3]]
	return shape != nil && shape.MatchString(text)
}

// isHostPorts is the check of registry in pkg/apis/core/validation, validateQuobyteVolumeSource.
func isHostPorts(text string) bool {
	for pair := range strings.SplitSeq(text, ",") {
		if !isHostPort(pair) {
			return false
		}
	}
	return true
}

// isHostPort reports whether a text is a host, a colon and a port, as for net.SplitHostPort. A host with colons is in
// brackets.
func isHostPort(text string) bool {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		return false
	}
	if rest, ok := strings.CutPrefix(text, "["); ok {
		host, port, ok := strings.Cut(rest, "]")
		return ok && strings.LastIndexByte(port, ':') == 0 && !strings.Contains(host, "[") &&
			!strings.ContainsAny(port, "[]")
	}
	return !strings.Contains(text[:colon], ":") && !strings.ContainsAny(text, "[]")
}

// isSignerName is pkg/apis/core/validation, ValidateSignerName.
func isSignerName(text string) bool {
	domain, name, ok := strings.Cut(text, "/")
	const longest = validation.DNS1123SubdomainMaxLength
	if !ok || strings.Contains(name, "/") || len(domain) > longest || !strings.Contains(domain, ".") ||
		len(text) > 2*longest+validation.DNS1123LabelMaxLength+2 {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if CheckDNSLabel(label) != nil {
			return false
		}
	}
	for label := range strings.SplitSeq(name, ".") {
		if CheckSubdomain(label) != nil {
			return false
		}
	}
	return true
}
