// Package formats checks and parses the string formats of schemas as an API server does.
//
// The formats are those of k8s.io/kube-openapi, validation/strfmt, including their oddities: a byte string must not be
// empty, and "3 days" is a duration. The package exists because upstream's compiles all its regular expressions at
// each start of the program. Here, each is compiled when it is first needed. A test compares all formats with
// upstream's.
package formats

import (
	"encoding/hex"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	netutils "k8s.io/utils/net"
)

// Check returns the function that reports whether a string has a format, or nil if there is no format with this name.
// The name has no hyphens, such as datetime.
func Check(name string) func(text string) bool {
	switch name {
	case "byte":
		return base64Text.matches
	case "date":
		return isDate
	case "datetime":
		return IsDateTime
	case "duration":
		return isDuration
	case "email":
		return isEmail
	case "k8slongname":
		return isLongName
	case "k8sshortname":
		return isShortName
	case "password":
		return func(string) bool { return true }
	case "uri":
		return isURI
	case "uuid":
		return uuid.matches
	case "uuid3":
		return uuid3.matches
	case "uuid4":
		return uuid4.matches
	case "uuid5":
		return uuid5.matches
	}
	if f := ofNetworks(name); f != nil {
		return f
	}
	return ofNumbers(name)
}

// ofNetworks returns a format of addresses.
func ofNetworks(name string) func(string) bool {
	switch name {
	case "cidr":
		return isCIDR
	case "hostname":
		return isHostname
	case "ipv4":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "mac":
		return isMAC
	}
	return nil
}

// ofNumbers returns a format that consists of digits.
func ofNumbers(name string) func(string) bool {
	switch name {
	case "bsonobjectid":
		return isObjectID
	case "creditcard":
		return isCreditCard
	case "hexcolor":
		return hexColor.matches
	case "isbn":
		return func(text string) bool { return isISBN10(text) || isISBN13(text) }
	case "isbn10":
		return isISBN10
	case "isbn13":
		return isISBN13
	case "rgbcolor":
		return rgbColor.matches
	case "ssn":
		return isSSN
	}
	return nil
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
