// Package semver holds semantic versions and ranges of them, as Helm and its templates use them.
//
// It behaves as github.com/Masterminds/semver, which Helm uses. That package compiles its regular expressions when a
// program starts. Here they are compiled on first use, so a program that reads no chart does not pay for them.
// Decide anew if that package compiles them on first use, too.
package semver

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Version is a semantic version. Templates call its methods.
type Version struct {
	major, minor, patch     uint64
	pre, metadata, original string
}

var (
	errInvalid      = errors.New("invalid semantic version")
	errLeadingZero  = errors.New("version segment starts with 0")
	errInvalidPre   = errors.New("invalid prerelease string")
	errInvalidBuild = errors.New("invalid metadata string")
)

const (
	identifiers = `([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*)`
	suffixes    = `(-` + identifiers + `)?(\+` + identifiers + `)?`
)

var versionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?` + suffixes + `$`)
})

// NewVersion reads a version. Minor and patch may be missing, and numbers may start with 0.
func NewVersion(text string) (*Version, error) {
	m := versionForm().FindStringSubmatch(text)
	if m == nil {
		return nil, errInvalid
	}
	v := &Version{pre: m[5], metadata: m[8], original: text}
	for i, into := range []*uint64{&v.major, &v.minor, &v.patch} {
		digits := strings.TrimPrefix(m[i+1], ".")
		if digits == "" {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("error parsing version segment: %w", err)
		}
		*into = n
	}
	if err := checkPrerelease(v.pre); err != nil {
		return nil, err
	}
	return v, checkMetadata(v.metadata)
}

// New returns the version of three numbers.
func New(major, minor, patch uint64) *Version {
	v := Version{major: major, minor: minor, patch: patch}
	v.original = v.String()
	return &v
}

func checkPrerelease(text string) error {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ".") {
		switch {
		case isNumber(part) && len(part) > 1 && part[0] == '0':
			return errLeadingZero
		case !isIdentifier(part):
			return errInvalidPre
		}
	}
	return nil
}

func checkMetadata(text string) error {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ".") {
		if !isIdentifier(part) {
			return errInvalidBuild
		}
	}
	return nil
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

func isIdentifier(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-')
	}) < 0
}

// String returns the version with three numbers, and without a leading v.
func (v Version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)
	if v.pre != "" {
		text += "-" + v.pre
	}
	if v.metadata != "" {
		text += "+" + v.metadata
	}
	return text
}

// Original returns the version as it was written.
func (v *Version) Original() string { return v.original }

// Major, Minor, Patch, Prerelease and Metadata return the parts of a version.

func (v Version) Major() uint64      { return v.major }
func (v Version) Minor() uint64      { return v.minor }
func (v Version) Patch() uint64      { return v.patch }
func (v Version) Prerelease() string { return v.pre }
func (v Version) Metadata() string   { return v.metadata }

// MarshalJSON returns the version as a string.
func (v Version) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, v.String()), nil }

// MarshalText returns the version.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// named returns a version with the original that its parts make.
func (v Version) named(parts Version) Version {
	parts.original = parts.String()
	if strings.HasPrefix(v.original, "v") {
		parts.original = "v" + parts.original
	}
	return parts
}

// IncPatch, IncMinor and IncMajor return the next version.

func (v Version) IncPatch() Version {
	next := Version{major: v.major, minor: v.minor, patch: v.patch}
	if v.pre == "" {
		next.patch++
	}
	return v.named(next)
}

func (v Version) IncMinor() Version { return v.named(Version{major: v.major, minor: v.minor + 1}) }
func (v Version) IncMajor() Version { return v.named(Version{major: v.major + 1}) }

// SetPrerelease returns the version with another prerelease.
func (v Version) SetPrerelease(text string) (Version, error) {
	if err := checkPrerelease(text); err != nil {
		return v, err
	}
	next := v
	next.pre = text
	return v.named(next), nil
}

// SetMetadata returns the version with other metadata.
func (v Version) SetMetadata(text string) (Version, error) {
	if err := checkMetadata(text); err != nil {
		return v, err
	}
	next := v
	next.metadata = text
	return v.named(next), nil
}

// LessThan, LessThanEqual, GreaterThan, GreaterThanEqual and Equal compare two versions.

func (v *Version) LessThan(o *Version) bool         { return v.Compare(o) < 0 }
func (v *Version) LessThanEqual(o *Version) bool    { return v.Compare(o) <= 0 }
func (v *Version) GreaterThan(o *Version) bool      { return v.Compare(o) > 0 }
func (v *Version) GreaterThanEqual(o *Version) bool { return v.Compare(o) >= 0 }
func (v *Version) Equal(o *Version) bool {
	return v == o || v != nil && o != nil && v.Compare(o) == 0
}

// Compare returns a negative number, 0 or a positive number if v is lower than, equal to or higher than o. Metadata
// does not count.
func (v *Version) Compare(o *Version) int {
	if d := cmp.Or(cmp.Compare(v.major, o.major), cmp.Compare(v.minor, o.minor), cmp.Compare(v.patch, o.patch)); d != 0 {
		return d
	}
	switch {
	case v.pre == o.pre:
		return 0
	case v.pre == "":
		return 1
	case o.pre == "":
		return -1
	}
	return comparePrereleases(v.pre, o.pre)
}

func comparePrereleases(v, o string) int {
	own, other := strings.Split(v, "."), strings.Split(o, ".")
	for i := range max(len(own), len(other)) {
		if i >= len(own) {
			return -1
		}
		if i >= len(other) {
			return 1
		}
		if d := comparePart(own[i], other[i]); d != 0 {
			return d
		}
	}
	return 0
}

// comparePart compares two parts of prereleases. A number is lower than a text.
func comparePart(v, o string) int {
	own, notOwn := strconv.ParseUint(v, 10, 64)
	other, notOther := strconv.ParseUint(o, 10, 64)
	switch {
	case v == o:
		return 0
	case notOwn != nil && notOther != nil:
		return strings.Compare(v, o)
	case notOther != nil:
		return -1
	case notOwn != nil || own > other:
		return 1
	}
	return -1
}
