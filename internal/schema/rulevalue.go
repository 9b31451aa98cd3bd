package schema

// What the rules of the kinds of Kubernetes need to know about values and formats.

// HasFormat reports whether a text has a format that a schema of a kind of Kubernetes can name. It returns false for
// known if there is no format with that name.
func HasFormat(text, name string) (ok, known bool) {
	if f, ok := nativeFormats[name]; ok {
		return f.text(text), true
	}
	f := textFormatOf(name)
	if f.text == nil {
		return false, false
	}
	return f.text(text), true
}

// IsText reports whether rules see the values of a schema of a kind of Kubernetes as strings: strings, quantities,
// times and bytes.
func (s *Schema) IsText() bool {
	switch s.decoding {
	case asString, asQuantity, asTime, asMicroTime, asBytes:
		return true
	}
	return false
}

// IsAny reports whether the values of a schema of a kind of Kubernetes can have any type.
func (s *Schema) IsAny() bool { return s.decoding == asAny }
