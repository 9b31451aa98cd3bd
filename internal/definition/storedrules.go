package definition

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// storedRules are the rules and messageExpressions in all schemas of an installed CRD (apiextensions-apiserver,
// validation.findPreexistingExpressions). The server allows more in them than in new ones.
type storedRules struct {
	rules, messages map[string]bool
	hasOptional     bool // one of them has optionalOldSelf
}

func (c *checker) isStoredRule(rule string) bool {
	c.readStored()
	return c.storedRules.rules[rule]
}

func (c *checker) isStoredMessage(message string) bool {
	c.readStored()
	return c.storedRules.messages[message]
}

func (c *checker) readStored() {
	if !c.old.Valid() || c.storedRules.rules != nil {
		return
	}
	c.storedRules = storedRules{rules: map[string]bool{}, messages: map[string]bool{}}
	for version := range children(at(c.old, "spec", "versions")) {
		c.storedRules.add(at(version, "schema", "openAPIV3Schema"), c.server.Minor)
	}
}

// swappedMessages is the last minor version of Kubernetes 1 that keeps the rules that have a messageExpression in the place
// of these.
const swappedMessages = 30

// add adds those of a schema and of the schemas below it (apiextensions-apiserver, validation.SchemaHas).
func (s *storedRules) add(n manifest.Node, minor int) {
	if !n.Valid() || n.Type() != manifest.Map {
		return
	}
	for f := range n.Children() {
		switch f.Key() {
		case "x-kubernetes-validations":
			for r := range children(f) {
				rule, message := r.TextAt("rule"), r.TextAt("messageExpression")
				s.rules[strings.Clone(rule)] = true
				s.hasOptional = s.hasOptional || at(r, "optionalOldSelf").Valid()
				switch {
				case message == "":
				case minor > 0 && minor <= swappedMessages:
					s.messages[strings.Clone(rule)] = true
				default:
					s.messages[strings.Clone(message)] = true
				}
			}
		case "items", "additionalItems", "additionalProperties", "not":
			s.add(f, minor)
			s.addAll(f, minor)
		case "allOf", "anyOf", "oneOf":
			s.addAll(f, minor)
		case "properties", "patternProperties", "definitions", "dependencies":
			for below := range children(f) {
				s.add(below, minor)
			}
		}
	}
}

// addAll adds those of the schemas in a list.
func (s *storedRules) addAll(n manifest.Node, minor int) {
	if n.Type() == manifest.List {
		for item := range n.Children() {
			s.add(item, minor)
		}
	}
}
