package formats

// ofCRDs are the string formats that an API server enforces for CRDs (apiextensions-apiserver,
// supportedVersionedFormats). It ignores all others. Names are without hyphens.
var ofCRDs = []Format{
	{
		Name:  "bsonobjectid",
		Noun:  "a valid BSON object ID",
		Help:  "use 24 hexadecimal digits",
		Check: isObjectID,
	},
	{
		Name:  "byte",
		Noun:  "valid base64",
		Help:  "use base64 with padding; the string must not be empty",
		Check: func(text string) bool { return base64Text.matches(text) },
	},
	{
		Name:  "cidr",
		Noun:  "a valid CIDR",
		Help:  "use a CIDR such as 192.0.2.0/24 or 2001:db8::/32",
		Check: isCIDR,
	},
	{
		Name:  "creditcard",
		Noun:  "a valid credit card number",
		Help:  "use a credit card number",
		Check: isCreditCard,
	},
	{
		Name:  "date",
		Noun:  "a valid date",
		Help:  "use a date such as 2006-01-02",
		Check: isDate,
	},
	{
		Name:  "datetime",
		Noun:  "a valid date and time",
		Help:  "use a date and time with a time zone, such as 2006-01-02T15:04:05Z",
		Check: isDateTime,
	},
	{
		Name:  "duration",
		Noun:  "a valid duration",
		Help:  "use a duration such as 90s or 1h30m",
		Check: isDuration,
	},
	{
		Name:  "email",
		Noun:  "a valid email address",
		Help:  "use an email address such as name@example.com",
		Check: isEmail,
	},
	{
		Name:  "hexcolor",
		Noun:  "a valid hexadecimal color",
		Help:  "use a color such as #ff8800",
		Check: func(text string) bool { return hexColor.matches(text) },
	},
	{
		Name:  "hostname",
		Noun:  "a valid hostname",
		Help:  "use a hostname such as app.example.com",
		Check: isHostname,
	},
	{
		Name:  "ipv4",
		Noun:  "a valid IPv4 address",
		Help:  "use an IPv4 address such as 192.0.2.1",
		Check: isIPv4,
	},
	{
		Name:  "ipv6",
		Noun:  "a valid IPv6 address",
		Help:  "use an IPv6 address such as 2001:db8::1",
		Check: isIPv6,
	},
	{
		Name:  "isbn",
		Noun:  "a valid ISBN",
		Help:  "use an ISBN of 10 or 13 digits",
		Check: func(text string) bool { return isISBN10(text) || isISBN13(text) },
	},
	{
		Name:  "isbn10",
		Noun:  "a valid ISBN of 10 digits",
		Help:  "use an ISBN of 10 digits",
		Check: isISBN10,
	},
	{
		Name:  "isbn13",
		Noun:  "a valid ISBN of 13 digits",
		Help:  "use an ISBN of 13 digits",
		Check: isISBN13,
	},
	{
		Name:  "k8slongname",
		Noun:  "a valid long name",
		Help:  helpForLongNames,
		Check: isLongName,
		Since: 34,
	},
	{
		Name:  "k8sshortname",
		Noun:  "a valid short name",
		Help:  "use at most 63 lowercase letters, digits and hyphens; start and end with a letter or digit",
		Check: isShortName,
		Since: 34,
	},
	{
		Name:  "mac",
		Noun:  "a valid MAC address",
		Help:  "use a MAC address such as 00:00:5e:00:53:01",
		Check: isMAC,
	},
	{
		Name:  "password",
		Noun:  "a valid password",
		Check: func(string) bool { return true },
	},
	{
		Name:  "rgbcolor",
		Noun:  "a valid RGB color",
		Help:  "use a color such as rgb(255,136,0)",
		Check: func(text string) bool { return rgbColor.matches(text) },
	},
	{
		Name:  "ssn",
		Noun:  "a valid social security number",
		Help:  "use a social security number such as 123-45-6789",
		Check: isSSN,
	},
	{
		Name:  "uri",
		Noun:  "a valid URI",
		Help:  "use a URI such as https://example.com/path",
		Check: isURI,
	},
	{
		Name:  "uuid",
		Noun:  "a valid UUID",
		Help:  "use a UUID such as 123e4567-e89b-12d3-a456-426614174000",
		Check: func(text string) bool { return uuid.matches(text) },
	},
	{
		Name:  "uuid3",
		Noun:  "a valid version 3 UUID",
		Help:  "use a version 3 UUID",
		Check: func(text string) bool { return uuid3.matches(text) },
	},
	{
		Name:  "uuid4",
		Noun:  "a valid version 4 UUID",
		Help:  "use a version 4 UUID",
		Check: func(text string) bool { return uuid4.matches(text) },
	},
	{
		Name:  "uuid5",
		Noun:  "a valid version 5 UUID",
		Help:  "use a version 5 UUID",
		Check: func(text string) bool { return uuid5.matches(text) },
	},
}

const helpForLongNames = "use at most 253 lowercase letters, digits, hyphens and dots; start and end with a letter or digit"
