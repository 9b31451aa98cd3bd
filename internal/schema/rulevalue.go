package schema

// IsText reports whether rules see the values of a schema of a kind of Kubernetes as strings: strings, quantities,
// times and bytes.
func (s *Schema) IsText() bool {
	switch s.decoding {
	case AsString, AsQuantity, AsTime, AsMicroTime, AsBytes:
		return true
	}
	return false
}

// IsAny reports whether the values of a schema of a kind of Kubernetes can have any type.
func (s *Schema) IsAny() bool { return s.decoding == AsAny }
