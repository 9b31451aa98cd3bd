package schema

import (
	"strings"

	"github.com/kindvet/kindvet/internal/formats"
)

// format is a format that the API server enforces. The zero value means no format.
type format struct {
	// name is spelled as in the schema.
	name string
	// text checks a string. It is nil for a format of numbers.
	text func(string) bool
	help string
}

// textFormats are the string formats that kube-apiserver 1.36 enforces (apiextensions-apiserver,
// supportedVersionedFormats), by name without dashes. All others are ignored, as the server does.
var textFormats = map[string]string{
	"bsonobjectid": "use 24 hexadecimal digits",
	"uri":          "use a URI such as https://example.com/path",
	"email":        "use an email address such as name@example.com",
	"hostname":     "use a hostname such as app.example.com",
	"ipv4":         "use an IPv4 address such as 192.0.2.1",
	"ipv6":         "use an IPv6 address such as 2001:db8::1",
	"cidr":         "use a CIDR such as 192.0.2.0/24 or 2001:db8::/32",
	"mac":          "use a MAC address such as 00:00:5e:00:53:01",
	"uuid":         "use a UUID such as 123e4567-e89b-12d3-a456-426614174000",
	"uuid3":        "use a version 3 UUID",
	"uuid4":        "use a version 4 UUID",
	"uuid5":        "use a version 5 UUID",
	"isbn":         "use an ISBN of 10 or 13 digits",
	"isbn10":       "use an ISBN of 10 digits",
	"isbn13":       "use an ISBN of 13 digits",
	"creditcard":   "use a credit card number",
	"ssn":          "use a social security number such as 123-45-6789",
	"hexcolor":     "use a color such as #ff8800",
	"rgbcolor":     "use a color such as rgb(255,136,0)",
	"byte":         "use base64 with padding; the string must not be empty",
	"password":     "",
	"date":         "use a date such as 2006-01-02",
	"duration":     "use a duration such as 90s or 1h30m",
	"datetime":     "use a date and time with a time zone, such as 2006-01-02T15:04:05Z",
	"k8sshortname": "use at most 63 lowercase letters, digits and hyphens; start and end with a letter or digit",
	"k8slongname":  "use at most 253 lowercase letters, digits, hyphens and dots; start and end with a letter or digit",
}

// formatNouns describe the values of formats whose names say little. Each includes an article.
var formatNouns = map[string]string{
	"bsonobjectid": "a valid BSON object ID",
	"uri":          "a valid URI",
	"email":        "a valid email address",
	"hostname":     "a valid hostname",
	"ipv4":         "a valid IPv4 address",
	"ipv6":         "a valid IPv6 address",
	"cidr":         "a valid CIDR",
	"mac":          "a valid MAC address",
	"uuid":         "a valid UUID",
	"uuid3":        "a valid version 3 UUID",
	"uuid4":        "a valid version 4 UUID",
	"uuid5":        "a valid version 5 UUID",
	"isbn":         "a valid ISBN",
	"isbn10":       "a valid ISBN of 10 digits",
	"isbn13":       "a valid ISBN of 13 digits",
	"creditcard":   "a valid credit card number",
	"ssn":          "a valid social security number",
	"hexcolor":     "a valid hexadecimal color",
	"rgbcolor":     "a valid RGB color",
	"byte":         "valid base64",
	"datetime":     "a valid date and time",
	"k8sshortname": "a valid short name",
	"k8slongname":  "a valid long name",
}

// formatNoun returns what a value of a format is, for messages, such as "a valid IPv4 address".
func formatNoun(declared string) string {
	if of, ok := nativeFormats[declared]; ok {
		return of.noun
	}
	if noun, ok := formatNouns[strings.ReplaceAll(declared, "-", "")]; ok {
		return noun
	}
	return "a valid " + declared
}

// formatOf returns the format that is enforced for a schema (apiextensions-apiserver,
// StripUnsupportedFormatsPostProcessorForVersion).
func formatOf(s *Schema) format {
	switch {
	case s.Format == "":
	case s.Type == "integer" && !s.IntOrString:
		if s.Format == "int32" || s.Format == "int64" {
			return format{name: s.Format}
		}
	case s.Type == "number" && !s.IntOrString:
		if s.Format == "float" || s.Format == "double" {
			return format{name: s.Format}
		}
	case s.Type == "string" || s.Type == "" || s.IntOrString:
		return textFormatOf(s.Format)
	}
	return format{}
}

// textFormatOf returns the string format with that name.
func textFormatOf(declared string) format {
	name := strings.ReplaceAll(declared, "-", "")
	help, ok := textFormats[name]
	if !ok {
		return format{}
	}
	return format{name: declared, text: validates(name), help: help}
}

// nativeFormatOf returns the format of a string of a kind of Kubernetes.
func nativeFormatOf(s *Schema) format {
	if of, ok := nativeFormats[s.Format]; ok && (s.Type == "string" || s.IntOrString) {
		return format{name: s.Format, text: of.text, help: of.help}
	}
	return formatOf(s)
}

// validates returns the server's own check of a format, which may be lax.
func validates(name string) func(string) bool {
	if name == "datetime" {
		return func(text string) bool { return isUTC(text) || formats.IsDateTime(text) }
	}
	return formats.Check(name)
}

// isUTC reports whether a text is certainly a date and time. It recognizes only days that exist in every month, in the
// zone Z. Upstream's regular expression would take more time than everything else about an event.
func isUTC(text string) bool {
	const shape = "0000-00-00T00:00:00"
	if len(text) <= len(shape) {
		return false
	}
	for i := range len(shape) {
		if c := text[i]; c != shape[i] && (shape[i] != '0' || !isDigit(c)) {
			return false
		}
	}
	rest := text[len(shape):]
	if rest[0] == '.' && len(rest) > 2 && isDigit(rest[1]) {
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	return rest == "Z" && "01" <= text[5:7] && text[5:7] <= "12" && "01" <= text[8:10] && text[8:10] <= "28" &&
		text[11:13] <= "23" && text[14:16] <= "59" && text[17:19] <= "59"
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
