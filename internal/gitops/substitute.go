package gitops

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// variable matches a variable as Flux replaces it, or one that is escaped. Its default may contain variables.
// Functions do not match.
var variable = sync.OnceValue(func() *regexp.Regexp {
	nested := `[^${}]*`
	for range deepestDefault {
		nested = `(?:[^${}]|\$\{[_a-zA-Z][_a-zA-Z0-9]*(?::?[-=]` + nested + `)?\})*`
	}
	return regexp.MustCompile(`\$?\$\{([_a-zA-Z][_a-zA-Z0-9]*)(:?[-=]` + nested + `)?\}`)
})

// deepestDefault is how many defaults may be nested in each other.
const deepestDefault = 3

// function matches the start of a variable with a function, such as ${NAME/a/b}, ${NAME:0:1} or ${#NAME}.
var function = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(#|[_a-zA-Z][_a-zA-Z0-9]*([,^/#%]|:[^-=]))`)
})

// disabled marks an object whose variables are not replaced.
var disabled = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^ *kustomize\.toolkit\.fluxcd\.io/substitute: "?disabled"?$`)
})

// maxSubstituted is the maximum size of an object in which variables are replaced, in bytes.
const maxSubstituted = 16 << 20

// substitution returns a function that replaces variables in the text of an object, as Flux does after a build
// (https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution). If hasOthers is set,
// a variable that is not among the known ones stays as it is, otherwise it is empty.
func substitution(known manifest.Node, hasKnown, hasOthers bool) func(string) string {
	values := map[string]string{}
	if hasKnown {
		for child := range known.Children() {
			values[child.Key()] = strings.ReplaceAll(scalar(child), "\n", "")
		}
	}
	return func(text string) string {
		if !strings.Contains(text, "${") || len(values) == 0 && !hasOthers || disabled().MatchString(text) {
			return text
		}
		size := len(text)
		var replace func(string) string
		one := func(found string) string {
			if rest, ok := strings.CutPrefix(found, "$$"); ok {
				return "$" + rest
			}
			parts := variable().FindStringSubmatch(found)
			value, ok := values[parts[1]]
			byDefault, isForEmpty := strings.CutPrefix(parts[2], ":")
			switch {
			case !ok && hasOthers:
				return found
			case byDefault != "" && (!ok || isForEmpty && value == ""):
				value = replace(byDefault[1:])
			}
			if size += len(value); size > maxSubstituted {
				return found
			}
			return value
		}
		replace = func(text string) string { return variable().ReplaceAllStringFunc(text, one) }
		return replace(text)
	}
}

// IsUnknown reports whether Flux replaces a text that is left after the known variables have been replaced.
func (s *Source) IsUnknown(text string) bool {
	if s.Edits == nil || s.Edits.Substitute == nil {
		return false
	}
	return s.HasOtherVariables && strings.Contains(text, "${") || function().MatchString(text)
}

// Suppliers returns where the variables in a text are set.
func (s *Source) Suppliers(text string) (list []diag.Related) {
	if !s.Variables.Valid() {
		return nil
	}
	for _, found := range variable().FindAllStringSubmatch(text, mostSuppliers) {
		if value, ok := s.Variables.Field(found[1]); ok {
			list = append(list, diag.Related{Place: value.Place(), Message: "set here", IsSupplier: true})
		}
	}
	return list
}

const mostSuppliers = 3
