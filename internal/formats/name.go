package schema

import (
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Upstream's own code validates the names in metadata. Its regular expressions would take more time than everything
// else that a document needs, so names that are certainly valid are recognized here first.

// NameFormat is the format of the names of a kind.
type NameFormat string

// The formats of names. The zero value is the same as DNSSubdomain.
const (
	DNSSubdomain NameFormat = "dns-subdomain"
	DNSLabel     NameFormat = "dns-label"
	DNS1035Label NameFormat = "dns-1035-label"
	PathSegment  NameFormat = "path-segment"
	IPName       NameFormat = "ip"
	// AnyName means that nothing in the metadata is validated, as that of reviews.
	AnyName NameFormat = "any"
)

// ParseNameFormat returns the format with a name. It returns false if there is none.
func ParseNameFormat(name string) (NameFormat, bool) {
	f := NameFormat(name)
	return f, slices.Contains([]NameFormat{DNSSubdomain, DNSLabel, DNS1035Label, PathSegment, IPName, AnyName}, f)
}

// faults returns what is wrong with a name. If isPrefix is set, it is a generateName, which may end in a dash. The
// server then does not look at the character before the dash either (apimachinery, api/validation.maskTrailingDash).
func (f NameFormat) faults(name string, isPrefix bool) []string {
	switch {
	case f == IPName:
		return isIPName(name)
	case f == PathSegment && isPrefix:
		return isPathSegment(strings.TrimLeft(name, "."))
	case f == PathSegment:
		return isPathSegment(name)
	}
	if isPrefix && strings.HasSuffix(name, "-") && len(name) > 1 {
		name = name[:len(name)-2] + "a"
	}
	switch f {
	case DNSLabel:
		return isDNSLabel(name)
	case DNS1035Label:
		return validation.IsDNS1035Label(name)
	}
	return isSubdomain(name)
}

// isSubdomain returns what is wrong with the name of an object, which must consist of lower-case words with dashes,
// joined by dots.
func isSubdomain(name string) []string {
	if len(name) <= validation.DNS1123SubdomainMaxLength && isLowerWords(name) {
		return nil
	}
	return validation.IsDNS1123Subdomain(name)
}

// isDNSLabel returns what is wrong with the name of a namespace, which must be a lower-case word with dashes.
func isDNSLabel(name string) []string {
	if len(name) <= validation.DNS1123LabelMaxLength && lowerWord.holdsAll(name) && isLowerWords(name) {
		return nil
	}
	return validation.IsDNS1123Label(name)
}

// isIPName returns what is wrong with a name that must be an IP address (k8s.io/kubernetes,
// pkg/apis/networking/validation.ValidateIPAddressName).
func isIPName(name string) []string {
	ip, err := netip.ParseAddr(name)
	switch {
	case err != nil:
		return []string{"use an IP address such as 192.0.2.1 or 2001:db8::1"}
	case ip.String() != name:
		return []string{"use the canonical form " + ip.String()}
	}
	return nil
}

// isQualifiedName returns what is wrong with the key of a label or annotation, which must be a name with an optional
// subdomain before it.
func isQualifiedName(key string) []string {
	prefix, name, both := strings.Cut(key, "/")
	if !both {
		name = key
	}
	if isLabelName(name) && (!both || prefix != "" && isSubdomain(prefix) == nil) {
		return nil
	}
	return validation.IsQualifiedName(key)
}

// isLabelValue returns what is wrong with the value of a label, which may be empty.
func isLabelValue(value string) []string {
	if value == "" || isLabelName(value) {
		return nil
	}
	return validation.IsValidLabelValue(value)
}

// isPathSegment returns what is wrong with the name of an embedded resource or of one that exists
// (k8s.io/apimachinery, api/validate/content.IsPathSegmentName).
func isPathSegment(name string) []string {
	switch {
	case name == "." || name == "..":
		return []string{"must not be " + name}
	case strings.ContainsAny(name, "/%"):
		return []string{"must not contain / or %"}
	}
	return nil
}

// isPathSegmentPrefix is isPathSegment for a name to which more is added.
func isPathSegmentPrefix(name string) []string { return isPathSegment(strings.TrimLeft(name, ".")) }

// isLowerWords reports whether a text consists of words of lowercase letters, digits and dashes, joined by dots.
// Letters or digits must be at both ends and on both sides of each dot. It has no branch for each byte.
func isLowerWords(text string) bool {
	last, most := isDot, uint8(0)
	for i := range len(text) {
		next := bytesOfWords[text[i]]
		most = max(most, last+next)
		last = next
	}
	return most < isDot+isDash && last == 0
}

// The bytes of lower-case words joined by dots have one of these values, or 0. Two neighbors with a sum of at least
// isDot+isDash are not valid.
const (
	isDash uint8 = 1 + iota
	isDot
	isOther
)

var bytesOfWords = func() (values [256]uint8) {
	for c := range values {
		switch {
		case c == '-':
			values[c] = isDash
		case c == '.':
			values[c] = isDot
		case !lowerWord.has(byte(c)):
			values[c] = isOther
		}
	}
	return values
}()

// isLabelName reports whether a text consists of at most 63 letters, digits, dashes, underscores and dots, with
// letters or digits at both ends.
func isLabelName(text string) bool {
	return text != "" && len(text) <= validation.LabelValueMaxLength && isAlphanumeric(text[0]) &&
		isAlphanumeric(text[len(text)-1]) &&
		labelName.holdsAll(text)
}

// byteSet is a set of bytes.
type byteSet [4]uint64

const (
	digits  = (1<<10 - 1) << '0'
	letters = 1<<26 - 1
)

// lowerWord and labelName are the bytes of a word in lower case, and those of the name of a label.
var (
	lowerWord = byteSet{1<<'-' | digits, letters << ('a' - 64)}
	labelName = byteSet{1<<'-' | 1<<'.' | digits, letters<<('A'-64) | 1<<('_'-64) | letters<<('a'-64)}
)

func (s *byteSet) has(c byte) bool { return s[c/64]>>(c%64)&1 != 0 }

// holdsAll reports whether all bytes of a text are in the set. It has no branch for each byte.
func (s *byteSet) holdsAll(text string) bool {
	all := uint64(1)
	for i := range len(text) {
		all &= s[text[i]/64] >> (text[i] % 64)
	}
	return all != 0
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
