package native

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// undecodable reports a value that cannot be decoded.
func (c *checker) undecodable(n manifest.Node, s *schema.Schema, f fault) {
	v := diag.Violation{Rule: diag.WrongType}
	switch f {
	case wrongType:
		v.Message = "must be " + decodingWords(s) + ", got " + diag.Article(n.Type().String())
		v.Help, v.Fixes = c.decodingHelp(n, s)
	case notWhole:
		v.Message = "must be " + decodingWords(s) + ", got " + schema.PlainText(n)
		v.Help = "use a whole number"
	case tooLarge:
		v.Rule = diag.OutOfRange
		v.Message = "must be " + decodingWords(s) + ", got " + schema.PlainText(n)
		if s.Decoding() == schema.AsInteger {
			v.Message = "must be a 64-bit integer, got " + n.Raw()
		}
	case malformed:
		v.Rule = diag.BadFormat
		v.Message = diag.Quote(n.Text()) + " is not " + decodingWords(s)
		v.Help, v.Fixes = decodingHelps[s.Decoding()], nil
		if s.Decoding() == schema.AsQuantity {
			v.Help, v.Fixes = quantityHelp(n)
		}
	}
	c.AddBlocking(n, v)
}

// decodingHelp returns what to do about a value of the wrong type.
func (c *checker) decodingHelp(n manifest.Node, s *schema.Schema) (string, []diag.Fix) {
	if help := decodingHelps[s.Decoding()]; help != "" {
		return help, nil
	}
	help, fixes := c.TypeHelp(n, s)
	if s.Decoding() == schema.AsBoolean && len(fixes) == 0 {
		return "use true or false", nil
	}
	return help, fixes
}

// decodingHelps describe how to write the values that are strings of a format.
var decodingHelps = map[schema.Decoding]string{
	schema.AsQuantity:  "use a number with an optional suffix, such as 500m, 2 or 1Gi",
	schema.AsTime:      schema.DateTimeHelp,
	schema.AsMicroTime: "use a date and time with six decimals and a time zone, such as 2006-01-02T15:04:05.000000Z",
	schema.AsBytes:     "encode the value in base64 with padding",
}

// decodingWords describes the values that can be decoded.
func decodingWords(s *schema.Schema) string {
	switch s.Decoding() {
	case schema.AsQuantity:
		return "a valid quantity"
	case schema.AsTime, schema.AsMicroTime:
		return "a valid date and time"
	case schema.AsBytes:
		return "valid base64"
	case schema.AsInteger32:
		return "a 32-bit integer"
	case schema.AsIntegerOrString:
		return "a 32-bit integer or a string"
	}
	return s.TypeWords()
}

// quantityHelp returns how to write a quantity such as 1Gb or "1 gi". It offers a fix if only one quantity can be
// meant.
func quantityHelp(n manifest.Node) (string, []diag.Fix) {
	text := strings.ReplaceAll(n.Text(), " ", "")
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit := strings.TrimSuffix(strings.ToLower(text[len(number):]), "b")
	meant := text
	if len(unit) > 0 && strings.IndexByte("kmgtpe", unit[0]) >= 0 && (len(unit) == 1 || unit[1:] == "i") {
		binary, decimal := number+strings.ToUpper(unit[:1])+"i", number+strings.ToUpper(unit[:1])
		if unit == "k" {
			decimal = number + "k"
		}
		meant = binary
		if len(unit) == 1 && !formats.IsQuantity(text) && formats.IsQuantity(binary) {
			return "use " + diag.Quote(binary) + " (powers of 1024) or " + diag.Quote(decimal) + " (powers of 1000)", nil
		}
	}
	if formats.IsQuantity(text) {
		meant = text
	}
	if formats.IsQuantity(meant) && formats.TrimQuantity(n.Text()) != "" {
		return "use " + diag.Quote(meant), n.TextFix(meant)
	}
	return decodingHelps[schema.AsQuantity], nil
}
