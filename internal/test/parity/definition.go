package parity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// CheckDefinition returns our verdict on the creation of a CustomResourceDefinition.
func CheckDefinition(q Request) []diag.Violation { return CheckBuiltin(0, q) }

// DefinitionDifferences compares our violations of a CustomResourceDefinition with the server's verdict: whether it
// is accepted and, if the server lists causes, whether we have a violation at the same place as each cause, or just
// above or below it. We may report more, because the server checks defaults and rules only when everything else is
// valid.
func DefinitionDifferences(v Verdict, ours []diag.Violation) []string {
	if refused := isRefused(ours); refused == v.Accepted {
		return []string{fmt.Sprintf("accepted: have %v, want %v", !refused, v.Accepted)}
	}
	if v.Stage != "validation" && v.Stage != "strict" {
		return nil
	}
	var have []string
	for i := range ours {
		if ours[i].Severity == diag.Error {
			have = append(have, definitionField(ours[i].Path.String()))
		}
	}
	if slices.ContainsFunc(have, func(field string) bool {
		return field == "apiVersion" || field == "spec" || aVersion.MatchString(field)
	}) {
		return nil // we have no schema for it, or nothing to check
	}
	var differences []string
	for _, c := range v.Causes {
		field := definitionField(c.Field)
		if defined := definedIn.FindStringSubmatch(c.Message); defined != nil {
			field = definitionField(defined[1])
		}
		if !followsFrom(field, c, have) && !slices.ContainsFunc(have,
			func(other string) bool { return isNear(field, other) }) {
			differences = append(differences, "only with the server: "+c.Field+" "+c.Message)
		}
	}
	return differences
}

// isNear reports whether two fields are the same, one is below the other, or both are fields of the same object.
// spec itself does not count as such an object.
func isNear(a, b string) bool {
	return isBelow(a, b) || isBelow(b, a) || parentOf(a) == parentOf(b) && parentOf(a) != "spec"
}

func parentOf(field string) string { return field[:max(strings.LastIndexByte(field, '.'), 0)] }

// followsFrom reports whether the server names a field because of another field that we do report. Such fields are
// those from which the name is composed, the stored version, schemas from which fields are selected, and defaults
// of schemas with other faults.
func followsFrom(field string, c Cause, have []string) bool {
	if (field == "spec.group" || field == "spec.names.plural") && strings.HasSuffix(c.Message, "field is immutable") {
		// They are parts of the name, which is the same as before.
		return slices.Contains(have, "metadata.name") || followsFrom("metadata.name", c, have)
	}
	switch field {
	case "metadata.name", "spec.versions", "status.storedVersions": // by rules, which do not see values with a fault
		return slices.ContainsFunc(have, func(f string) bool {
			return strings.HasPrefix(f, "spec.") && !strings.HasPrefix(f, "spec.schema.openAPIV3Schema.")
		})
	case "spec.names.listKind", "spec.names.singular":
		return slices.Contains(have, "spec.names.kind")
	case "spec.version":
		return slices.Contains(have, "spec.name")
	}
	if of := ofDefault.FindStringSubmatch(field); of != nil {
		return slices.ContainsFunc(have, func(f string) bool { return isBelow(f, of[1]) })
	}
	if strings.Contains(c.Message, "contributed to estimated rule cost total") {
		return true // the total has its own cause
	}
	return strings.Contains(c.Message, "may only be set when") &&
		slices.ContainsFunc(have, func(f string) bool { return strings.HasPrefix(f, "spec.schema") })
}

var (
	ofVersion = regexp.MustCompile(`^spec\.versions\.\d+\.(.)`)
	aVersion  = regexp.MustCompile(`^spec\.versions\.\d+$`)
	ofDefault = regexp.MustCompile(`^(.*)\.default(?:\.|$)`)
	definedIn = regexp.MustCompile(`because it is defined in (\S+)`)
	ofSchema  = regexp.MustCompile(`^spec\.(schema|validation)\.openAPIV3Schema`)
)

// definitionField converts a field to a form that can be compared. For what is the same in all versions, the server
// names a field of the definition as a whole, in the terms of its internal version.
func definitionField(field string) string {
	field = ofSchema.ReplaceAllString(ofVersion.ReplaceAllString(normal(strings.ReplaceAll(field, ".[", "[")), "spec.$1"),
		"spec.schema.openAPIV3Schema")
	if strings.HasPrefix(field, "status.storedVersions.") { // the versions that must stay
		return "spec.versions"
	}
	if strings.HasPrefix(field, "spec.conversion.") || field == "spec.preserveUnknownFields" {
		return "spec.conversion"
	}
	return strings.Replace(field, ".JSONPath", ".jsonPath", 1)
}
