package schema

import "github.com/kindvet/kindvet/internal/manifest"

// Values is how a server reads the values of a document: as JSON, which it validates as it is, or as Go types, into
// which it decodes them first. The walk over a document and its schema asks it where the two differ. The calls cost
// nothing that can be measured: a document that certainly conforms, as most do, needs hardly any of them.
type Values interface {
	// Begin reports whether a value has a type that the schema allows. If isDone is set, nothing else about the value is
	// checked.
	Begin(n manifest.Node, s *Schema) (isTyped, isDone bool)
	// Empty reports what is checked about an empty string: its length, pattern and format, and whether it is allowed.
	Empty(s *Schema) (checksText, checksEnum bool)
	// Fields checks the fields of an object.
	Fields(n manifest.Node, s *Schema, old *Correlation)
	// Fill completes a default that has been added to the document.
	Fill(n manifest.Node, s *Schema)
	// Conforms reports whether a value is certainly valid. It may return false for a valid one.
	Conforms(n manifest.Node, s *Schema) bool
	// DecodesMeta reports whether metadata can be decoded. It records what prevents that.
	DecodesMeta(meta manifest.Node) bool
}

// custom are the values of custom resources.
type custom struct{ c *Checker }

func (v custom) Begin(n manifest.Node, s *Schema) (isTyped, isDone bool) {
	if n.Type() == manifest.Null {
		v.c.checkNull(n, s)
		return false, true
	}
	return v.c.checkType(n, s), false
}

func (custom) Empty(*Schema) (checksText, checksEnum bool) { return true, true }

func (v custom) Fields(n manifest.Node, s *Schema, old *Correlation) { v.c.checkMap(n, s, old) }

func (v custom) Fill(n manifest.Node, s *Schema) { v.c.prune(n, s, true) }

func (v custom) Conforms(n manifest.Node, s *Schema) bool { return v.c.conformsValue(n, s) }

func (v custom) DecodesMeta(meta manifest.Node) bool { return v.c.metaStruct(meta, objectMetaFields) }
