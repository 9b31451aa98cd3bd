// Package formats checks and parses the string formats of schemas as an API server does. A format is a row of one of
// two tables: those that CRDs have (crd.go), and those that only the kinds of Kubernetes have (kubernetes.go).
//
// The formats of CRDs are those of k8s.io/kube-openapi, validation/strfmt, including their oddities: a byte string must not be
// empty, and "3 days" is a duration. The package exists because upstream's compiles all its regular expressions at
// each start of the program. Here, each is compiled when it is first needed. A test compares them with
// upstream's. The formats of Kubernetes follow its validation code; names have a format of their own ([Name]).
//
// Decide anew if upstream compiles an expression when it is first needed.
package formats

import (
	"encoding/hex"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	netutils "k8s.io/utils/net"
)

// Format is a string format.
type Format struct {
	Name string
	// Noun is what a string of the format is, for messages, with an article: "a valid IPv4 address".
	Noun string
	// Help is what to write instead of another string. It may be empty.
	Help string
	// Check reports whether a string has the format.
	Check func(text string) bool
	// Since is the first minor version of Kubernetes 1 that enforces it for CRDs; 0 if all supported versions do.
	Since int
}

// ForCRDs returns the format that an API server enforces for CRDs under a name. Hyphens in the name do not matter:
// date-time is datetime.
func ForCRDs(name string) (*Format, bool) {
	f, ok := crdIndex()[strings.ReplaceAll(name, "-", "")]
	return f, ok
}

// ForKubernetes returns the format that a name stands for in a kind of Kubernetes: one of its own, or otherwise one of
// CRDs.
func ForKubernetes(name string) (*Format, bool) {
	if f, ok := kubernetesIndex()[name]; ok {
		return f, true
	}
	return ForCRDs(name)
}

// The formats by name. They are indexed when a schema first names one.
var (
	crdIndex        = sync.OnceValue(func() map[string]*Format { return indexOf(ofCRDs) })
	kubernetesIndex = sync.OnceValue(func() map[string]*Format { return indexOf(ofKubernetes) })
)

func indexOf(table []Format) map[string]*Format {
	index := make(map[string]*Format, len(table))
	for i := range table {
		index[table[i].Name] = &table[i]
	}
	return index
}

func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address != ""
}

func isURI(text string) bool {
	_, err := url.ParseRequestURI(text)
	return err == nil
}

func isShortName(text string) bool { return len(text) <= 63 && shortName.matches(text) }

func isLongName(text string) bool { return len(text) <= 253 && longName.matches(text) }

func isCIDR(text string) bool {
	_, _, err := netutils.ParseCIDRSloppy(text) // which allows leading zeros
	return err == nil
}

func isIPv4(text string) bool {
	return netutils.ParseIPSloppy(text) != nil && strings.Contains(text, ".")
}

func isIPv6(text string) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && a.Zone() == "" && strings.Contains(text, ":")
}

// isMAC reports whether a text is a hardware address of 6, 8 or 20 bytes (net.ParseMAC).
func isMAC(text string) bool {
	for _, form := range []struct {
		separator string
		digits    int // of a group
		groups    []int
	}{{":", 2, []int{6, 8, 20}}, {"-", 2, []int{6, 8, 20}}, {".", 4, []int{3, 4, 10}}} {
		if slices.Contains(form.groups, strings.Count(text, form.separator)+1) {
			isOther := func(group string) bool { return len(group) != form.digits || !isHex(group) }
			return !slices.ContainsFunc(strings.Split(text, form.separator), isOther)
		}
	}
	return slices.Contains([]int{12, 16, 40}, len(text)) && isHex(text)
}

func isHex(text string) bool { return strings.Trim(text, "0123456789abcdefABCDEF") == "" }

// isHostname reports whether a text is a hostname. Its labels have at most 63 bytes.
func isHostname(text string) bool {
	if len(text) > 255 || !hostname.matches(text) {
		return false
	}
	for label := range strings.SplitSeq(text, ".") {
		if len(label) > 63 {
			return false
		}
	}
	return true
}

// isObjectID reports whether a text has 24 hexadecimal digits.
func isObjectID(text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && len(b) == 12
}
