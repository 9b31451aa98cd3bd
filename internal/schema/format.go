package schema

import (
	"strings"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// format is a format that the API server enforces; the zero value is none.
type format struct {
	// name is as the schema writes it.
	name string
	// text is set for a format of strings, nil for one of numbers.
	text func(string) bool
	help string
}

// textFormats are the formats of strings that kube-apiserver 1.36 enforces (apiextensions-apiserver, supportedVersionedFormats), by
// their names without dashes. All others are ignored, as the server ignores them.
var textFormats = map[string]string{
	"bsonobjectid": "write 24 hexadecimal digits",
	"uri":          "write a URI, as https://example.com/path",
	"email":        "write an e-mail address, as name@example.com",
	"hostname":     "write a host name, as app.example.com",
	"ipv4":         "write an IPv4 address, as 192.0.2.1",
	"ipv6":         "write an IPv6 address, as 2001:db8::1",
	"cidr":         "write an address block, as 192.0.2.0/24 or 2001:db8::/32",
	"mac":          "write a MAC address, as 00:00:5e:00:53:01",
	"uuid":         "write a UUID, as 123e4567-e89b-12d3-a456-426614174000",
	"uuid3":        "write a version 3 UUID",
	"uuid4":        "write a version 4 UUID",
	"uuid5":        "write a version 5 UUID",
	"isbn":         "write an ISBN of 10 or 13 digits",
	"isbn10":       "write an ISBN of 10 digits",
	"isbn13":       "write an ISBN of 13 digits",
	"creditcard":   "write a credit card number",
	"ssn":          "write a social security number, as 123-45-6789",
	"hexcolor":     "write a colour, as #ff8800",
	"rgbcolor":     "write a colour, as rgb(255,136,0)",
	"byte":         "write base64 with its padding; an empty string is none",
	"password":     "",
	"date":         "write a date, as 2006-01-02",
	"duration":     "write a duration, as 90s or 1h30m",
	"datetime":     "write a date and time with a zone, as 2006-01-02T15:04:05Z",
	"k8sshortname": "use lower-case letters, digits and dashes, at most 63, with a letter or digit at both ends",
	"k8slongname":  "use lower-case letters, digits, dashes and dots, at most 253, with a letter or digit at both ends",
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

// textFormatOf returns the format of strings of that name.
func textFormatOf(declared string) format {
	name := strings.ReplaceAll(declared, "-", "")
	help, ok := textFormats[name]
	if !ok {
		return format{}
	}
	return format{name: declared, text: validates(name), help: help}
}

// validates returns the server's own check of a format, lax as it is.
func validates(name string) func(string) bool {
	switch name {
	case "datetime":
		return func(text string) bool { return isUTC(text) || strfmt.IsDateTime(text) }
	case "date":
		return strfmt.IsDate
	case "duration":
		return strfmt.IsDuration
	}
	return func(text string) bool { return strfmt.Default.Validates(name, text) }
}

// isUTC says whether a text is certainly a date and time: one of a day that all months have, in the zone Z. Upstream's regular expression
// would take more time than all else about an event.
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
