package formats

import (
	"regexp"
	"strings"
	"sync"
)

// Regular expressions of upstream. They are compiled when a document first needs them.
var (
	netBIOSName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^\\/:\*\?"<>|\.][^\\/:\*\?"<>|]{0,14}$`)
	})
	dnsName = sync.OnceValue(func() *regexp.Regexp {
		const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
		return regexp.MustCompile("^" + label + `(?:\.` + label + ")*$")
	})
)

// The limits of the two parts of a Windows user name, in bytes (k8s.io/kubernetes, pkg/apis/core/validation,
// maxRunAsUserNameDomainLength, which is one more, and maxRunAsUserNameUserLength).
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
