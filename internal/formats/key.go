package formats

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
)

// The functions here accept what functions of upstream accept whose regular expressions would take more time than
// everything else about a document: a key of a ConfigMap takes 43 ns instead of 540.

// isConfigKey reports whether a text is a key of a ConfigMap or Secret (apimachinery, util/validation.IsConfigMapKey).
func isConfigKey(text string) bool {
	return text != "" && len(text) <= validation.DNS1123SubdomainMaxLength && text != "." &&
		!strings.HasPrefix(text, "..") && containsOnly(text, "-._")
}

// isEnvVarName reports whether a text is the name of an environment variable (apimachinery,
// util/validation.IsRelaxedEnvVarName).
func isEnvVarName(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '=' {
			return false
		}
	}
	return text != ""
}

// isPortName reports whether a text is the name of a port (apimachinery, util/validation.IsValidPortName).
func isPortName(text string) bool {
	return text != "" && len(text) <= 15 && strings.ToLower(text) == text && containsOnly(text, "-") &&
		strings.ContainsFunc(text, func(r rune) bool { return 'a' <= r && r <= 'z' }) &&
		!strings.Contains(text, "--") && text[0] != '-' && text[len(text)-1] != '-'
}

// containsOnly reports whether a text consists of ASCII letters, digits and some other characters.
func containsOnly(text, others string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || !isAlphanumeric(c) && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

// isPodMetadataKey reports whether a text is a field path such as metadata.labels['app'] (k8s.io/kubernetes,
// pkg/apis/core/validation.validateObjectFieldSelector, pkg/fieldpath.SplitMaybeSubscriptedPath).
func isPodMetadataKey(text string) bool {
	text, ok := strings.CutSuffix(text, "']")
	path, key, both := strings.Cut(text, "['")
	switch {
	case !ok || !both:
		return false
	case path == "metadata.annotations":
		return CheckQualifiedName(strings.ToLower(key)) == nil
	}
	return path == "metadata.labels" && CheckQualifiedName(key) == nil
}

// longestSysctl is the maximum length of the name of a sysctl (k8s.io/kubernetes,
// pkg/apis/core/validation.SysctlMaxLength).
const longestSysctl = 253

// sysctlName is SysctlContainSlashRegexp of k8s.io/kubernetes, pkg/apis/core/validation.
var sysctlName = sync.OnceValue(func() *regexp.Regexp {
	const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
	return regexp.MustCompile("^(" + segment + `[\./])*` + segment + "$")
})
