package parity

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// Differences compares our violations with the server's verdict: whether the request is accepted and, if the server
// lists causes, the field and reason of each cause. It returns one line per difference, or nil if both agree.
func Differences(v Verdict, ours []diag.Violation) []string {
	if refused := isRefused(ours); refused == v.Accepted {
		return []string{fmt.Sprintf("accepted: have %v, want %v", !refused, v.Accepted)}
	}
	ours = slices.DeleteFunc(slices.Clone(ours), isOnlyWarning)
	if slices.ContainsFunc(ours, func(v diag.Violation) bool {
		return isPath(v.Path, "kind") || isPath(v.Path, "apiVersion")
	}) {
		return nil // the server continues, but we have no schema
	}
	switch v.Stage {
	case "validation":
		have, want := ourCauses(ours), theirCauses(v.Causes)
		if isBlocked(v.Causes) {
			have = slices.DeleteFunc(have, func(c cause) bool { return c.rule })
		}
		return difference(settle(have), settle(want))
	case "strict":
		return strictDifference(v.Causes, ours)
	}
	return nil
}

// isOnlyWarning reports whether a violation is about what a server accepts: JSON with faults that kubectl reads as YAML,
// and a list where the schema declares a string. Both readers report keys that become equal.
func isOnlyWarning(v diag.Violation) bool {
	return v.Severity != diag.Error && v.Rule != diag.DuplicateKey
}

func isPath(p diag.Path, field string) bool { return slices.Equal(p, diag.Fields(field)) }

func isRefused(ours []diag.Violation) bool {
	return slices.ContainsFunc(ours, func(v diag.Violation) bool { return v.Severity == diag.Error })
}

// cause is the part of a cause that is compared.
type cause struct {
	field, reason string
	rule          bool // of a CEL rule
	headline      bool // of anyOf, oneOf or not; what follows below depends on which alternative is the nearest
}

const notChecked = "some validation rules were not checked"

// isBlocked reports whether the server did not evaluate the rules. We evaluate the rules that can be evaluated.
func isBlocked(causes []Cause) bool {
	return slices.ContainsFunc(causes, func(c Cause) bool { return strings.Contains(c.Message, notChecked) })
}

var (
	headlineOf = regexp.MustCompile(`^Invalid value: "": ("?.*?"?) must (?:not )?validate `)
	forbidden  = regexp.MustCompile(`(?s)^Invalid value: "(?:[^"\\]|\\.)*": (.+) in body is a forbidden property`)
	rangeOf    = regexp.MustCompile(`(?s)value must be of type .*? in (.*)$`)
)

func theirCauses(causes []Cause) []cause {
	var out []cause
	for _, c := range causes {
		field := c.Field
		if field == "<nil>" {
			field = ""
		}
		headline := headlineOf.FindStringSubmatch(c.Message)
		inRange := rangeOf.FindStringSubmatch(c.Message)
		switch {
		case strings.Contains(c.Message, notChecked), strings.Contains(c.Message, "(allOf)"):
			continue
		case field == "" && headline != nil:
			if text, err := strconv.Unquote(headline[1]); err == nil {
				headline[1] = text
			}
			out = append(out, cause{field: normal(headline[1]), reason: "FieldValueInvalid", headline: true})
			continue
		case field == "" && inRange != nil:
			field = inRange[1]
		}
		if m := forbidden.FindStringSubmatch(c.Message); m != nil {
			field = m[1]
		}
		out = append(out, cause{field: normal(field), reason: c.Reason})
	}
	return out
}

// reasons maps our rules to the server's words.
var reasons = map[diag.Rule]string{
	diag.MissingField: "FieldValueRequired", diag.WrongType: "FieldValueTypeInvalid",
	diag.BadFormat: "FieldValueTypeInvalid",
	diag.NotInEnum: "FieldValueNotSupported", diag.DuplicateItem: "FieldValueDuplicate",
}

// ourCauses returns our violations and their causes, which the server lists side by side.
func ourCauses(ours []diag.Violation) []cause {
	var out []cause
	for i := range ours {
		for v := range ours[i].All() {
			out = append(out, ourCause(v))
		}
	}
	return out
}

func ourCause(v *diag.Violation) cause {
	c := cause{field: normal(v.Path.String()), reason: reasons[v.Rule], headline: v.Rule == diag.NoMatch}
	if v.Reason != "" {
		c.reason = v.Reason
	}
	switch {
	case v.Rule == diag.CEL, v.Rule == diag.ImmutableChanged:
		c.rule, c.reason = true, v.Reason
		if c.reason == "" || c.reason == "Invalid" {
			c.reason = "FieldValueInvalid"
		}
	case v.Rule == diag.BadLength && strings.HasPrefix(v.Message, "must be at most"):
		c.reason = "FieldValueTooLong"
	case v.Rule == diag.BadMetadata && strings.HasPrefix(v.Message, "annotations must have at most"):
		c.reason = "FieldValueTooLong"
	case c.reason == "":
		c.reason = "FieldValueInvalid"
	}
	return c
}

var (
	quotedKey = regexp.MustCompile(`\["(?:[^"\\]|\\.)*"\]`)
	mapKey    = regexp.MustCompile(`\[([^\]]*)\]`)
)

// normal converts a field to a form that can be compared: keys and indexes unquoted, each after a dot.
func normal(field string) string {
	if strings.Contains(field, `["`) {
		field = quotedKey.ReplaceAllStringFunc(field, func(key string) string {
			if text, err := strconv.Unquote(key[1 : len(key)-1]); err == nil {
				return "." + text
			}
			return key
		})
	}
	return strings.TrimPrefix(mapKey.ReplaceAllString(field, ".$1"), ".")
}

// settle drops causes that one side reports more often than the other: other causes at a value of the wrong type,
// causes below a headline, and causes for the name that follow from a bad generateName.
func settle(causes []cause) []string {
	var wrongType, headlines []string
	generated := false
	for _, c := range causes {
		if c.reason == "FieldValueTypeInvalid" {
			wrongType = append(wrongType, c.field)
		}
		generated = generated || c.field == "metadata.generateName"
	}
	for _, c := range causes {
		if c.headline && !slices.Contains(wrongType, c.field) {
			headlines = append(headlines, c.field)
		}
	}
	var out []string
	for _, c := range causes {
		switch {
		case generated && c.field == "metadata.name":
		case c.reason != "FieldValueTypeInvalid" && slices.Contains(wrongType, c.field):
		case !c.headline && slices.ContainsFunc(headlines, func(h string) bool { return isBelow(c.field, h) }):
		default:
			out = append(out, metadataOf(c.field)+" "+c.reason)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// metadataOf shortens a field to the metadata that contains it, because our labels have their own places there.
func metadataOf(field string) string {
	if strings.HasPrefix(field, "metadata.") {
		return "metadata"
	}
	if i := strings.Index(field, ".metadata."); i >= 0 {
		return field[:i+len(".metadata")]
	}
	return field
}

func isBelow(field, above string) bool {
	return field == above || above == "" || strings.HasPrefix(field, above+".")
}

func difference(have, want []string) []string {
	var out []string
	for _, c := range have {
		if !slices.Contains(want, c) {
			out = append(out, "only with us: "+c)
		}
	}
	for _, c := range want {
		if !slices.Contains(have, c) {
			out = append(out, "only with the server: "+c)
		}
	}
	return out
}

// isInWrongType reports whether a field is within a value of the wrong type. Except on updates, which may forgive that, we
// report only the type.
func isInWrongType(field string, ours []diag.Violation) bool {
	return slices.ContainsFunc(ours, func(v diag.Violation) bool {
		return v.Rule == diag.WrongType && strings.HasPrefix(field, normal(v.Path.String())+".")
	})
}

// strictDifference compares unknown fields by name, and duplicate keys only by whether there are any. A strict
// error hides all other causes.
func strictDifference(causes []Cause, ours []diag.Violation) []string {
	var have, want []string
	for _, v := range ours {
		switch v.Rule {
		case diag.UnknownField:
			if v.Reason != "" {
				continue // additionalProperties: false, which the server finds at a later stage
			}
			if field := normal(v.Path.String()); !isInWrongType(field, ours) {
				have = append(have, "unknown "+field)
			}
		case diag.DuplicateKey:
			have = append(have, "duplicate key")
		}
	}
	for _, c := range causes {
		field := normal(c.Field)
		switch {
		case c.Reason != "Unknown":
			want = append(want, "duplicate key")
		case !isInWrongType(field, ours):
			want = append(want, "unknown "+field)
		}
	}
	return difference(have, want)
}
