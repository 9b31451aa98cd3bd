package schema

import (
	"encoding/base64"
	"path"
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation"
)

// nativeFormat is a string format of the kinds of Kubernetes. CRDs do not have it.
type nativeFormat struct {
	// noun is what a string of the format is, for messages, with an article.
	noun string
	help string
	// text reports whether a string has the format.
	text func(string) bool
}

// nativeFormats are the string formats of the kinds of Kubernetes, by name. Overlays use them.
var nativeFormats = map[string]nativeFormat{
	"qualified-name": {
		noun: "a valid qualified name",
		help: "use at most 63 letters, digits, '-', '_' and '.', such as app, or put a domain and '/' before it, such as example.com/app",
		text: func(text string) bool { return isQualifiedName(text) == nil },
	},
	"label-value": {
		noun: "a valid label value",
		help: "use at most 63 letters, digits, '-', '_' and '.'; start and end with a letter or digit",
		text: func(text string) bool { return isLabelValue(text) == nil },
	},
	"ip": {
		noun: "a valid IP address",
		help: "use an IP address such as 192.0.2.1 or 2001:db8::1, without leading zeros",
		text: func(text string) bool { return isLegacyIP(text, true) },
	},
	"lax-ip": {
		noun: "a valid IP address",
		help: "use an IP address such as 192.0.2.1 or 2001:db8::1",
		text: func(text string) bool { return isLegacyIP(text, false) },
	},
	"dns-label": {
		noun: "a valid DNS label",
		help: "use at most 63 lowercase letters, digits and '-'; start and end with a letter or digit",
		text: none(isDNSLabel),
	},
	"dns-subdomain": {
		noun: "a valid DNS subdomain",
		help: "use at most 253 lowercase letters, digits, '-' and '.'; start and end with a letter or digit",
		text: none(isSubdomain),
	},
	"wildcard-host": {
		noun: "a valid hostname",
		help: "use a hostname such as app.example.com or *.example.com",
		text: isWildcardHost,
	},
	"domain-path": {
		noun: "a valid path with a domain",
		help: "use a domain and a path, such as example.com/name",
		text: isDomainPath,
	},
	"integer": {
		noun: "an integer",
		help: "use an integer of at most 64 bits",
		text: isInteger,
	},
	"json-object": {
		noun: "a JSON object",
		help: "use a JSON object",
		text: func(text string) bool { return isJSONObject([]byte(text)) },
	},
	"base64-json-object": {
		noun: "a JSON object in base64",
		help: "use the base64 of a JSON object",
		text: func(text string) bool {
			decoded, err := base64.StdEncoding.DecodeString(text)
			return err == nil && isJSONObject(decoded)
		},
	},
	"percent": {
		noun: "a valid percentage",
		help: "use an integer, or digits and '%' such as 25%",
		text: none(validation.IsValidPercent),
	},
	"cron-schedule": {
		noun: "a valid cron schedule",
		help: `use minute, hour, day of month, month and day of week, such as "*/5 * * * *", or a name such as @daily`,
		text: isCronSchedule,
	},
	"time-zone": {
		noun: "a known time zone",
		help: "use a name of the time zone database, such as Europe/Berlin",
		text: isTimeZone,
	},
	"search-domain": {
		noun: "a valid search domain",
		help: "use a domain such as example.com, or a single dot",
		text: isSearchDomain,
	},
	"relative-path": {
		noun: "a valid relative path",
		help: "use a path that does not start with '/' and has no '..'",
		text: isRelativePath,
	},
	"unreserved-path": {
		noun: "a valid relative path",
		help: "use a path that does not start with '/' or '..' and has no '..'",
		text: func(text string) bool { return isRelativePath(text) && !strings.HasPrefix(text, "..") },
	},
	"path-segment": {
		noun: "a valid name",
		help: "use a name without '/' and '%' that is not '.' or '..'",
		text: func(text string) bool { return isPathSegment(text) == nil },
	},
	"subdomain-prefix": {
		noun: "a valid long name",
		help: textFormats["k8slongname"],
		text: func(text string) bool { return DNSSubdomain.faults(text, true) == nil },
	},
	"config-key": {
		noun: "a valid key",
		help: "use at most 253 letters, digits, '-', '_' and '.'; do not start with '..'",
		text: isConfigKey,
	},
	"env-var-name": {
		noun: "a valid name of an environment variable",
		help: "use printable ASCII characters other than '='",
		text: isEnvVarName,
	},
	"container-resource": {
		noun: "a resource of containers",
		help: "use cpu, memory, ephemeral-storage, hugepages-SIZE or a name with a domain, such as example.com/gpu",
		text: isContainerResource,
	},
	"pod-metadata-key": {
		noun: "a key of the labels or annotations",
		help: "use metadata.labels['KEY'] or metadata.annotations['KEY']",
		text: isPodMetadataKey,
	},
	"port-name": {
		noun: "a valid port name",
		help: "use at most 15 lowercase letters, digits and single hyphens between them, with at least one letter",
		text: isPortName,
	},
	"http-header-name": {
		noun: "a valid name of an HTTP header",
		help: "use letters, digits and hyphens, such as X-Header-Name",
		text: func(text string) bool { return text != "" && containsOnly(text, "-") },
	},
	"sysctl": {
		noun: "a valid sysctl name",
		help: "use at most 253 lowercase letters, digits, '-' and '_' in words joined by '.' or '/'",
		text: func(text string) bool { return len(text) <= longestSysctl && sysctlName().MatchString(text) },
	},
	"deprecated-node-label": {
		noun: "a deprecated label of nodes",
		help: "use a label such as kubernetes.io/os or topology.kubernetes.io/zone",
		text: isDeprecatedNodeLabel,
	},
	"seccomp-annotation": {
		noun: "a valid seccomp profile",
		help: "use runtime/default, unconfined, or localhost/ and a relative path",
		text: isSeccompAnnotation,
	},
	"apparmor-annotation": {
		noun: "a valid AppArmor profile",
		help: "use runtime/default, unconfined, or localhost/ and the name of a profile",
		text: func(text string) bool {
			return text == "" || text == "runtime/default" || text == "unconfined" || strings.HasPrefix(text, "localhost/")
		},
	},
	"deletion-cost": {
		noun: "a valid deletion cost",
		help: "use a 32-bit integer without leading zeros",
		text: isDeletionCost,
	},
	"tolerations-annotation": {
		noun: "a valid list of tolerations",
		help: "use the field tolerations",
		text: isTolerations,
	},
	"windows-user-name": {
		noun: "a valid Windows user name",
		help: `use a name such as ContainerUser or DOMAIN\user, without any of "/\:;|=,+*?<>@[]`,
		text: isWindowsUserName,
	},
	"dns-1035-label": {
		noun: "a valid DNS label",
		help: "use at most 63 lowercase letters, digits and hyphens; start with a letter",
		text: func(text string) bool { return validation.IsDNS1035Label(text) == nil },
	},
	"domain": {
		noun: "a valid domain",
		help: "use a domain with at least one dot, such as app.example.com",
		text: func(text string) bool { return validation.IsFullyQualifiedDomainName(nil, text) == nil },
	},
	"canonical-ip": {
		noun: "a canonical IP address",
		help: "use an IP address in its shortest form, such as 192.0.2.1 or 2001:db8::1",
		text: func(text string) bool { return validation.IsValidIP(nil, text) == nil },
	},
	"endpoint-ip": {
		noun: "a valid address of an endpoint",
		help: "use an address that is not unspecified, loopback or link-local",
		text: isEndpointIP,
	},
	"strict-cidr": {
		noun: "a valid CIDR",
		help: "use a CIDR such as 192.0.2.0/24 or 2001:db8::/32",
		text: func(text string) bool { return validation.IsValidCIDRForLegacyField(nil, text, true, nil) == nil },
	},
	"lax-cidr": {
		noun: "a valid CIDR",
		help: "use a CIDR such as 192.0.2.0/24 or 2001:db8::/32",
		text: func(text string) bool { return validation.IsValidCIDRForLegacyField(nil, text, false, nil) == nil },
	},
	"path": {
		noun: "a path without '..'",
		help: "remove '..'",
		text: hasNoBackstep,
	},
	"absolute-path": {
		noun: "an absolute path",
		help: "start the path with '/'",
		text: path.IsAbs,
	},
	"driver-name": {
		noun: "a valid driver name",
		help: "use a domain such as csi.example.com",
		text: func(text string) bool { return isSubdomain(strings.ToLower(text)) == nil },
	},
	"canonical-cidr": {
		noun: "a canonical CIDR",
		help: "use a CIDR in its shortest form, such as 192.0.2.0/24 or 2001:db8::/32",
		text: func(text string) bool { return validation.IsValidCIDR(nil, text) == nil },
	},
	"provisioner": {
		noun: "a valid provisioner",
		help: "use a name such as csi.example.com or example.com/disk",
		text: func(text string) bool { return isQualifiedName(strings.ToLower(text)) == nil },
	},
	"iscsi-name": {
		noun: "a valid iSCSI name",
		help: "use a name such as iqn.2001-04.com.example:storage.disk1",
		text: isISCSIName,
	},
	"host-ports": {
		noun: "a valid list of hosts and ports",
		help: "use host:port pairs, separated by commas",
		text: isHostPorts,
	},
	"api-version": {
		noun: "a valid API version",
		help: "use a group and a version, such as apps/v1",
		text: func(text string) bool { return strings.Count(text, "/") < 2 },
	},
	"signer-name": {
		noun: "a valid signer name",
		help: "use a domain and a path, such as example.com/signer",
		text: isSignerName,
	},
	"resource": {
		noun: "a valid resource name",
		help: "use a resource such as cpu or memory, or one with a domain, such as example.com/gpu",
		text: isResourceName,
	},
	"quota-resource": {
		noun: "a valid resource of quotas",
		help: "use a resource such as pods or requests.cpu, or one with a domain, such as count/deployments.apps",
		text: isQuotaResourceName,
	},
	"standard-quota-resource": {
		noun: "a standard resource of quotas",
		help: "use a resource such as pods or requests.cpu",
		text: isStandardQuotaResource,
	},
	"counted-resource": {
		noun: "a counted resource",
		help: "use a resource such as pods or example.com/gpu",
		text: isCountedResource,
	},
	"certificate-request": {
		noun: "a valid certificate signing request",
		help: "use the base64 of a PEM block CERTIFICATE REQUEST",
		text: isCertificateRequest,
	},
	"webhook-url": {
		noun: "a valid URL of a webhook",
		help: "use a URL such as https://example.com/path, without a user, a query and a fragment",
		text: isWebhookURL,
	},
	"webhook-path": {
		noun: "a valid path of a webhook",
		help: "use a path such as /validate, of lowercase letters, digits, '-' and '.' between slashes",
		text: isWebhookPath,
	},
	"webhook-name": {
		noun: "a valid name of a webhook",
		help: "use a domain with at least two dots, such as policy.example.com",
		text: isWebhookName,
	},
	"group-version": {
		noun: "a valid API version",
		help: "use a group and a version, such as apps/v1",
		text: isGroupVersion,
	},
	"kind": {
		noun: "a valid kind",
		help: "use letters, digits and hyphens; start with a letter",
		text: func(text string) bool { return validation.IsDNS1035Label(strings.ToLower(text)) == nil },
	},
	"cel-identifier": {
		noun: "a valid name of a variable",
		help: "use letters, digits and '_'; do not start with a digit or use a reserved word",
		text: isCELIdentifier,
	},
	"pool-name": {
		noun: "a valid name of a pool",
		help: "use lowercase letters, digits, '-' and '.', with slashes between parts, such as node-1/gpus",
		text: isPoolName,
	},
	"attribute-name": {
		noun: "a valid name of an attribute",
		help: "use letters, digits and '_', at most 32, such as model, or a domain before it, such as gpu.example.com/model",
		text: isAttributeName,
	},
	"full-attribute-name": {
		noun: "a valid name of an attribute with a domain",
		help: "use a domain and a name, such as gpu.example.com/model",
		text: func(text string) bool { return strings.Contains(text, "/") && isAttributeName(text) },
	},
	"extended-resource": {
		noun: "a valid extended resource",
		help: "use a name with a domain other than kubernetes.io, such as example.com/gpu",
		text: isExtendedResource,
	},
	"semantic-version": {
		noun: "a valid semantic version",
		help: "use a version such as 1.2.3 or 1.2.3-rc.1",
		text: func(text string) bool { return semanticVersion().MatchString(text) },
	},
}

// none turns a function that returns what is wrong with a string into one that reports whether nothing is.
func none(faults func(string) []string) func(string) bool {
	return func(text string) bool { return len(faults(text)) == 0 }
}

// isLegacyIP reports whether a text is an IP address as fields expect it that are older than strict validation, which
// Kubernetes 1.36 introduced (apimachinery, util/validation.IsValidIPForLegacyField).
func isLegacyIP(text string, strict bool) bool {
	return len(validation.IsValidIPForLegacyField(nil, text, strict, nil)) == 0
}

// isSearchDomain reports whether a text is a search path of a DNS configuration (k8s.io/kubernetes,
// pkg/apis/core/validation.validatePodDNSConfig).
func isSearchDomain(text string) bool {
	return text == "." || validation.IsDNS1123SubdomainWithUnderscore(strings.TrimSuffix(text, ".")) == nil
}

// isRelativePath reports whether a path leads downwards (k8s.io/kubernetes,
// pkg/apis/core/validation.validateLocalDescendingPath).
func isRelativePath(text string) bool {
	return !strings.HasPrefix(text, "/") && hasNoBackstep(text)
}

func hasNoBackstep(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

// Regular expressions of upstream. They are compiled when a document first needs them.
var (
	sysctlName = sync.OnceValue(func() *regexp.Regexp {
		const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
		return regexp.MustCompile("^(" + segment + `[\./])*` + segment + "$")
	})
	netBIOSName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^\\/:\*\?"<>|\.][^\\/:\*\?"<>|]{0,14}$`)
	})
	dnsName = sync.OnceValue(func() *regexp.Regexp {
		const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
		return regexp.MustCompile("^" + label + `(?:\.` + label + ")*$")
	})
)

const longestSysctl = 253

// The limits of the two parts of a Windows user name, in bytes.
const (
	longestWindowsDomain = 255
	longestWindowsUser   = 104
)

// isWindowsUserName reports whether a text is a user name, with a domain or without (k8s.io/kubernetes,
// pkg/apis/core/validation.validateWindowsSecurityContextOptions).
func isWindowsUserName(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) { // [[:cntrl:]]
		return false
	}
	domain, user, hasDomain := strings.Cut(text, `\`)
	if !hasDomain {
		user = text
	}
	if hasDomain && (len(domain) > longestWindowsDomain ||
		!netBIOSName().MatchString(domain) && !dnsName().MatchString(domain)) {
		return false
	}
	return 0 < len(user) && len(user) <= longestWindowsUser && strings.Trim(user, ". ") != "" &&
		!strings.ContainsAny(user, `"/\:;|=,+*?<>@[]`)
}
