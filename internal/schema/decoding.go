package schema

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"

	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
)

// decoding is how the API server decodes a value of a kind of Kubernetes: the Go type that the schema stands for.
type decoding uint8

const (
	asAny decoding = iota // runtime.RawExtension and the like
	asObject
	asMap
	asRawObject // an object with any fields
	asList
	asString
	asBoolean
	asInteger
	asInteger32
	asNumber
	asQuantity
	asTime
	asMicroTime
	asBytes
	asIntegerOrString
)

// decodingOf returns how a value of the schema is decoded.
func decodingOf(s *Schema) decoding {
	switch {
	case s.IntOrString:
		return asIntegerOrString
	case s.Format == "quantity":
		return asQuantity
	case s.Format == "time":
		return asTime
	case s.Format == "micro-time":
		return asMicroTime
	case s.Type == "string" && s.Format == "byte":
		return asBytes
	case s.Type == "integer" && s.Format == "int32":
		return asInteger32
	case s.Type == "object" && s.PreserveUnknown:
		return asRawObject
	case s.Type == "object" && s.Additional != nil:
		return asMap
	}
	return map[string]decoding{
		"object": asObject, "array": asList, "string": asString,
		"boolean": asBoolean, "integer": asInteger, "number": asNumber,
	}[s.Type]
}

// isScalar reports whether the values are neither objects nor lists, and not of any type.
func (d decoding) isScalar() bool { return d >= asString }

// isInteger reports whether a number must be an integer.
func (d decoding) isInteger() bool {
	return d == asInteger || d == asInteger32 || d == asIntegerOrString
}

// isPlainText reports whether every string decodes.
func (d decoding) isPlainText() bool { return d == asString || d == asIntegerOrString }

// fault is why a value cannot be decoded.
type fault uint8

const (
	noFault fault = iota
	wrongType
	notWhole // a number with a fraction where an integer is required
	tooLarge // an integer that does not fit
	malformed
)

// decodes returns why a value that is not null cannot be decoded, apart from the values in it (sigs.k8s.io/json; the
// UnmarshalJSON methods of k8s.io/apimachinery). kubectl converts YAML to JSON first and writes a whole number without
// a fraction, so 3.0 is an integer.
func (s *Schema) decodes(n manifest.Node) fault {
	s.ready()
	switch s.decoding {
	case asAny:
		return noFault
	case asObject, asMap, asRawObject:
		return isType(n.Type() == manifest.Map)
	case asList:
		return isType(n.Type() == manifest.List)
	case asString:
		return isType(n.Type() == manifest.String)
	case asBoolean:
		return isType(n.Type() == manifest.Boolean)
	case asInteger:
		return integerFault(n, 64)
	case asInteger32:
		return integerFault(n, 32)
	case asNumber:
		return isType(n.Type() == manifest.Integer || n.Type() == manifest.Float)
	case asIntegerOrString:
		if n.Type() == manifest.String {
			return noFault
		}
		return integerFault(n, 32)
	}
	return s.decodesText(n)
}

// decodesText is decodes for values that are strings of a format.
func (s *Schema) decodesText(n manifest.Node) fault {
	isNumber := n.Type() == manifest.Integer || n.Type() == manifest.Float
	switch {
	case s.decoding == asQuantity && isNumber:
		return noFault
	case s.decoding == asBytes && n.Type() == manifest.List:
		return isType(areBytes(n))
	case n.Type() != manifest.String:
		return wrongType
	}
	ok := false
	switch s.decoding {
	case asQuantity:
		ok = formats.IsQuantity(n.Text())
	case asTime:
		ok = formats.IsUTC(n.Text()) || isTime(time.RFC3339, n.Text())
	case asMicroTime:
		ok = isTime("2006-01-02T15:04:05.000000Z07:00", n.Text()) // metav1.RFC3339Micro
	case asBytes:
		_, err := base64.StdEncoding.DecodeString(n.Text())
		ok = err == nil
	}
	if !ok {
		return malformed
	}
	return noFault
}

func isType(ok bool) fault {
	if !ok {
		return wrongType
	}
	return noFault
}

func isTime(layout, text string) bool {
	_, err := time.Parse(layout, text)
	return err == nil
}

// integerFault returns why a value is not an integer of a size.
func integerFault(n manifest.Node, bits int) fault {
	switch n.Type() {
	case manifest.Integer:
		if i := n.Integer(); bits == 32 && (i < math.MinInt32 || i > math.MaxInt32) {
			return tooLarge
		}
		return noFault
	case manifest.Float:
		f := n.Float()
		if f != math.Trunc(f) {
			return notWhole
		}
		if _, err := strconv.ParseInt(strconv.FormatFloat(f, 'f', -1, 64), 10, bits); err != nil {
			return tooLarge
		}
		return noFault
	}
	return wrongType
}

// areBytes reports whether a list holds only bytes. encoding/json decodes such a list into []byte.
func areBytes(list manifest.Node) bool {
	for item := range list.Children() {
		isByte := integerFault(item, 32) == noFault && 0 <= item.Float() && item.Float() <= math.MaxUint8
		if item.Type() != manifest.Null && !isByte {
			return false
		}
	}
	return true
}
