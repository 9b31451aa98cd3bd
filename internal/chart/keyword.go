package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/diag"
)

// messageOf returns why a value violates the keywords of a schema that look only at the value itself.
func (v *validator) messageOf(s map[string]any, value any) string {
	if types := typesOf(s["type"]); len(types) > 0 &&
		!slices.ContainsFunc(types, func(t string) bool { return isType(value, t) }) {
		return "must be " + diag.Article(strings.Join(types, " or ")) + ", got " + diag.Article(typeName(value))
	}
	if list, ok := s["enum"].([]any); ok && !v.spend(len(list), value) &&
		!slices.ContainsFunc(list, func(x any) bool { return equal(x, value) }) {
		return "must be one of " + jsonOf(list)
	}
	if want, ok := s["const"]; ok && !equal(want, value) {
		return "must be " + jsonOf(want)
	}
	switch x := value.(type) {
	case string:
		size := float64(utf8.RuneCountInString(x))
		if !within(s, size, "minLength", "maxLength") {
			return "must have " + bounds(s, "minLength", "maxLength", "character")
		}
		if pattern, ok := s["pattern"].(string); ok && !v.matches(pattern, x) {
			return "must match the pattern " + diag.Quote(pattern)
		}
	case map[string]any:
		if !within(s, float64(len(x)), "minProperties", "maxProperties") {
			return "must have " + bounds(s, "minProperties", "maxProperties", "field")
		}
	case []any:
		if !within(s, float64(len(x)), "minItems", "maxItems") {
			return "must have " + bounds(s, "minItems", "maxItems", "item")
		}
	}
	if n, ok := number(value); ok && !inRange(s, n) {
		return fmt.Sprintf("%v is out of range", n)
	}
	return ""
}

func inRange(s map[string]any, n float64) bool {
	least, hasLeast := number(s["exclusiveMinimum"])
	most, hasMost := number(s["exclusiveMaximum"])
	of, hasOf := number(s["multipleOf"])
	return within(s, n, "minimum", "maximum") && (!hasLeast || n > least) && (!hasMost || n < most) &&
		(!hasOf || of == 0 || math.Abs(math.Remainder(n, of)) < 1e-9)
}

// bounds returns the limits that two keywords set.
func bounds(s map[string]any, least, most, noun string) string {
	low, hasLow := number(s[least])
	high, hasHigh := number(s[most])
	switch {
	case hasLow && hasHigh:
		return fmt.Sprintf("between %v and %s", low, diag.Count(int(high), noun))
	case hasLow:
		return "at least " + diag.Count(int(low), noun)
	}
	return "at most " + diag.Count(int(high), noun)
}

func within(s map[string]any, n float64, least, most string) bool {
	low, hasLow := number(s[least])
	high, hasHigh := number(s[most])
	return (!hasLow || n >= low) && (!hasHigh || n <= high)
}

// spend counts the comparisons of a value with a number of others. It reports whether that is too much.
func (v *validator) spend(count int, value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		count *= costOfEqual
	}
	v.left -= count
	v.isLenient = v.isLenient || v.left < 0
	return v.left < 0
}

// costOfEqual is what the comparison of two objects or lists counts.
const costOfEqual = 1000

// compiled is a pattern of a schema, and about how many instructions it has.
type compiled struct {
	pattern *regexp.Regexp // nil matches all
	size    int
}

// bytesOfWork is how many bytes of a string are compared with a part of a pattern at once, about.
const bytesOfWork = 64

// matches reports whether a pattern matches, or cannot be compiled: the dialect of JSON Schema has more than that
// of Go.
func (v *validator) matches(pattern, text string) bool {
	c, ok := v.patterns[pattern]
	if !ok && v.left >= 0 {
		c = compile(pattern)
		v.patterns[pattern] = c
		v.left -= c.size
	}
	if v.left -= c.size * (len(text)/bytesOfWork + 1) / 8; v.left < 0 {
		v.isLenient = true
		return true
	}
	v.isLenient = v.isLenient || c.pattern == nil
	return c.pattern == nil || c.pattern.MatchString(text)
}

func compile(pattern string) compiled {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || engine.PatternSize(parsed) > engine.MaxPattern {
		return compiled{}
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return compiled{}
	}
	return compiled{re, engine.PatternSize(parsed)}
}

func typesOf(of any) (types []string) {
	switch t := of.(type) {
	case string:
		return []string{t}
	case []any:
		for _, x := range t {
			if name, ok := x.(string); ok {
				types = append(types, name)
			}
		}
	}
	return types
}

func isType(value any, name string) bool {
	n, isNumber := number(value)
	switch name {
	case "number":
		return isNumber
	case "integer":
		return isNumber && n == math.Trunc(n)
	}
	return typeName(value) == name
}

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "number"
}

func number(value any) (float64, bool) {
	v := reflect.ValueOf(value)
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

func equal(a, b any) bool {
	x, isNumber := number(a)
	y, isAlso := number(b)
	return isNumber && isAlso && x == y || reflect.DeepEqual(a, b)
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
