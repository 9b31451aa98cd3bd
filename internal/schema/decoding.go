package schema

// Decoding is how the API server decodes a value of a kind of Kubernetes: the Go type that the schema stands for.
type Decoding uint8

const (
	AsAny Decoding = iota // runtime.RawExtension and the like
	AsObject
	AsMap
	AsRawObject // an object with any fields
	AsList
	AsString
	AsBoolean
	AsInteger
	AsInteger32
	AsNumber
	AsQuantity
	AsTime
	AsMicroTime
	AsBytes
	AsIntegerOrString
)

// decodingOf returns how a value of the schema is decoded.
func decodingOf(s *Schema) Decoding {
	switch {
	case s.IntOrString:
		return AsIntegerOrString
	case s.Format == "quantity":
		return AsQuantity
	case s.Format == "time":
		return AsTime
	case s.Format == "micro-time":
		return AsMicroTime
	case s.Type == "string" && s.Format == "byte":
		return AsBytes
	case s.Type == "integer" && s.Format == "int32":
		return AsInteger32
	case s.Type == "object" && s.PreserveUnknown:
		return AsRawObject
	case s.Type == "object" && s.Additional != nil:
		return AsMap
	}
	return map[string]Decoding{
		"object": AsObject, "array": AsList, "string": AsString,
		"boolean": AsBoolean, "integer": AsInteger, "number": AsNumber,
	}[s.Type]
}

// IsScalar reports whether the values are neither objects nor lists, and not of any type.
func (d Decoding) IsScalar() bool { return d >= AsString }

// IsInteger reports whether a number must be an integer.
func (d Decoding) IsInteger() bool {
	return d == AsInteger || d == AsInteger32 || d == AsIntegerOrString
}

// IsPlainText reports whether every string decodes.
func (d Decoding) IsPlainText() bool { return d == AsString || d == AsIntegerOrString }

// Decoding returns how values of the schema are decoded. The schema must be ready.
func (s *Schema) Decoding() Decoding { return s.decoding }
