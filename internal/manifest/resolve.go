package manifest

import (
	"math"
	"strconv"
	"strings"
)

// scalar is the meaning of a plain scalar: a type and the data of a node. The type is 0 for infinity and NaN, which
// JSON cannot represent.
type scalar struct {
	typ  Type
	data uint64
}

func float(f float64) scalar { return scalar{Float, math.Float64bits(f)} }

// resolve returns the meaning of a plain scalar by the rules of go.yaml.in/yaml/v2 (resolve.go): the booleans, null
// and numbers of YAML 1.1, except for numbers in base 60. A time is a string.
func resolve(text string) scalar {
	switch class := classes[text[0]]; {
	case class&mayBeWord != 0:
		return resolveWord(text)
	case class&mayBeNumber != 0:
		return resolveNumber(text)
	}
	return scalar{typ: String}
}

// resolveWord reads booleans and null (https://yaml.org/type/bool.html and null.html, only in these spellings).
func resolveWord(text string) scalar {
	if len(text) > len("false") {
		return scalar{typ: String}
	}
	switch text {
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return scalar{typ: Boolean, data: 1}
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return scalar{typ: Boolean}
	case "~", "null", "Null", "NULL":
		return scalar{typ: Null}
	}
	return scalar{typ: String}
}

// resolveNumber reads text that starts with a digit, a sign or a point (https://yaml.org/type/int.html and
// float.html).
func resolveNumber(text string) scalar {
	if v, ok := shortInteger(text); ok {
		return scalar{Integer, v}
	}
	switch text {
	case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF":
		return scalar{}
	}
	shape, underscores := decimal(text)
	switch {
	case text[0] == '.' && underscores: // strconv accepts underscores between digits
		return resolveFloat(text)
	case underscores:
		text = strings.ReplaceAll(text, "_", "")
		shape, _ = decimal(text)
	}
	switch shape {
	case wholeNumber:
		return resolveInteger(text)
	case fraction:
		return resolveFloat(text)
	case otherBase:
		return resolveOtherBase(text)
	}
	return scalar{typ: String}
}

// shortInteger reads up to 18 digits, which fit an int64. A leading zero would make them octal.
func shortInteger(text string) (uint64, bool) {
	if len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	v := uint64(0)
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + uint64(d)
	}
	return v, true
}

// shape is the form of a text as a number.
type shape uint8

const (
	noNumber shape = iota
	wholeNumber
	fraction  // has a point or an exponent
	otherBase // starts like a number in base 2, 8 or 16
)

// decimal returns the shape of a number, and whether it contains underscores. If it does, the caller has to remove
// them and call decimal again.
func decimal(text string) (s shape, underscores bool) {
	i := 0
	if text != "" && (text[0] == '+' || text[0] == '-') {
		i++
	}
	if i+1 < len(text) && text[i] == '0' && strings.IndexByte("xXoObB", text[i+1]) >= 0 {
		return otherBase, strings.IndexByte(text, '_') >= 0
	}
	digits := func() int {
		from := i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			i++
		}
		return i - from
	}
	s = wholeNumber
	some := digits()
	if i < len(text) && text[i] == '.' {
		i++
		s = fraction
		some += digits()
	}
	if some > 0 && i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		s, some = fraction, digits()
	}
	switch {
	case i < len(text):
		return noNumber, strings.IndexByte(text[i:], '_') >= 0
	case some == 0:
		return noNumber, false
	}
	return s, false
}

// resolveInteger reads an integer. A leading zero makes it octal if the digits allow it. A number that does not fit an
// int64 becomes a float.
func resolveInteger(text string) scalar {
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		return scalar{Integer, uint64(v)}
	}
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return float(float64(v))
	}
	return resolveFloat(text)
}

// resolveFloat reads a number with a fraction. A number that is too large is a string.
func resolveFloat(text string) scalar {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return scalar{typ: String}
	}
	return float(f)
}

// resolveOtherBase reads a number in base 2, 8 or 16. Like the library, it accepts a sign after the prefix of base 2.
func resolveOtherBase(text string) scalar {
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		return scalar{Integer, uint64(v)}
	}
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return float(float64(v))
	}
	if rest, ok := strings.CutPrefix(text, "0b"); ok {
		if v, err := strconv.ParseInt(rest, 2, 64); err == nil {
			return scalar{Integer, uint64(v)}
		}
	}
	return scalar{typ: String}
}

// throughJSON returns the value after it has been written as JSON and read again, as sigs.k8s.io/yaml does. A float
// that is written without a point and an exponent becomes an integer if it fits one.
func (s scalar) throughJSON() scalar {
	if s.typ != Float {
		return s
	}
	const exponentFrom = 1e21 // encoding/json
	const exactUpTo = 1 << 53
	switch f := math.Float64frombits(s.data); {
	case f != math.Trunc(f) || math.Abs(f) >= exponentFrom:
		return s
	case math.Abs(f) < exactUpTo:
		return scalar{Integer, uint64(int64(f))}
	default:
		if v, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, 64); err == nil {
			return scalar{Integer, uint64(v)}
		}
		return s
	}
}
