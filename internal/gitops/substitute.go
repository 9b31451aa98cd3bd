package gitops

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// variable matches a variable as Flux replaces it, or one that is escaped. Functions and nested variables do not
// match.
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$?\$\{([_a-zA-Z][_a-zA-Z0-9]*)(:?[-=][^${}]*)?\}`)
})

// disabled marks an object whose variables are not replaced.
var disabled = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^ *kustomize\.toolkit\.fluxcd\.io/substitute: "?disabled"?$`)
})

// maxSubstituted is the maximum size of an object in which variables are replaced, in bytes.
const maxSubstituted = 16 << 20

// substitution returns a function that replaces variables in the text of an object, as Flux does after a build
// (https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution). If hasOthers is set, a
// variable that is not among the known ones stays as it is, otherwise it is empty.
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
		return variable().ReplaceAllStringFunc(text, func(found string) string {
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
				value = byDefault[1:]
			}
			if size += len(value); size > maxSubstituted {
				return found
			}
			return value
		})
	}
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
