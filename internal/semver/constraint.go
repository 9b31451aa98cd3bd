package semver

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Constraints are ranges of versions, such as ">=1.2 <2 || ^3". A version must be in one of them.
type Constraints struct {
	ranges []allOf
}

// allOf is a range: a version must satisfy each condition. If one of them has a prerelease, prereleases may be in the
// range.
type allOf struct {
	conditions     []*condition
	hasPrereleases bool
}

// condition is one comparison with a version.
type condition struct {
	operator string
	with     *Version
	// isPartial means that a part of the version is missing or x: the minor version, the patch version, or all.
	isPartial, noMinor, noPatch bool
}

const (
	operators = `=||!=|>|<|>=|=>|<=|=<|~|~>|\^`
	partial   = `v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?` + suffixes
	one       = `(` + operators + `)\s*(` + partial + `)`
)

// forms are the regular expressions of constraints.
type forms struct{ single, hyphen, each, all *regexp.Regexp }

var constraintForms = sync.OnceValue(func() forms {
	return forms{
		single: regexp.MustCompile(`^\s*` + one + `\s*$`),
		hyphen: regexp.MustCompile(`\s*(` + partial + `)\s+-\s+(` + partial + `)\s*`),
		each:   regexp.MustCompile(one),
		all:    regexp.MustCompile(`^(\s*` + one + `\s*)((?:\s+|,\s*)` + one + `\s*)*$`),
	}
})

// maxConstraint is the maximum number of bytes of constraints. Each range with a hyphen copies them. In the Chart.yaml
// files of 29 public repositories, they have at most 11.
const maxConstraint = 1000

// NewConstraint reads constraints. "" allows all versions without a prerelease.
func NewConstraint(text string) (*Constraints, error) {
	if len(text) > maxConstraint {
		return nil, fmt.Errorf("improper constraint: more than %d bytes", maxConstraint)
	}
	f := constraintForms()
	for _, m := range f.hyphen.FindAllStringSubmatch(text, -1) {
		text = strings.Replace(text, m[0], fmt.Sprintf(">= %s, <= %s ", m[1], m[11]), 1)
	}
	c := &Constraints{}
	for alternative := range strings.SplitSeq(text, "||") {
		if !f.all.MatchString(alternative) {
			return nil, fmt.Errorf("improper constraint: %s", alternative)
		}
		list := f.each.FindAllString(alternative, -1)
		if list == nil {
			list = []string{alternative}
		}
		var r allOf
		for _, one := range list {
			condition, err := newCondition(one)
			if err != nil {
				return nil, err
			}
			r.hasPrereleases = r.hasPrereleases || condition.with.pre != ""
			r.conditions = append(r.conditions, condition)
		}
		c.ranges = append(c.ranges, r)
	}
	return c, nil
}

func newCondition(text string) (*condition, error) {
	if text == "" {
		return &condition{with: &Version{}, isPartial: true}, nil
	}
	m := constraintForms().single.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("improper constraint: %s", text)
	}
	c, version := &condition{operator: m[1]}, m[2]
	switch {
	case isAny(m[3]):
		c.isPartial, version = true, "0.0.0"+m[6]
	case isAny(m[4]):
		c.isPartial, c.noMinor, version = true, true, m[3]+".0.0"+m[6]
	case isAny(m[5]):
		c.isPartial, c.noPatch, version = true, true, m[3]+m[4]+".0"+m[6]
	}
	var err error
	if c.with, err = NewVersion(version); err != nil {
		return nil, errors.New("constraint parser error")
	}
	return c, nil
}

// isAny reports whether a part of a version is missing or x.
func isAny(part string) bool {
	part = strings.TrimPrefix(part, ".")
	return part == "" || part == "x" || part == "X" || part == "*"
}

// Check reports whether a version is in one of the ranges.
func (c Constraints) Check(v *Version) bool {
	for _, r := range c.ranges {
		if r.contains(v) {
			return true
		}
	}
	return false
}

func (r *allOf) contains(v *Version) bool {
	if v.pre != "" && !r.hasPrereleases {
		return false
	}
	for _, c := range r.conditions {
		if !c.isTrue(v) {
			return false
		}
	}
	return true
}

func (c *condition) isTrue(v *Version) bool {
	switch c.operator {
	case "", "=":
		if c.isPartial {
			return c.isTilde(v)
		}
		return v.Equal(c.with)
	case "!=":
		return c.isDifferent(v)
	case ">":
		return c.isGreater(v)
	case "<":
		return v.LessThan(c.with)
	case ">=", "=>":
		return !v.LessThan(c.with)
	case "<=", "=<":
		return c.isAtMost(v)
	case "~", "~>":
		return c.isTilde(v)
	}
	return c.isCaret(v)
}

func (c *condition) isDifferent(v *Version) bool {
	w := c.with
	switch {
	case !c.isPartial:
		return !v.Equal(w)
	case w.major != v.major:
		return true
	case w.minor != v.minor && !c.noMinor:
		return true
	case c.noMinor:
		return false
	case w.patch != v.patch && !c.noPatch:
		return true
	case c.noPatch:
		return (v.pre != "" || w.pre != "") && comparePrereleases(v.pre, w.pre) != 0
	}
	return !v.Equal(w)
}

func (c *condition) isGreater(v *Version) bool {
	w := c.with
	switch {
	case !c.isPartial:
		return v.Compare(w) > 0
	case v.major != w.major:
		return v.major > w.major
	case c.noMinor:
		return false
	case c.noPatch:
		return v.minor > w.minor
	}
	return v.Compare(w) > 0
}

func (c *condition) isAtMost(v *Version) bool {
	w := c.with
	if !c.isPartial {
		return v.Compare(w) <= 0
	}
	return v.major <= w.major && !(v.major == w.major && v.minor > w.minor && !c.noMinor)
}

// isTilde reports whether a version has the same major and minor version, and is not lower. "~0.0.0" allows all.
func (c *condition) isTilde(v *Version) bool {
	w := c.with
	switch {
	case v.LessThan(w):
		return false
	case w.major == 0 && w.minor == 0 && w.patch == 0 && !c.noMinor && !c.noPatch:
		return true
	}
	return v.major == w.major && (v.minor == w.minor || c.noMinor)
}

// isCaret reports whether a version has the same first number that is not 0, and is not lower.
func (c *condition) isCaret(v *Version) bool {
	w := c.with
	switch {
	case v.LessThan(w) || v.major != w.major:
		return false
	case w.major > 0 || c.noMinor:
		return true
	case w.minor > 0 || c.noPatch:
		return v.minor == w.minor
	}
	return v.minor == 0 && v.patch == w.patch
}
