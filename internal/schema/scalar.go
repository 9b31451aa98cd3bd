package schema

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
)

// CheckText checks the length, pattern and format of a string. If both length and pattern fail, only the first is
// reported (kube-openapi, stringValidator.Validate, formatValidator.Validate).
func (c *Checker) CheckText(n manifest.Node, s *Schema) {
	text := n.Text()
	switch {
	case s.MaxLength != nil && int64(len(text)) > *s.MaxLength && int64(utf8.RuneCountInString(text)) > *s.MaxLength:
		c.badLength(n, s, "must be at most "+diag.Count(*s.MaxLength, "character"), true)
	case s.MinLength != nil && int64(len(text)/utf8.UTFMax) < *s.MinLength &&
		int64(utf8.RuneCountInString(text)) < *s.MinLength:
		c.badLength(n, s, "must be at least "+diag.Count(*s.MinLength, "character"), false)
	case s.pattern != nil:
		c.checkPattern(n, s)
	}
	c.matches++
	format := s.format
	if c.anyFormat && format == nil {
		format, _ = formats.ForCRDs(s.Format)
	}
	if format != nil && !c.lacks(format) {
		if !format.Check(text) {
			c.badFormat(n, s, format)
		}
		c.matches++
	}
}

func (c *Checker) badLength(n manifest.Node, s *Schema, limit string, blocking bool) {
	v := diag.Violation{
		Rule:    diag.BadLength,
		Message: limit + " long, got " + number(int64(utf8.RuneCountInString(n.Text()))),
	}
	c.suggestText(&v, n, s)
	c.Add(n, v)
	c.found[len(c.found)-1].blocking = blocking
}

// mostPatternWork is the maximum work that the patterns of one document may cause, in units of pattern.Work: 160
// million visited instructions of package regexp. Patterns that can be turned into a table cause less.
const mostPatternWork = 10_000_000

func (c *Checker) checkPattern(n manifest.Node, s *Schema) {
	left := mostPatternWork - c.patternWork
	matches, ok := s.pattern.Match(n.Text(), &left)
	c.patternWork = mostPatternWork - left
	switch {
	case !ok:
		c.AddBlocking(n, diag.Violation{
			Rule: diag.ReaderLimit,
			Message: "the pattern of the schema needs too many steps for the " + diag.Count(len(n.Text()), "byte") +
				" of this string",
			Help: "limit the length of the string with maxLength, or write a simpler pattern than " + patternText(s),
		})
	case !matches:
		c.patternMismatch(n, s)
	}
}

func (c *Checker) patternMismatch(n manifest.Node, s *Schema) {
	v := diag.Violation{
		Rule:    diag.PatternMismatch,
		Message: "must match the pattern " + s.Pattern + ", got " + quote(n.Text()),
		Help:    firstSentence(s.Description),
	}
	if !diag.FitsMessage(v.Message) {
		v.Message = quote(n.Text()) + " does not match the pattern"
		if v.Help != "" {
			v.Help += "; "
		}
		v.Help += "the pattern is " + patternText(s)
	}
	c.suggestText(&v, n, s)
	c.Add(n, v)
}

// suggestText adds the fix of a string that is valid without blanks around it, or in lower case.
func (c *Checker) suggestText(v *diag.Violation, n manifest.Node, s *Schema) {
	if !c.isDescribed() || len(n.Text()) > diag.LongestQuote || n.Defaulted() {
		return
	}
	trimmed := strings.TrimSpace(n.Text())
	for _, text := range []string{trimmed, strings.ToLower(trimmed)} {
		if text != n.Text() && c.allowsText(text, s) {
			v.Help, v.Fixes = "use "+quote(text), n.TextFix(text)
			return
		}
	}
}

// longestPattern is the maximum number of characters of a pattern that a help line repeats. In 29 public repositories,
// patterns have up to 221, which does not fit on a line.
const longestPattern = 100

func patternText(s *Schema) string { return diag.Cut(s.Pattern, longestPattern) }

func (c *Checker) badFormat(n manifest.Node, s *Schema, f *formats.Format) {
	v := diag.Violation{
		Rule:    diag.BadFormat,
		Message: quote(n.Text()) + " is not " + f.Noun,
		Help:    f.Help,
	}
	if _, err := strconv.ParseInt(n.Text(), 10, 32); err == nil && s.IntOrString && c.isDescribed() {
		if fixes := n.UnquoteFix(manifest.Integer); fixes != nil {
			v.Help, v.Fixes = "remove the quotes", fixes
		}
	} else {
		c.suggestText(&v, n, s)
	}
	c.AddBlocking(n, v)
}

// CheckNumber checks the range, bounds and multiples of a number (kube-openapi, numberValidator.Validate). As
// upstream, it compares an integer with its bounds as integers, and a bound that the type cannot hold rejects every
// value.
func (c *Checker) CheckNumber(n manifest.Node, s *Schema) {
	c.checkMultiple(n, s)
	before := len(c.found)
	enforces := c.enforcesNumbers()
	c.checkBound(n, s, s.Maximum, s.maximumFits || !enforces, s.ExclusiveMaximum, +1)
	c.checkBound(n, s, s.Minimum, s.minimumFits || !enforces, s.ExclusiveMinimum, -1)
	if len(c.found) == before && enforces && !s.inRange(n) { // a violated bound says more, and one error is enough
		c.outOfRange(n, "must be "+s.rangeWords())
	}
	c.matches += 2
}

func (c *Checker) checkBound(n manifest.Node, s *Schema, bound *float64, fits, exclusive bool, sign int) {
	if bound == nil {
		return
	}
	if !fits {
		c.Add(n, diag.Violation{
			Rule:    diag.OutOfRange,
			Message: "no value is valid: the schema's bound " + float(*bound) + " is out of range for " + s.rangeWords(),
			Help:    "fix the schema: the API server rejects every value here",
		})
	}
	var order int
	if n.Type() == manifest.Integer && fits {
		order = compare(n.Integer(), int64(*bound))
	} else {
		order = compare(n.Float(), *bound)
	}
	if order*sign < 0 || order == 0 && !exclusive {
		return
	}
	words := map[int]string{+1: "at most ", -1: "at least "}[sign]
	if exclusive {
		words = map[int]string{+1: "less than ", -1: "more than "}[sign]
	}
	v := diag.Violation{Rule: diag.OutOfRange, Message: "must be " + words + float(*bound) + ", got " + PlainText(n)}
	if c.isDescribed() {
		v.Help, v.Fixes = modeHelp(n, s)
		v.Fixes = append(v.Fixes, boundFixes(n, s, *bound, sign, exclusive)...)
	}
	c.Add(n, v)
}

// boundFixes returns the fix that replaces an integer by the largest or smallest one that is allowed.
func boundFixes(n manifest.Node, s *Schema, bound float64, sign int, exclusive bool) []diag.Fix {
	if s.types != typeInteger || !isWhole(bound) || n.Defaulted() {
		return nil
	}
	nearest := int64(bound)
	if exclusive {
		nearest -= int64(sign)
	}
	return diag.Choices(n.NumberFix(number(nearest)))
}

func (c *Checker) outOfRange(n manifest.Node, limit string) {
	c.Add(n, diag.Violation{Rule: diag.OutOfRange, Message: limit + ", got " + PlainText(n)})
}

// tooLong reports an integer that does not fit into 64 bits. The API server reads it as a float, and rejects its type.
func (c *Checker) tooLong(n manifest.Node, s *Schema) {
	c.AddBlocking(n, diag.Violation{
		Rule: diag.OutOfRange, Message: "must be " + s.rangeWords() + ", got " + PlainText(n), Reason: "FieldValueTypeInvalid",
	})
}

// isWholeLiteral reports whether a number is written as a decimal integer.
func isWholeLiteral(raw string) bool {
	digits := strings.TrimLeft(raw, "+-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

func compare[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (c *Checker) checkMultiple(n manifest.Node, s *Schema) {
	if s.MultipleOf == nil {
		return
	}
	factor := *s.MultipleOf
	ok := factor > 0
	switch {
	case !s.multipleFits:
		ok = false
	case n.Type() == manifest.Integer:
		ok = int64(factor) > 0 && n.Integer()%int64(factor) == 0
	case factor < 1:
		ok = ok && isWhole(1/factor*n.Float())
	default:
		ok = ok && isWhole(n.Float()/factor)
	}
	if !ok {
		c.outOfRange(n, "must be a multiple of "+float(factor))
	}
}

// inRange reports whether the declared type and format can hold the number (kube-openapi, IsValueValidAgainstRange).
func (s *Schema) inRange(n manifest.Node) bool {
	if n.Type() == manifest.Integer {
		i := n.Integer()
		return s.types != typeInteger || s.number != formatInt32 || math.MinInt32 <= i && i <= math.MaxInt32
	}
	return s.holds(n.Float())
}

// holds is inRange for a number that was parsed as a float. The server looks at its decimal digits.
func (s *Schema) holds(f float64) bool {
	switch s.types {
	case typeInteger:
		bits := 64
		if s.number == formatInt32 {
			bits = 32
		}
		_, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, bits)
		return err == nil
	case typeNumber:
		return s.number != formatFloat || !math.IsInf(float64(float32(f)), 0)
	}
	return true
}

func (s *Schema) rangeWords() string {
	switch {
	case s.number == formatInt32:
		return "a 32-bit integer"
	case s.number == formatFloat:
		return "a 32-bit float"
	}
	return "a 64-bit integer"
}

// isWhole reports whether a float counts as an integer (go-openapi/swag, IsFloat64AJSONInteger). A float above zero
// counts if it is within a billionth of an integer.
func isWhole(f float64) bool {
	const largest, epsilon = float64(1<<53 - 1), 1e-9
	if math.IsNaN(f) || f < -largest || f > largest {
		return false
	}
	whole := float64(int64(f))
	if f <= 0 || whole == 0 || f == whole {
		return f == whole
	}
	return math.Abs(f-whole)/(f+whole) < epsilon
}
