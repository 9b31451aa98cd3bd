package native

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"

	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

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
func decodes(s *schema.Schema, n manifest.Node) fault {
	s.Ready()
	switch s.Decoding() {
	case schema.AsAny:
		return noFault
	case schema.AsObject, schema.AsMap, schema.AsRawObject:
		return isType(n.Type() == manifest.Map)
	case schema.AsList:
		return isType(n.Type() == manifest.List)
	case schema.AsString:
		return isType(n.Type() == manifest.String)
	case schema.AsBoolean:
		return isType(n.Type() == manifest.Boolean)
	case schema.AsInteger:
		return integerFault(n, 64)
	case schema.AsInteger32:
		return integerFault(n, 32)
	case schema.AsNumber:
		return isType(n.Type() == manifest.Integer || n.Type() == manifest.Float)
	case schema.AsIntegerOrString:
		if n.Type() == manifest.String {
			return noFault
		}
		return integerFault(n, 32)
	}
	return decodesText(s, n)
}

// decodesText is decodes for values that are strings of a format.
func decodesText(s *schema.Schema, n manifest.Node) fault {
	isNumber := n.Type() == manifest.Integer || n.Type() == manifest.Float
	switch {
	case s.Decoding() == schema.AsQuantity && isNumber:
		return noFault
	case s.Decoding() == schema.AsBytes && n.Type() == manifest.List:
		return isType(areBytes(n))
	case n.Type() != manifest.String:
		return wrongType
	}
	ok := false
	switch s.Decoding() {
	case schema.AsQuantity:
		ok = formats.IsQuantity(n.Text())
	case schema.AsTime:
		ok = formats.IsUTC(n.Text()) || isTime(time.RFC3339, n.Text())
	case schema.AsMicroTime:
		ok = isTime("2006-01-02T15:04:05.000000Z07:00", n.Text()) // metav1.RFC3339Micro
	case schema.AsBytes:
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
