package schema

import "github.com/kindvet/kindvet/internal/formats"

// numberFormat is a format of numbers that the API server enforces.
type numberFormat uint8

const (
	noNumberFormat numberFormat = iota
	formatInt32
	formatInt64
	formatFloat
	formatDouble
)

// setFormat sets the format that is enforced for a schema (apiextensions-apiserver,
// StripUnsupportedFormatsPostProcessorForVersion). Kinds of Kubernetes also have formats of their own.
func (s *Schema) setFormat() {
	switch {
	case s.Format == "":
	case s.Type == "integer" && !s.IntOrString:
		s.number = map[string]numberFormat{"int32": formatInt32, "int64": formatInt64}[s.Format]
	case s.Type == "number" && !s.IntOrString:
		s.number = map[string]numberFormat{"float": formatFloat, "double": formatDouble}[s.Format]
	case s.Native && !s.decoding.IsPlainText(): // decoding checks it
	case s.Native && (s.Type == "string" || s.IntOrString):
		s.format, _ = formats.ForKubernetes(s.Format)
	case s.Type == "string" || s.Type == "" || s.IntOrString:
		s.format, _ = formats.ForCRDs(s.Format)
	}
}

// hasNumberFormats is the first minor version of Kubernetes 1 that enforces the types and formats of numbers: before, an int32
// could be any integer (kube-openapi, SchemaValidator.numberValidator).
const hasNumberFormats = 36

// enforcesNumbers reports whether the selected version enforces the types and formats of numbers.
func (c *Checker) enforcesNumbers() bool {
	return c.resource.Kubernetes == 0 || c.resource.Kubernetes >= hasNumberFormats
}

// lacks reports whether the selected version does not have a format. The server decides about objects with the formats of the
// version before, and about defaults with its own ones (apiextensions-apiserver,
// validation.NewSchemaValidator, NewSchemaValidatorFromOpenAPI).
func (c *Checker) lacks(f *formats.Format) bool {
	minor := c.resource.Kubernetes
	if minor == 0 {
		return false
	}
	if !c.anyFormat {
		minor--
	}
	return minor < f.Since
}

// hasFormat reports whether a format is enforced.
func (s *Schema) hasFormat() bool { return s.format != nil || s.number != noNumberFormat }
