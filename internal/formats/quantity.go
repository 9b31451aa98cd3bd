package formats

import (
	"strconv"
	"strings"
	"unicode"
)

// IsQuantity reports whether a string is a quantity such as 500m, 1Gi or 1e3 (k8s.io/apimachinery,
// api/resource.Quantity.UnmarshalJSON, ParseQuantity). Upstream's code parses the value as well, which can take
// minutes for a large exponent; here it is not needed.
func IsQuantity(text string) bool {
	text = TrimQuantity(text)
	if text == "" {
		return false
	}
	if text[0] == '+' || text[0] == '-' {
		text = text[1:]
	}
	size := len(text)
	text = strings.TrimLeft(text, "0123456789")
	if rest, ok := strings.CutPrefix(text, "."); ok {
		text, size = strings.TrimLeft(rest, "0123456789"), size-1
	}
	return isQuantitySuffix(text) && (len(text) < size || isZeroSuffix(text))
}

// isZeroSuffix reports whether the suffix of a quantity is valid without digits before it. Upstream takes them for 0
// where it calculates with 64-bit integers.
func isZeroSuffix(text string) bool {
	if len(text) > 1 && (text[0] == 'e' || text[0] == 'E') {
		exponent, err := strconv.Atoi(text[1:])
		return err == nil && exponent >= -9
	}
	return text != "Pi" && text != "Ei"
}

// TrimQuantity removes spaces at both ends. Upstream trims the JSON text between the quotes, so it does not remove
// the spaces that JSON escapes.
func TrimQuantity(text string) string {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) && r >= ' ' && r != '\u2028' && r != '\u2029'
	})
}

// longestExponent is the number of digits of the largest exponent that an API server certainly handles in time.
const longestExponent = 4

// isQuantitySuffix reports whether a text can follow the number of a quantity.
func isQuantitySuffix(text string) bool {
	switch text {
	case "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei":
		return true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return false
	}
	exponent := text[1:]
	_, err := strconv.ParseInt(exponent, 10, 64)
	return err == nil && len(strings.TrimLeft(exponent, "+-0")) <= longestExponent
}
