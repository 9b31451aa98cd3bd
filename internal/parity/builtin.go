package parity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
)

// KnowsBuiltin reports whether kindvet has a schema of a built-in kind, such as "apps/v1 Deployment", or of the items
// of its list.
func KnowsBuiltin(kind string) bool {
	apiVersion, name, _ := strings.Cut(kind, " ")
	group, version := catalog.SplitAPIVersion(apiVersion)
	if kind == "v1 List" {
		name = "Namespace" // a list of any kind, with a Namespace and another object
	}
	_, _, ok := embedded().Lookup(group, version, name)
	return ok
}

// CheckBuiltin returns our violations of a request for an object of a built-in kind.
func CheckBuiltin(q Request) []diag.Violation { return Check(embedded(), q) }

// BuiltinDifferences compares our violations of an object of a built-in kind with the server's verdict. Whatever the
// server accepts, we must accept. Whatever it rejects on decoding, we must reject, at the same places. Whatever it
// rejects on validation, we may reject, but not because of its shape.
func BuiltinDifferences(c Case, ours []diag.Violation) []string {
	ours = slices.DeleteFunc(slices.Clone(ours), func(v diag.Violation) bool { return v.Severity != diag.Error })
	switch c.Verdict.Stage {
	case "":
		return onlyOurs(ours)
	case "validation":
		return onlyOurs(slices.DeleteFunc(ours, func(v diag.Violation) bool { return !slices.Contains(shapeRules, v.Rule) }))
	case "decode", "strict":
		if len(ours) == 0 {
			return []string{"only with the server: " + causeText(c.Verdict.Causes[0])}
		}
		if IsListKind(c.Kind) {
			return nil // the server names fields of an item
		}
		if c.Verdict.Stage == "strict" {
			return strictDifference(c.Verdict.Causes, ours)
		}
		return decodeDifference(c.Verdict.Causes[0], ours)
	}
	return nil
}

// shapeRules are the rules of violations that the server finds on decoding, before any validation.
var shapeRules = []diag.Rule{diag.Syntax, diag.DuplicateKey, diag.UnknownField, diag.WrongType}

// IsListKind reports whether a kind is that of a list.
func IsListKind(kind string) bool { return strings.HasSuffix(kind, "List") }

func onlyOurs(ours []diag.Violation) []string {
	var out []string
	for _, v := range ours {
		out = append(out, fmt.Sprintf("only with us: %s: %s [%s]", v.Path.String(), v.Message, v.Rule))
	}
	return out
}

func causeText(c Cause) string { return strings.TrimSpace(c.Field + " " + c.Reason + " " + c.Message) }

var anIndex = regexp.MustCompile(`\.\d+\b`)

// decodeDifference compares the place of an error on decoding, of which the server reports only the first, by the names
// of Go fields. A value of a map is named like the map itself.
func decodeDifference(c Cause, ours []diag.Violation) []string {
	want := withoutIndexes(normal(c.Field))
	if want == "" || slices.ContainsFunc(ours, func(v diag.Violation) bool { return isBelow(withoutIndexes(normal(v.Path.String())), want) }) {
		return nil
	}
	return []string{"only with the server: " + causeText(c), "only with us: " + ours[0].Path.String() + ": " + ours[0].Message}
}

func withoutIndexes(field string) string { return anIndex.ReplaceAllString(field, "") }
