package formats

import (
	"encoding/base64"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ofKubernetes are the string formats that only the kinds of Kubernetes have. Overlays name them.
var ofKubernetes = []Format{
	{
		Name:  "qualified-name",
		Noun:  "a valid qualified name",
		Help:  "use at most 63 letters, digits, '-', '_' and '.', such as app, or put a domain and '/' before it, such as example.com/app",
		Check: func(text string) bool { return CheckQualifiedName(text) == nil },
	},
	{
		Name:  "label-value",
		Noun:  "a valid label value",
		Help:  "use at most 63 letters, digits, '-', '_' and '.'; start and end with a letter or digit",
		Check: func(text string) bool { return CheckLabelValue(text) == nil },
	},
	{
		Name:  "ip",
		Noun:  "a valid IP address",
		Help:  "use an IP address such as 192.0.2.1 or 2001:db8::1, without leading zeros",
		Check: func(text string) bool { return isLegacyIP(text, true) },
	},
	{
		Name:  "lax-ip",
		Noun:  "a valid IP address",
		Help:  "use an IP address such as 192.0.2.1 or 2001:db8::1",
		Check: func(text string) bool { return isLegacyIP(text, false) },
	},
	{
		Name:  "dns-label",
		Noun:  "a valid DNS label",
		Help:  "use at most 63 lowercase letters, digits and '-'; start and end with a letter or digit",
		Check: func(text string) bool { return CheckDNSLabel(text) == nil },
	},
	{
		Name:  "dns-subdomain",
		Noun:  "a valid DNS subdomain",
		Help:  "use at most 253 lowercase letters, digits, '-' and '.'; start and end with a letter or digit",
		Check: func(text string) bool { return CheckSubdomain(text) == nil },
	},
	{
		Name:  "wildcard-host",
		Noun:  "a valid hostname",
		Help:  "use a hostname such as app.example.com or *.example.com",
		Check: isWildcardHost,
	},
	{
		Name:  "domain-path",
		Noun:  "a valid path with a domain",
		Help:  "use a domain and a path, such as example.com/name",
		Check: isDomainPath,
	},
	{
		Name:  "integer",
		Noun:  "an integer",
		Help:  "use an integer of at most 64 bits",
		Check: isInteger,
	},
	{
		Name:  "json-object",
		Noun:  "a JSON object",
		Help:  "use a JSON object",
		Check: func(text string) bool { return isJSONObject([]byte(text)) },
	},
	{
		Name: "base64-json-object",
		Noun: "a JSON object in base64",
		Help: "use the base64 of a JSON object",
		Check: func(text string) bool {
			decoded, err := base64.StdEncoding.DecodeString(text)
			return err == nil && isJSONObject(decoded)
		},
	},
	{
		Name:  "percent",
		Noun:  "a valid percentage",
		Help:  "use an integer, or digits and '%' such as 25%",
		Check: func(text string) bool { return validation.IsValidPercent(text) == nil },
	},
	{
		Name:  "cron-schedule",
		Noun:  "a valid cron schedule",
		Help:  `use minute, hour, day of month, month and day of week, such as "*/5 * * * *", or a name such as @daily`,
		Check: isCronSchedule,
	},
	{
		Name:  "time-zone",
		Noun:  "a known time zone",
		Help:  "use a name of the time zone database, such as Europe/Berlin",
		Check: isTimeZone,
	},
	{
		Name:  "search-domain",
		Noun:  "a valid search domain",
		Help:  "use a domain such as example.com, or a single dot",
		Check: isSearchDomain,
	},
	{
		Name:  "relative-path",
		Noun:  "a valid relative path",
		Help:  "use a path that does not start with '/' and has no '..'",
		Check: isRelativePath,
	},
	{
		Name:  "unreserved-path",
		Noun:  "a valid relative path",
		Help:  "use a path that does not start with '/' or '..' and has no '..'",
		Check: func(text string) bool { return isRelativePath(text) && !strings.HasPrefix(text, "..") },
	},
	{
		Name:  "path-segment",
		Noun:  "a valid name",
		Help:  "use a name without '/' and '%' that is not '.' or '..'",
		Check: func(text string) bool { return CheckPathSegment(text) == nil },
	},
	{
		Name:  "subdomain-prefix",
		Noun:  "a valid long name",
		Help:  helpForLongNames,
		Check: func(text string) bool { return DNSSubdomain.Check(text, true) == nil },
	},
	{
		Name:  "config-key",
		Noun:  "a valid key",
		Help:  "use at most 253 letters, digits, '-', '_' and '.'; do not start with '..'",
		Check: isConfigKey,
	},
	{
		Name:  "env-var-name",
		Noun:  "a valid name of an environment variable",
		Help:  "use printable ASCII characters other than '='",
		Check: isEnvVarName,
	},
	{
		Name:  "container-resource",
		Noun:  "a resource of containers",
		Help:  "use cpu, memory, ephemeral-storage, hugepages-SIZE or a name with a domain, such as example.com/gpu",
		Check: isContainerResource,
	},
	{
		Name:  "pod-metadata-key",
		Noun:  "a key of the labels or annotations",
		Help:  "use metadata.labels['KEY'] or metadata.annotations['KEY']",
		Check: isPodMetadataKey,
	},
	{
		Name:  "port-name",
		Noun:  "a valid port name",
		Help:  "use at most 15 lowercase letters, digits and single hyphens between them, with at least one letter",
		Check: isPortName,
	},
	{
		Name:  "http-header-name",
		Noun:  "a valid name of an HTTP header",
		Help:  "use letters, digits and hyphens, such as X-Header-Name",
		Check: func(text string) bool { return text != "" && containsOnly(text, "-") },
	},
	{
		Name:  "sysctl",
		Noun:  "a valid sysctl name",
		Help:  "use at most 253 lowercase letters, digits, '-' and '_' in words joined by '.' or '/'",
		Check: func(text string) bool { return len(text) <= longestSysctl && sysctlName().MatchString(text) },
	},
	{
		Name:  "deprecated-node-label",
		Noun:  "a deprecated label of nodes",
		Help:  "use a label such as kubernetes.io/os or topology.kubernetes.io/zone",
		Check: isDeprecatedNodeLabel,
	},
	{
		Name:  "seccomp-annotation",
		Noun:  "a valid seccomp profile",
		Help:  "use runtime/default, unconfined, or localhost/ and a relative path",
		Check: isSeccompAnnotation,
	},
	{
		Name: "apparmor-annotation",
		Noun: "a valid AppArmor profile",
		Help: "use runtime/default, unconfined, or localhost/ and the name of a profile",
		Check: func(text string) bool {
			return text == "" || text == "runtime/default" || text == "unconfined" || strings.HasPrefix(text, "localhost/")
		},
	},
	{
		Name:  "deletion-cost",
		Noun:  "a valid deletion cost",
		Help:  "use a 32-bit integer without leading zeros",
		Check: isDeletionCost,
	},
	{
		Name:  "tolerations-annotation",
		Noun:  "a valid list of tolerations",
		Help:  "use the field tolerations",
		Check: isTolerations,
	},
	{
		Name:  "windows-user-name",
		Noun:  "a valid Windows user name",
		Help:  `use a name such as ContainerUser or DOMAIN\user, without any of "/\:;|=,+*?<>@[]`,
		Check: isWindowsUserName,
	},
	{
		Name:  "dns-1035-label",
		Noun:  "a valid DNS label",
		Help:  "use at most 63 lowercase letters, digits and hyphens; start with a letter",
		Check: func(text string) bool { return CheckDNS1035Label(text) == nil },
	},
	{
		Name:  "domain",
		Noun:  "a valid domain",
		Help:  "use a domain with at least one dot, such as app.example.com",
		Check: func(text string) bool { return validation.IsFullyQualifiedDomainName(nil, text) == nil },
	},
	{
		Name:  "canonical-ip",
		Noun:  "a canonical IP address",
		Help:  "use an IP address in its shortest form, such as 192.0.2.1 or 2001:db8::1",
		Check: func(text string) bool { return validation.IsValidIP(nil, text) == nil },
	},
	{
		Name:  "endpoint-ip",
		Noun:  "a valid address of an endpoint",
		Help:  "use an address that is not unspecified, loopback or link-local",
		Check: isEndpointIP,
	},
	{
		Name:  "strict-cidr",
		Noun:  "a valid CIDR",
		Help:  "use a CIDR such as 192.0.2.0/24 or 2001:db8::/32",
		Check: func(text string) bool { return validation.IsValidCIDRForLegacyField(nil, text, true, nil) == nil },
	},
	{
		Name:  "lax-cidr",
		Noun:  "a valid CIDR",
		Help:  "use a CIDR such as 192.0.2.0/24 or 2001:db8::/32",
		Check: func(text string) bool { return validation.IsValidCIDRForLegacyField(nil, text, false, nil) == nil },
	},
	{
		Name:  "path",
		Noun:  "a path without '..'",
		Help:  "remove '..'",
		Check: hasNoBackstep,
	},
	{
		Name:  "absolute-path",
		Noun:  "an absolute path",
		Help:  "start the path with '/'",
		Check: path.IsAbs,
	},
	{
		Name:  "driver-name",
		Noun:  "a valid driver name",
		Help:  "use a domain such as csi.example.com",
		Check: func(text string) bool { return CheckSubdomain(strings.ToLower(text)) == nil },
	},
	{
		Name:  "canonical-cidr",
		Noun:  "a canonical CIDR",
		Help:  "use a CIDR in its shortest form, such as 192.0.2.0/24 or 2001:db8::/32",
		Check: func(text string) bool { return validation.IsValidCIDR(nil, text) == nil },
	},
	{
		Name:  "provisioner",
		Noun:  "a valid provisioner",
		Help:  "use a name such as csi.example.com or example.com/disk",
		Check: func(text string) bool { return CheckQualifiedName(strings.ToLower(text)) == nil },
	},
	{
		Name:  "iscsi-name",
		Noun:  "a valid iSCSI name",
		Help:  "use a name such as iqn.2001-04.com.example:storage.disk1",
		Check: isISCSIName,
	},
	{
		Name:  "host-ports",
		Noun:  "a valid list of hosts and ports",
		Help:  "use host:port pairs, separated by commas",
		Check: isHostPorts,
	},
	{
		Name:  "api-version",
		Noun:  "a valid API version",
		Help:  "use a group and a version, such as apps/v1",
		Check: func(text string) bool { return strings.Count(text, "/") < 2 },
	},
	{
		Name:  "signer-name",
		Noun:  "a valid signer name",
		Help:  "use a domain and a path, such as example.com/signer",
		Check: isSignerName,
	},
	{
		Name:  "resource",
		Noun:  "a valid resource name",
		Help:  "use a resource such as cpu or memory, or one with a domain, such as example.com/gpu",
		Check: isResourceName,
	},
	{
		Name:  "quota-resource",
		Noun:  "a valid resource of quotas",
		Help:  "use a resource such as pods or requests.cpu, or one with a domain, such as count/deployments.apps",
		Check: isQuotaResourceName,
	},
	{
		Name:  "standard-quota-resource",
		Noun:  "a standard resource of quotas",
		Help:  "use a resource such as pods or requests.cpu",
		Check: isStandardQuotaResource,
	},
	{
		Name:  "counted-resource",
		Noun:  "a counted resource",
		Help:  "use a resource such as pods or example.com/gpu",
		Check: isCountedResource,
	},
	{
		Name:  "pod-certificate-request",
		Noun:  "a valid certificate signing request of a pod",
		Help:  "use the base64 of a signed PKCS#10 request in DER format",
		Check: isPodCertificateRequest,
	},
	{
		Name:  "trust-bundle",
		Noun:  "a valid bundle of certificates",
		Help:  "use the certificates of authorities in PEM format, each of them once",
		Check: isTrustBundle,
	},
	{
		Name:  "certificate-request",
		Noun:  "a valid certificate signing request",
		Help:  "use the base64 of a PEM block CERTIFICATE REQUEST",
		Check: isCertificateRequest,
	},
	{
		Name:  "webhook-url",
		Noun:  "a valid URL of a webhook",
		Help:  "use a URL such as https://example.com/path, without a user, a query and a fragment",
		Check: isWebhookURL,
	},
	{
		Name:  "webhook-path",
		Noun:  "a valid path of a webhook",
		Help:  "use a path such as /validate, of lowercase letters, digits, '-' and '.' between slashes",
		Check: isWebhookPath,
	},
	{
		Name:  "webhook-name",
		Noun:  "a valid name of a webhook",
		Help:  "use a domain with at least two dots, such as policy.example.com",
		Check: isWebhookName,
	},
	{
		Name:  "group-version",
		Noun:  "a valid API version",
		Help:  "use a group and a version, such as apps/v1",
		Check: isGroupVersion,
	},
	{
		Name:  "kind",
		Noun:  "a valid kind",
		Help:  "use letters, digits and hyphens; start with a letter",
		Check: func(text string) bool { return CheckDNS1035Label(strings.ToLower(text)) == nil },
	},
	{
		Name:  "cel-identifier",
		Noun:  "a valid name of a variable",
		Help:  "use letters, digits and '_'; do not start with a digit or use a reserved word",
		Check: isCELIdentifier,
	},
	{
		Name:  "pool-name",
		Noun:  "a valid name of a pool",
		Help:  "use lowercase letters, digits, '-' and '.', with slashes between parts, such as node-1/gpus",
		Check: isPoolName,
	},
	{
		Name:  "attribute-name",
		Noun:  "a valid name of an attribute",
		Help:  "use letters, digits and '_', at most 32, such as model, or a domain before it, such as gpu.example.com/model",
		Check: isAttributeName,
	},
	{
		Name:  "full-attribute-name",
		Noun:  "a valid name of an attribute with a domain",
		Help:  "use a domain and a name, such as gpu.example.com/model",
		Check: func(text string) bool { return strings.Contains(text, "/") && isAttributeName(text) },
	},
	{
		Name:  "extended-resource",
		Noun:  "a valid extended resource",
		Help:  "use a name with a domain other than kubernetes.io, such as example.com/gpu",
		Check: isExtendedResource,
	},
	{
		Name:  "semantic-version",
		Noun:  "a valid semantic version",
		Help:  "use a version such as 1.2.3 or 1.2.3-rc.1",
		Check: func(text string) bool { return semanticVersion().MatchString(text) },
	},
}
