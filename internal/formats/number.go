package formats

import "strings"

// isSSN reports whether a text is a social security number with both separators.
func isSSN(text string) bool { return len(text) == 11 && ssn.matches(text) }

// isCreditCard reports whether the digits of a text are the number of a credit card, whose last digit is a checksum.
// All other characters are ignored.
func isCreditCard(text string) bool {
	digits := only(text, isDigit)
	if !creditCard.matches(digits) {
		return false
	}
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return sum%10 == 0
}

// isISBN10 reports whether a text is an ISBN of 10 digits, whose last digit is a checksum. An X stands for 10.
func isISBN10(text string) bool {
	digits := withoutSpaces(text)
	if len(digits) != 10 || only(digits[:9], isDigit) != digits[:9] || !isDigit(digits[9]) && digits[9] != 'X' {
		return false
	}
	sum := 10 * 10
	if digits[9] != 'X' {
		sum = 10 * int(digits[9]-'0')
	}
	for i := range 9 {
		sum += (i + 1) * int(digits[i]-'0')
	}
	return sum%11 == 0
}

// isISBN13 reports whether a text is an ISBN of 13 digits, whose last digit is a checksum.
func isISBN13(text string) bool {
	digits := withoutSpaces(text)
	if len(digits) != 13 || only(digits, isDigit) != digits {
		return false
	}
	sum := 0
	for i := range digits {
		sum += (1 + 2*(i%2)) * int(digits[i]-'0')
	}
	return sum%10 == 0
}

// withoutSpaces removes spaces and hyphens.
func withoutSpaces(text string) string {
	return only(text, func(c byte) bool { return !strings.ContainsRune("\t\n\f\r -", rune(c)) })
}

// only returns the bytes of a text that are kept.
func only(text string, keep func(byte) bool) string {
	var b strings.Builder
	for i := range len(text) {
		if keep(text[i]) {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
