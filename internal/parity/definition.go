package parity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
)

// CheckDefinition is our verdict on the creation of a CustomResourceDefinition.
func CheckDefinition(q Request) []diag.Violation { return Check(embedded(), q) }

var embedded = sync.OnceValue(catalog.Embedded)

// DefinitionDifferences compares our violations of a CustomResourceDefinition with the server's verdict: accepted or
// not, and, where the server shows its causes, that for each there is a violation at its place, or just above or
// below. We may have more: the server looks at defaults and rules only once all else is right.
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
		return nil // we have no schema for it, or nothing to look at
	}
	var differences []string
	for _, c := range v.Causes {
		field := definitionField(c.Field)
		if defined := definedIn.FindStringSubmatch(c.Message); defined != nil {
			field = definitionField(defined[1])
		}
		if !followsFrom(field, c, have) && !slices.ContainsFunc(have, func(other string) bool { return isNear(field, other) }) {
			differences = append(differences, "only with the server: "+c.Field+" "+c.Message)
		}
	}
	return differences
}

// isNear reports whether two fields are the same, one below the other, or fields of the same object that is not all of
// spec.
func isNear(a, b string) bool {
	return isBelow(a, b) || isBelow(b, a) || parentOf(a) == parentOf(b) && parentOf(a) != "spec"
}

func parentOf(field string) string { return field[:max(strings.LastIndexByte(field, '.'), 0)] }

// followsFrom reports whether the server names a field because of another, whose fault we do report: what the name is
// made of, the version stored, schemas that fields are selected from, and defaults of schemas that have other faults.
func followsFrom(field string, c Cause, have []string) bool {
	switch field {
	case "metadata.name", "spec.versions", "status.storedVersions": // said by rules, which see no value with a fault
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
		return true // the total has a cause of its own
	}
	return strings.Contains(c.Message, "may only be set when") && slices.ContainsFunc(have, func(f string) bool { return strings.HasPrefix(f, "spec.schema") })
}

var (
	ofVersion = regexp.MustCompile(`^spec\.versions\.\d+\.(.)`)
	aVersion  = regexp.MustCompile(`^spec\.versions\.\d+$`)
	ofDefault = regexp.MustCompile(`^(.*)\.default(?:\.|$)`)
	definedIn = regexp.MustCompile(`because it is defined in (\S+)`)
	ofSchema  = regexp.MustCompile(`^spec\.(schema|validation)\.openAPIV3Schema`)
)

// definitionField writes a field in the way in which both sides can be compared. What is the same in all versions the
// server names as a field of the definition as a whole, in the words of its internal version.
func definitionField(field string) string {
	field = ofSchema.ReplaceAllString(ofVersion.ReplaceAllString(normal(strings.ReplaceAll(field, ".[", "[")), "spec.$1"), "spec.schema.openAPIV3Schema")
	if strings.HasPrefix(field, "spec.conversion.") || field == "spec.preserveUnknownFields" {
		return "spec.conversion"
	}
	return strings.Replace(field, ".JSONPath", ".jsonPath", 1)
}
