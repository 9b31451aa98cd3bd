package chart

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/diag"
)

// messageOf returns why a value violates the keywords of a schema that look only at the value itself.
func messageOf(s map[string]any, value any) string {
	if types := typesOf(s["type"]); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(value, t) }) {
		return "must be " + diag.Article(strings.Join(types, " or ")) + ", got " + diag.Article(typeName(value))
	}
	if list, ok := s["enum"].([]any); ok && !slices.ContainsFunc(list, func(x any) bool { return equal(x, value) }) {
		return "must be one of " + toJSON(list)
	}
	if want, ok := s["const"]; ok && !equal(want, value) {
		return "must be " + toJSON(want)
	}
	switch x := value.(type) {
	case string:
		size := float64(utf8.RuneCountInString(x))
		if !within(s, size, "minLength", "maxLength") {
			return "has a wrong length"
		}
		if pattern, ok := s["pattern"].(string); ok && !matches(pattern, x) {
			return "must match the pattern " + diag.Quote(pattern)
		}
	case map[string]any:
		if !within(s, float64(len(x)), "minProperties", "maxProperties") {
			return "has a wrong number of fields"
		}
	case []any:
		if !within(s, float64(len(x)), "minItems", "maxItems") {
			return "has a wrong number of items"
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

func within(s map[string]any, n float64, least, most string) bool {
	low, hasLow := number(s[least])
	high, hasHigh := number(s[most])
	return (!hasLow || n >= low) && (!hasHigh || n <= high)
}

// matches reports whether a pattern matches, or cannot be compiled: the dialect of JSON Schema has more than that
// of Go.
func matches(pattern, text string) bool {
	compiled, err := regexp.Compile(pattern)
	return err != nil || compiled.MatchString(text)
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
