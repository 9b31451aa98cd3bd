package closure

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// value is the result of a closure: small, passed by value, and in most cases without allocated memory.
type value struct {
	kind kind
	// of a boolean, an integer or a double; an index into the frame for items, optional, network and other
	bits   uint64
	text   string         // of a string or bytes; the name of a type
	node   manifest.Node  // of an object, a list or a native value
	schema *schema.Schema // of an object or a list, as rules see it
}

type kind uint8

const (
	kindError kind = iota // in CEL's sense; cel-go supplies the message
	kindNull
	kindBoolean
	kindInteger
	kindDouble
	kindString
	kindBytes    // text holds the bytes
	kindObject   // a map of the document, with its schema
	kindList     // a list of the document, with its schema
	kindItems    // a list that the rule has created: frame.lists[bits]
	kindOptional // frame.items[bits-1]; empty if bits is 0
	kindType
	kindNetwork  // frame.networks[bits]
	kindQuantity // frame.quantities[bits]
	kindZero     // an absent value of a kind of Kubernetes: the zero value of any type
	kindOther    // frame.others[bits]: timestamps, durations, and values created by libraries
)

func booleanOf(b bool) value {
	if b {
		return value{kind: kindBoolean, bits: 1}
	}
	return value{kind: kindBoolean}
}

func integerOf(i int64) value { return value{kind: kindInteger, bits: uint64(i)} }

func doubleOf(d float64) value { return value{kind: kindDouble, bits: math.Float64bits(d)} }

func stringOf(s string) value { return value{kind: kindString, text: s} }

func bytesOf(s string) value { return value{kind: kindBytes, text: s} }

func typeOf(name string) value { return value{kind: kindType, text: name} }

func (v value) integer() int64 { return int64(v.bits) }

func (v value) double() float64 { return math.Float64frombits(v.bits) }

// nameOfType returns the result of type() for a value, or "" if only cel-go knows it.
func (v value) nameOfType() string {
	switch v.kind {
	case kindNull:
		return "null_type"
	case kindBoolean:
		return "bool"
	case kindInteger:
		return "int"
	case kindDouble:
		return "double"
	case kindString:
		return "string"
	case kindBytes:
		return "bytes"
	case kindObject:
		return "map"
	case kindList, kindItems:
		return "list"
	case kindType:
		return "type"
	case kindZero:
		return "null_type"
	}
	return ""
}

// size returns the result of size() for a value. It returns false if the value has no size.
func (f *Frame) size(v value) (int64, bool) {
	switch v.kind {
	case kindString:
		return int64(utf8.RuneCountInString(v.text)), true
	case kindBytes:
		return int64(len(v.text)), true
	case kindObject, kindList:
		return int64(v.node.Len()), true
	case kindItems:
		return int64(len(f.lists[v.bits])), true
	case kindZero:
		return 0, true
	case kindOther:
		if sizer, ok := f.others[v.bits].(traits.Sizer); ok {
			if n, ok := sizer.Size().(types.Int); ok {
				return int64(n), true
			}
		}
	}
	return 0, false
}

// This is the closures' version of object.Find: it looks up a field of an object by the name that rules use.
func (f *Frame) member(v value, name string) (value, bool) {
	isObject := len(v.schema.Properties) > 0
	if isObject {
		var ok bool
		if name, ok = unescaped(name); !ok {
			return value{}, false
		}
	}
	n, ok := v.node.Field(name)
	if !ok || isObject && n.Type() == manifest.Null {
		return value{}, false
	}
	s := v.schema.Additional
	if isObject {
		s, _ = v.schema.Property(name)
	}
	if s == nil {
		return value{}, false
	}
	return f.of(n, s), true
}

// unescaped returns the key for a name in a rule.
func unescaped(name string) (string, bool) {
	if !strings.Contains(name, "__") {
		return name, true
	}
	return apiservercel.Unescape(name)
}

// escaped returns the name by which a rule refers to a key, or the key itself if no rule can refer to it.
func escaped(key string) string {
	if name, ok := apiservercel.Escape(key); ok {
		return name
	}
	return key
}
