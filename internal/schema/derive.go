package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// finish computes what the check needs to know and the file does not state.
func (c *Compiler) finish(s *Schema) {
	s.index()
	if s.Type != "" {
		if s.types = typeNames[s.Type]; s.types == 0 {
			f, _ := s.Node.Field("type")
			c.reject(f, diag.NotInEnum, "%q is not a valid type; use object, array, string, integer, number or boolean", s.Type)
		}
	}
	if s.IntOrString {
		s.types = typeInteger | typeString
		s.dropIntOrStringPair()
	}
	s.decoding = decodingOf(s)
	if !c.decodeOnly {
		s.setFormat()
	}
	s.minimumFits = s.Minimum != nil && s.holds(*s.Minimum)
	s.maximumFits = s.Maximum != nil && s.holds(*s.Maximum)
	s.multipleFits = s.MultipleOf != nil && s.holds(*s.MultipleOf)
	s.require()
	s.derive()
}

// derive computes what the schemas below mean for s, and reports whether the result differs from before.
func (s *Schema) derive() bool {
	before := s.derived()
	s.hasRules = len(s.Rules) > 0
	s.hasListType = s.ListType == "set" || s.ListType == "map"
	s.hasEmbedded = s.Embedded
	s.hasSecrets = s.Format == secretFormat
	s.hasOpen = s.PreserveUnknown && len(s.Properties) > 0
	for i := range s.Properties {
		p := s.Properties[i].Schema
		s.hasDefaults = s.hasDefaults || p.Default.Valid()
		s.inherit(p)
	}
	s.inherit(s.Additional)
	s.inherit(s.Items)
	for _, branch := range s.AllOf {
		s.hasRules = s.hasRules || branch.hasRules
	}
	s.plain()
	return s.derived() != before
}

// derived returns the values that derive computes.
func (s *Schema) derived() [8]bool {
	return [...]bool{
		s.hasRules, s.hasListType, s.hasEmbedded, s.hasSecrets, s.hasOpen, s.hasDefaults, s.isPlain, s.isBare,
	}
}

// require assigns a bit to each required field that is one of the first 64 properties.
func (s *Schema) require() {
	for _, name := range s.Required {
		if i := s.indexOf(name, manifest.Hash(name)); 0 <= i && i < 64 {
			s.required |= 1 << i
		} else {
			s.requireMore = true
		}
	}
}

func (s *Schema) inherit(below *Schema) {
	if below == nil {
		return
	}
	s.hasRules = s.hasRules || below.hasRules
	s.hasListType = s.hasListType || below.hasListType
	s.hasEmbedded = s.hasEmbedded || below.hasEmbedded
	s.hasSecrets = s.hasSecrets || below.hasSecrets
	s.hasOpen = s.hasOpen || below.hasOpen
}

// dropIntOrStringPair removes the anyOf of integer and string that accompanies x-kubernetes-int-or-string. The type
// states the same, with one violation instead of three (apiextensions-apiserver, isIntOrStringAnyOfPattern,
// isIntOrStringAllOfPattern). The schema remembers that the anyOf was there, because without it
// x-kubernetes-int-or-string has no effect when a default is checked (Structural.ToKubeOpenAPI).
func (s *Schema) dropIntOrStringPair() {
	if isPair(s.AnyOf) {
		s.AnyOf, s.pairDropped = nil, true
	}
	if len(s.AllOf) > 0 && isPair(s.AllOf[0].AnyOf) {
		s.pairDropped = true
		if first := s.AllOf[0]; first.Node.Len() > 1 { // it has further restrictions
			first.AnyOf = nil
		} else {
			s.AllOf = s.AllOf[1:]
		}
	}
}

func isPair(anyOf []*Schema) bool {
	return len(anyOf) == 2 && anyOf[0].Type == "integer" && anyOf[1].Type == "string" &&
		anyOf[0].Node.Len() == 1 && anyOf[1].Node.Len() == 1
}
