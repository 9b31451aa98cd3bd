package native

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// Value is an argument or the result of a function. The zero value is an error.
type Value struct {
	Kind    Kind
	Integer int64  // of an Integer; 1 for the Boolean true
	Text    string // of a String
	// Node is an Object or a List of the document, Schema its schema.
	Node    manifest.Node
	Schema  *schema.Schema
	Strings []string // the items of a list that the rule has created
}

// Kind is the kind of a value.
type Kind uint8

// The kinds of values that functions tell apart.
const (
	Failed Kind = iota // an error in CEL's sense
	Zero               // an absent value: the zero value of any type
	Boolean
	Integer
	String
	Object
	List
	Strings
	Other
)

// Bool returns a Boolean.
func Bool(b bool) Value {
	if b {
		return Value{Kind: Boolean, Integer: 1}
	}
	return Value{Kind: Boolean}
}

// Int returns an Integer.
func Int(i int64) Value { return Value{Kind: Integer, Integer: i} }

// Text returns a String.
func Text(text string) Value { return Value{Kind: String, Text: text} }

// orText returns "" instead of a zero value.
func (v Value) orText() Value {
	if v.Kind == Zero {
		return Text("")
	}
	return v
}

// Meter counts what functions cost, in the units of CEL, and keeps what makes compared values differ.
type Meter struct {
	Cost       int
	Difference Difference
}

func (m *Meter) spend(units int) { m.Cost += units }
