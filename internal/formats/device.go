package formats

import (
	"regexp"
	"strings"
	"sync"
)

// Names of devices and of their attributes (k8s.io/kubernetes, pkg/apis/resource/validation).

// longestDriver and longestAttribute are the maximum lengths of the two parts of an attribute name.
const (
	longestDriver    = 63
	longestAttribute = 32
)

// isDriverName is validateDriverName.
func isDriverName(text string) bool {
	return len(text) <= longestDriver && CheckSubdomain(strings.ToLower(text)) == nil
}

// isPoolName is validatePoolName.
func isPoolName(text string) bool {
	if len(text) > 253 {
		return false
	}
	for part := range strings.SplitSeq(text, "/") {
		if CheckSubdomain(part) != nil {
			return false
		}
	}
	return true
}

// isAttributeName is validateQualifiedName, which does not check names with several slashes.
func isAttributeName(text string) bool {
	domain, name, found := strings.Cut(text, "/")
	switch {
	case !found:
		return isAttribute(text)
	case strings.Contains(name, "/"):
		return true
	}
	return isDriverName(domain) && isAttribute(name)
}

// isAttribute is validateCIdentifier.
func isAttribute(text string) bool {
	return text != "" && len(text) <= longestAttribute && !isDigit(text[0]) && !strings.ContainsFunc(text, isNoWordRune)
}

func isNoWordRune(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// semanticVersion is semverRe.
var semanticVersion = sync.OnceValue(func() *regexp.Regexp {
	const number, before, build = `(0|[1-9]\d*)`, `(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`, `[0-9a-zA-Z-]+`
	return regexp.MustCompile(`^` + number + `\.` + number + `\.` + number +
		`(-` + before + `(\.` + before + `)*)?` + `(\+` + build + `(\.` + build + `)*)?$`)
})
