package parity

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// Place says how close our violations are to the fields that the server names.
type Place int

const (
	// Elsewhere means that no violation is at or next to a field of the server.
	Elsewhere Place = iota
	// Near means that a violation is at the parent or at a field of a field of the server.
	Near
	// Same means that a violation is at a field of the server.
	Same
)

// BuiltinPlace returns the best place of our violations of a rejected object of a built-in kind.
func BuiltinPlace(c Case, ours []diag.Violation) Place {
	best := Elsewhere
	for i := range ours {
		for v := range ours[i].All() {
			for _, cause := range c.Verdict.Causes {
				best = max(best, placeOf(ourField(c, v), normal(cause.Field)))
			}
		}
	}
	return best
}

// ourField returns the field of a violation as the server names it, which does not see the list around an object.
func ourField(c Case, v *diag.Violation) string {
	field := normal(v.Path.String())
	if IsListKind(c.Kind) {
		field = inList.ReplaceAllString(field, "")
	}
	return field
}

var (
	inList    = regexp.MustCompile(`^items\.\d+\.?`)
	indexes   = regexp.MustCompile(`\.\d+\.`)
	mapsNamed = regexp.MustCompile(`(^|\.)(labels|annotations|matchLabels|nodeSelector|data|binaryData|stringData|selector|hard|requests|limits|capacity|parameters)$`)
)

func placeOf(ours, theirs string) Place {
	switch {
	case ours == theirs, metadataOf(ours) == theirs, strings.HasPrefix(ours, theirs+".") && mapsNamed.MatchString(theirs):
		return Same // the server names a map, we name its key
	case !indexes.MatchString(theirs) && indexes.ReplaceAllString(ours, ".") == theirs:
		return Same // some upstream functions forget indexes
	case ours == "spec.clusterIP" && strings.HasPrefix(theirs, "spec.clusterIPs"):
		return Same // the server has set clusterIPs from clusterIP
	case isChild(ours, theirs), isChild(theirs, ours):
		return Near
	}
	return Elsewhere
}

func isChild(field, of string) bool {
	below, ok := strings.CutPrefix(field, of+".")
	return ok && !strings.Contains(below, ".")
}

// IsMissed reports whether the server's validation rejects an object that we allow.
func IsMissed(c Case, ours []diag.Violation) bool {
	return c.Verdict.Stage == "validation" && !slices.ContainsFunc(ours,
		func(v diag.Violation) bool { return v.Severity == diag.Error })
}

var inBrackets = regexp.MustCompile(`\[[^\]]*\]`)

// FieldOf returns the field of the first cause of a verdict, without indexes and keys, such as spec.ports[].port.
func FieldOf(v Verdict) string {
	if len(v.Causes) == 0 {
		return ""
	}
	return inBrackets.ReplaceAllString(v.Causes[0].Field, "[]")
}
