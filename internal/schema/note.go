package schema

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Message replaces the message about a value that a keyword rejects, where the default message would not state the
// rule.
type Message struct {
	Text, Help string
	// At names fields of the value. The first field that is present is marked, or the value itself if none is.
	At []string
}

// keyword is a keyword of one schema.
type keyword struct {
	schema *Schema
	name   string
}

// find follows a path such as spec.ports[].maxItems to a keyword. It returns false if the schema does not have it.
func (s *Schema) find(path string) (keyword, bool) {
	steps := strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
	last := len(steps) - 1
	for _, name := range steps[:last] {
		if name == "" {
			continue
		}
		below := s.Items
		if name != "[]" {
			below, _ = s.Property(name)
		}
		if below == nil {
			return keyword{}, false
		}
		s = below
	}
	_, ok := s.Node.Field(steps[last])
	return keyword{s, steps[last]}, ok
}

// SetMessage replaces the message of the keyword at a path such as spec.anyOf. It returns false if there is no such
// keyword, or if the keyword cannot have a message. It must be called before the first [Check].
func (s *Schema) SetMessage(path string, m Message) bool {
	k, ok := s.find(path)
	if !ok || !slices.Contains([]string{
		"anyOf", "oneOf", "not", "minProperties", "maxProperties", "minItems", "maxItems",
	}, k.name) {
		return false
	}
	if k.schema.messages == nil {
		k.schema.messages = map[string]Message{}
	}
	k.schema.messages[k.name] = m
	return true
}

// DropLimit removes the limit at a path such as spec.ports.maxItems. It returns the keyword in the
// CustomResourceDefinition, which is left as it is, or false if there is none. It must be called before the first
// [Check].
func (s *Schema) DropLimit(path string) (manifest.Node, bool) {
	k, ok := s.find(path)
	if !ok {
		return manifest.Node{}, false
	}
	switch k.name {
	case "maxItems":
		k.schema.MaxItems = nil
	case "maxLength":
		k.schema.MaxLength = nil
	case "maxProperties":
		k.schema.MaxProperties = nil
	default:
		return manifest.Node{}, false
	}
	return k.schema.Node.Field(k.name)
}

// SetOwn notes that the specification of the kind does not state the keyword at a path. It returns false if the schema
// does not have the keyword.
func (s *Schema) SetOwn(path string) bool {
	k, ok := s.find(path)
	if ok {
		k.schema.Own = append(k.schema.Own, k.name)
	}
	return ok
}

// Message returns the message that replaces the default one of a keyword.
func (s *Schema) Message(keyword string) (Message, bool) {
	m, ok := s.messages[keyword]
	return m, ok
}

// say replaces the message of a violation of n with the one that the schema has for the keyword.
func (c *Checker) say(v *diag.Violation, n manifest.Node, s *Schema, name string) bool {
	m, ok := s.Message(name)
	if !ok {
		return false
	}
	v.Message, v.Help = m.Text, m.Help
	for _, field := range m.At {
		if f, found := n.Field(field); found {
			v.Place = f.Place()
			break
		}
	}
	return true
}
