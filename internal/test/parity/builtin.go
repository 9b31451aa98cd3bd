package parity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
)

// CheckBuiltin returns our violations of a request for an object of a kind of Kubernetes 1.minor; 0 is the newest version.
func CheckBuiltin(minor int, q Request) []diag.Violation {
	return Check(kindsOf(minor), q)
}

// kindsOf returns the kinds of Kubernetes 1.minor.
func kindsOf(minor int) *catalog.Catalog {
	minor = cmp.Or(minor, catalog.NewestKubernetes)
	if c, ok := kinds.Load(minor); ok {
		return c.(*catalog.Catalog)
	}
	c, _ := kinds.LoadOrStore(minor, catalog.For(catalog.Server{Minor: minor}, catalog.KubernetesKinds(minor), catalog.BuiltInKinds()))
	return c.(*catalog.Catalog)
}

var kinds sync.Map // catalogs by minor version

// BuiltinDifferences compares our violations of an object of a built-in kind with the server's verdict. Whatever the
// server accepts, we must accept. Whatever it rejects on decoding, we must reject, at the same places. Whatever it
// rejects on validation, we may reject, but not because of its shape; [IsMissed] and [BuiltinPlace] compare the rest.
func BuiltinDifferences(c Case, ours []diag.Violation) []string {
	ours = slices.DeleteFunc(slices.Clone(ours), func(v diag.Violation) bool { return v.Severity != diag.Error })
	switch c.Verdict.Stage {
	case "":
		return onlyOurs(ours)
	case "validation":
		return onlyOurs(slices.DeleteFunc(ours, func(v diag.Violation) bool {
			return !slices.Contains(shapeRules, v.Rule) || isCause(c, v)
		}))
	case "decode", "strict":
		switch {
		case len(ours) == 0:
			return []string{"only with the server: " + causeText(c.Verdict.Causes[0])}
		case IsListKind(c.Kind), slices.ContainsFunc(ours, hidesOthers):
			return nil // the server names fields of an item
		case c.Verdict.Stage == "strict":
			return unknownDifference(c.Verdict.Causes, ours)
		}
		return decodeDifference(c.Verdict.Causes[0], ours)
	}
	return nil
}

// isCause reports whether a violation is at a field of which the server's validation complains, too: a type that only
// the validation checks, such as that of a raw object.
func isCause(c Case, v diag.Violation) bool {
	return slices.ContainsFunc(c.Verdict.Causes, func(other Cause) bool {
		field := normal(v.Path.String())
		return field == normal(other.Field) || strings.HasSuffix(field, "."+normal(other.Field))
	})
}

// hidesOthers reports whether a violation hides others from us or from the server: of two values with the same key
// each side may check another one.
func hidesOthers(v diag.Violation) bool { return v.Rule == diag.DuplicateKey || v.Rule == diag.Syntax }

// shapeRules are the rules of violations that the server finds on decoding, before any validation.
var shapeRules = []diag.Rule{diag.Syntax, diag.DuplicateKey, diag.UnknownField, diag.WrongType}

func onlyOurs(ours []diag.Violation) []string {
	var out []string
	for _, v := range ours {
		out = append(out, fmt.Sprintf("only with us: %s: %s [%s]", v.Path.String(), v.Message, v.Rule))
	}
	return out
}

func causeText(c Cause) string { return strings.TrimSpace(c.Field + " " + c.Reason + " " + c.Message) }

// unknownDifference compares the unknown fields.
func unknownDifference(causes []Cause, ours []diag.Violation) []string {
	var have, want []string
	for _, v := range ours {
		if v.Rule == diag.UnknownField {
			have = append(have, normal(v.Path.String()))
		}
	}
	for _, c := range causes {
		want = append(want, normal(c.Field))
	}
	return difference(have, want)
}

// decodeDifference compares the place of an error on decoding, of which the server reports only the first. It names
// the fields without indexes and without keys of maps.
func decodeDifference(c Cause, ours []diag.Violation) []string {
	if slices.ContainsFunc(ours, func(v diag.Violation) bool { return hasFields(normal(v.Path.String()), c.Field) }) {
		return nil
	}
	return []string{
		"only with the server: " + causeText(c), "only with us: " + ours[0].Path.String() + ": " + ours[0].Message,
	}
}

// hasFields reports whether a path contains the fields, in this order.
func hasFields(path, fields string) bool {
	want := strings.Split(fields, ".")
	for _, step := range strings.Split(path, ".") {
		if len(want) > 0 && step == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0 || fields == ""
}
