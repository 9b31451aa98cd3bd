package schema

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// checkCombinators checks anyOf, oneOf, allOf and not (kube-openapi, schemaPropsValidator.Validate). If no alternative
// matches, the violations of the alternative that came closest are the causes. Within alternatives, nothing is
// forgiven on an update.
func (c *Checker) checkCombinators(n manifest.Node, s *Schema) {
	if len(s.AnyOf) > 0 {
		c.checkAnyOf(n, s)
	}
	if len(s.OneOf) > 0 {
		c.checkOneOf(n, s)
	}
	for _, branch := range s.AllOf {
		c.checkValue(n, branch, nil)
	}
	if s.Not != nil && len(c.try(n, s.Not).found) == 0 {
		c.forbidden(n, s)
	}
}

// branch is the outcome of one alternative.
type branch struct {
	found   []finding
	causes  int // described causes of found
	matches int
}

// try checks one alternative, and removes its violations from the list again.
func (c *Checker) try(n manifest.Node, s *Schema) branch {
	before, causes, matches, lists := len(c.found), c.causes, c.matches, len(c.lists)
	c.matches = 0
	c.checkValue(n, s, nil)
	b := branch{slices.Clone(c.found[before:]), c.causes - causes, c.matches}
	c.found, c.causes, c.matches, c.lists = c.found[:before], causes, matches, c.lists[:lists]
	return b
}

func (c *Checker) checkAnyOf(n manifest.Node, s *Schema) {
	var f failed
	for _, alternative := range s.AnyOf {
		b := c.try(n, alternative)
		if len(b.found) == 0 {
			c.matches += b.matches
			return
		}
		f.add(b)
	}
	c.noneMatches(n, s, choice{"anyOf", "at least one", s.AnyOf}, &f)
}

func (c *Checker) checkOneOf(n manifest.Node, s *Schema) {
	var f failed
	var matching []*Schema
	matches := 0
	for _, alternative := range s.OneOf {
		b := c.try(n, alternative)
		if len(b.found) > 0 {
			f.add(b)
			continue
		}
		if len(matching) == 0 {
			matches = b.matches
		}
		matching = append(matching, alternative)
	}
	switch len(matching) {
	case 0:
		c.noneMatches(n, s, choice{"oneOf", "exactly one", s.OneOf}, &f)
	case 1:
		c.matches += matches
	default:
		c.severalMatch(n, s, matching)
	}
}

// failed are alternatives that a value does not match.
type failed struct {
	count   int
	closest branch // the first of those with the most matches, as upstream
	index   int    // of the closest one
	// lone are the violations of the first alternatives that have only one.
	lone []loneViolation
}

type loneViolation struct {
	index int
	found *diag.Violation
}

// mostAlternatives is the maximum number of alternatives that a violation describes in addition to the closest one. In
// 29 public repositories, a schema has up to 15, which would hide the closest one.
const mostAlternatives = 3

func (f *failed) add(b branch) {
	if f.count == 0 || b.matches > f.closest.matches {
		f.closest, f.index = b, f.count
	}
	if len(b.found) == 1 && b.found[0].described != nil && len(f.lone) <= mostAlternatives {
		f.lone = append(f.lone, loneViolation{f.count, b.found[0].described})
	}
	f.count++
}

// causes returns the violations of the closest alternative.
func (f *failed) causes() []diag.Violation {
	var causes []diag.Violation
	for i := range f.closest.found {
		if v := f.closest.found[i].described; v != nil {
			causes = append(causes, *v)
		}
	}
	return causes
}

// others describes alternatives other than the closest one that have only one violation.
func (f *failed) others() []diag.Related {
	var notes []diag.Related
	for _, lone := range f.lone {
		if lone.index == f.index || len(notes) == mostAlternatives {
			continue
		}
		v := lone.found
		if roots := slices.Collect(v.Roots()); len(roots) == 1 {
			v = roots[0]
		}
		notes = append(notes, diag.Related{Place: v.Place, Message: "another alternative: " + v.Headline()})
	}
	return notes
}

// noneMatches reports a value that matches no alternative of a keyword. If the schema has its own message for that,
// the violations of the alternatives are not described.
func (c *Checker) noneMatches(n manifest.Node, s *Schema, of choice, f *failed) {
	v := diag.Violation{Rule: diag.NoMatch, Message: "matches none of the alternatives (" + of.keyword + ")"}
	isMisspelled := !slices.ContainsFunc(f.closest.found, func(cause finding) bool { return !cause.follows })
	if names, ok := requiredNames(of.alternatives); ok {
		c.noneSet(&v, n, of, names)
		isMisspelled = c.isMisspelled(n, names...)
	} else {
		v.Causes, v.Related = f.causes(), f.others()
	}
	hasOwnWords := c.say(&v, n, s, of.keyword)
	if hasOwnWords {
		v.Causes, v.Related = nil, nil
	}
	if isMisspelled {
		c.follows(n, v.Rule, false)
		v.Causes = nil
	} else {
		c.Add(n, v)
	}
	if hasOwnWords {
		return
	}
	c.found[len(c.found)-1].causes = f.closest.found
	c.causes += f.closest.causes + len(v.Causes)
	c.matches += f.closest.matches
}

// severalMatch reports a value that matches several alternatives of oneOf.
func (c *Checker) severalMatch(n manifest.Node, s *Schema, matching []*Schema) {
	v := diag.Violation{
		Rule:    diag.NoMatch,
		Message: "matches " + number(int64(len(matching))) + " alternatives, but only one is allowed (oneOf)",
	}
	if names, ok := requiredNames(matching); ok {
		severalSet(&v, names)
	}
	c.say(&v, n, s, "oneOf")
	c.Add(n, v)
}

// forbidden reports a value that matches the schema of not.
func (c *Checker) forbidden(n manifest.Node, s *Schema) {
	v := diag.Violation{Rule: diag.NoMatch, Place: n.HeadPlace(), Help: firstSentence(s.Not.Description)}
	v.Message = s.Not.forbiddenWords()
	c.say(&v, n, s, "not")
	c.Add(n, v)
}
