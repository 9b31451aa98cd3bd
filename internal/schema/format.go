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

// hasFormat reports whether a format is enforced.
func (s *Schema) hasFormat() bool { return s.format != nil || s.number != noNumberFormat }
