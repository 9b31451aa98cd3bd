package schema

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// checkCombinators checks anyOf, oneOf, allOf and not (kube-openapi, schemaPropsValidator.Validate). If no alternative
// matches, it also reports the violations of the alternative that came closest. Within alternatives, nothing is
// forgiven on an update.
func (c *checker) checkCombinators(n manifest.Node, s *Schema) {
	if len(s.AnyOf) > 0 {
		c.checkAnyOf(n, s)
	}
	if len(s.OneOf) > 0 {
		c.checkOneOf(n, s)
	}
	for _, branch := range s.AllOf {
		c.checkValue(n, branch, nil)
	}
	if s.Not != nil {
		before, matches := len(c.found), c.matches
		c.checkValue(n, s.Not, nil)
		ok := len(c.found) > before
		c.found, c.matches = c.found[:before], matches
		if !ok {
			v := diag.Violation{
				Rule:    diag.NoMatch,
				Message: "matches the forbidden schema (not)",
				Help:    firstSentence(s.Not.Description),
				Place:   n.HeadPlace(),
			}
			c.say(&v, n, s, "not")
			c.add(n, v)
		}
	}
}

// branch is the outcome of one alternative.
type branch struct {
	found   []finding
	matches int
}

// try checks one alternative, and removes its violations from the list again.
func (c *checker) try(n manifest.Node, s *Schema) branch {
	before, matches := len(c.found), c.matches
	c.matches = 0
	c.checkValue(n, s, nil)
	b := branch{append([]finding(nil), c.found[before:]...), c.matches}
	c.found, c.matches = c.found[:before], matches
	return b
}

// keep adopts the outcome of an alternative as that of the value.
func (c *checker) keep(b branch) {
	c.found = append(c.found, b.found...)
	c.matches += b.matches
}

func (c *checker) checkAnyOf(n manifest.Node, s *Schema) {
	var best branch
	for i, alternative := range s.AnyOf {
		b := c.try(n, alternative)
		if len(b.found) == 0 {
			c.keep(b)
			return
		}
		if i == 0 || b.matches > best.matches {
			best = b
		}
	}
	if !c.noMatch(n, s, "anyOf", "matches none of the alternatives (anyOf)") {
		c.keep(best)
	}
}

func (c *checker) checkOneOf(n manifest.Node, s *Schema) {
	var best, first branch
	matching := 0
	for i, alternative := range s.OneOf {
		b := c.try(n, alternative)
		switch {
		case len(b.found) == 0:
			if matching == 0 {
				first = b
			}
			matching++
		case i == 0 || matching == 0 && b.matches > best.matches:
			best = b
		}
	}
	switch matching {
	case 0:
		if !c.noMatch(n, s, "oneOf", "matches none of the alternatives (oneOf)") {
			c.keep(best)
		}
	case 1:
		c.keep(first)
	default:
		c.noMatch(n, s, "oneOf", "matches "+number(int64(matching))+" alternatives, but only one is allowed (oneOf)")
	}
}

// noMatch reports a value for which too few or too many alternatives of a keyword match. It returns true if the schema
// has its own message for that, which needs no further violations next to it.
func (c *checker) noMatch(n manifest.Node, s *Schema, name, message string) bool {
	alternatives, howMany := s.AnyOf, "at least one"
	if name == "oneOf" {
		alternatives, howMany = s.OneOf, "exactly one"
	}
	v := diag.Violation{Rule: diag.NoMatch, Message: message, Help: "make " + howMany + " of the alternatives match"}
	if names, ok := requiredNames(alternatives); ok {
		v.Help = "set " + howMany + " of " + strings.Join(names, ", ")
	}
	ownWords := c.say(&v, n, s, name)
	c.add(n, v)
	return ownWords
}

// requiredNames returns the field that each alternative requires, if the alternatives state nothing else.
func requiredNames(alternatives []*Schema) ([]string, bool) {
	var names []string
	for _, s := range alternatives {
		if s.Node.Len() != 1 || len(s.Required) != 1 {
			return nil, false
		}
		names = append(names, quote(s.Required[0]))
	}
	return names, true
}
