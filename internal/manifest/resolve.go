package manifest

import (
	"math"
	"strconv"
	"strings"
)

// scalar is what a plain scalar means: a type and the data of a node. A type of 0 is what JSON cannot hold, infinity
// and NaN.
type scalar struct {
	typ  Type
	data uint64
}

func float(f float64) scalar { return scalar{Float, math.Float64bits(f)} }

// resolve says what a plain scalar means, by the rules of go.yaml.in/yaml/v2 (resolve.go): YAML 1.1's booleans, null
// and numbers, but not its numbers in base 60; a time stays a string.
func resolve(text string) scalar {
	switch class := classes[text[0]]; {
	case class&mayBeWord != 0:
		return resolveWord(text)
	case class&mayBeNumber != 0:
		return resolveNumber(text)
	}
	return scalar{typ: String}
}

// resolveWord reads booleans and null (https://yaml.org/type/bool.html and null.html, in these spellings alone).
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

// resolveNumber reads what starts with a digit, a sign or a point (https://yaml.org/type/int.html and float.html).
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
	case text[0] == '.' && underscores: // here underscores are left to strconv, which takes them between digits
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

// shortInteger reads up to 18 digits, which fit an int64; a zero in front would make them octal.
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

// shape is what a text looks like as a number.
type shape uint8

const (
	noNumber shape = iota
	wholeNumber
	fraction  // with a point or an exponent
	otherBase // starts as a number in base 2, 8 or 16
)

// decimal tells the shape of a number, and whether there are underscores in it; if so, the shape must be told again
// without them.
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

// resolveInteger reads a whole number: octal with a zero in front, if it can be. What an int64 does not hold becomes
// a float.
func resolveInteger(text string) scalar {
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		return scalar{Integer, uint64(v)}
	}
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return float(float64(v))
	}
	return resolveFloat(text)
}

// resolveFloat reads a number with a fraction; one that is too large is a string.
func resolveFloat(text string) scalar {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return scalar{typ: String}
	}
	return float(f)
}

// resolveOtherBase reads a number in base 2, 8 or 16; as the library does, it takes a sign after the prefix of base 2.
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

// throughJSON returns what is left of a value that has been written as JSON and read again, as sigs.k8s.io/yaml does:
// a float that is written without point and exponent comes back as an integer, if one holds it.
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
