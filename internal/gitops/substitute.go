package gitops

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
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

// isDisabled reports whether a label or annotation of an object disables the replacement of variables.
func isDisabled(text string) bool {
	if !strings.Contains(text, "kustomize.toolkit.fluxcd.io/substitute") {
		return false
	}
	src := &source.Source{Text: text}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		for _, name := range []field{"metadata.labels", "metadata.annotations"} {
			marks, ok := name.at(tree.Root())
			if ok && marks.Type() == manifest.Map && marks.TextAt("kustomize.toolkit.fluxcd.io/substitute") == "disabled" {
				return true
			}
		}
	}
	return false
}

// maxSubstituted is the maximum size of an object in which variables are replaced, in bytes. A long value may be used
// any number of times, and a server accepts no object of this size.
const maxSubstituted = 16 << 20

// substitution returns a function that replaces variables in the text of an object, as Flux does after a build
// (https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution). If hasOthers is set,
// a variable that is not among the known ones has some value. In any case it stays as it is.
func substitution(known []manifest.Node, hasOthers bool) func(string) string {
	values := valuesOf(known)
	return func(text string) string {
		if !strings.Contains(text, "${") || len(values) == 0 && !hasOthers || isDisabled(text) {
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
			case !ok && (hasOthers || byDefault == ""):
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

// valuesOf returns the values of variables. A value with a variable is not known: another Kustomization replaces that.
func valuesOf(known []manifest.Node) map[string]string {
	values := map[string]string{}
	for _, variables := range slices.Backward(known) {
		for child := range variables.Children() {
			if hasVariable(child) {
				delete(values, child.Key())
				continue
			}
			values[child.Key()] = strings.ReplaceAll(scalar(child), "\n", "")
		}
	}
	return values
}

// AddVariables adds the variables of ConfigMaps, in the order of [Source.VariablesFrom]. known reports whether a reference
// is to one that is known, and returns it. Variables before an unknown one may have other values.
func (s *Source) AddVariables(known func(Reference) (manifest.Node, bool)) {
	if s.Edits == nil || len(s.VariablesFrom) == 0 {
		return
	}
	s.HasOtherVariables = false
	for _, ref := range slices.Backward(s.VariablesFrom) {
		variables, ok := known(ref)
		if !ok {
			s.HasOtherVariables = true
			break
		}
		s.Variables = append(s.Variables, variables)
	}
	s.HasOtherVariables = s.HasOtherVariables || slices.ContainsFunc(s.Variables, hasVariable)
	edits := *s.Edits
	edits.Substitute = substitution(s.Variables, s.HasOtherVariables)
	s.Edits = &edits
}

// AddUnknownVariables notes that the source may have variables whose values are not known. Those that it has itself win.
func (s *Source) AddUnknownVariables() { s.VariablesFrom = append([]Reference{{}}, s.VariablesFrom...) }

// variable returns the value of a variable.
func (s *Source) variable(name string) (value manifest.Node, ok bool) {
	for _, variables := range s.Variables {
		if value, ok = variables.Field(name); ok {
			break
		}
	}
	return value, ok
}

// HasVariables reports whether at least one variable is known. Otherwise Flux may replace none.
func (s *Source) HasVariables() bool {
	return slices.ContainsFunc(s.Variables, func(n manifest.Node) bool { return n.Len() > 0 })
}

// Unset is a variable for which there is no value, at which Flux fails.
type Unset struct {
	Span source.Span
	// Name is "" if the text is not a variable.
	Name string
}

// Unset yields the variables in the text of an object, before they are replaced, for which there is no value. Since
// version 1.9, kustomize-controller fails if one has no default either. Any version fails if a text after ${ is not a
// variable. See github.com/fluxcd/pkg/envsubst.
func (s *Source) Unset(text string) iter.Seq[Unset] {
	return func(yield func(Unset) bool) {
		if !s.HasVariables() || isDisabled(text) {
			return
		}
		for at := 0; ; {
			next := strings.Index(text[at:], "${")
			if next < 0 {
				return
			}
			start := at + next
			at = start + len("${")
			if before := strings.TrimRight(text[:start], "$"); (start-len(before))%2 == 1 {
				continue // $${ is an escape
			}
			found, isUnset := s.unsetAt(text, start)
			if isUnset && !yield(found) {
				return
			}
		}
	}
}

// unsetAt returns the variable at an offset, and whether it makes Flux fail.
func (s *Source) unsetAt(text string, start int) (Unset, bool) {
	rest := text[start+len("${"):]
	isLength := strings.HasPrefix(rest, "#")
	rest = strings.TrimPrefix(rest, "#")
	after := strings.TrimLeftFunc(rest, isInName)
	name := rest[:len(rest)-len(after)]
	end := len(text) - len(after)
	if strings.HasPrefix(after, "}") {
		end++
	}
	found := Unset{Span: source.Span{Start: start, End: end}, Name: name}
	switch {
	case name == "" || after == "" || !strings.ContainsRune(":=,^/#%}", rune(after[0])) || isLength && after[0] != '}':
		found.Name = ""
		return found, true
	case !isLength && (after[0] == '=' || after[0] == ':' && len(after) > 1 && strings.ContainsRune("-=+?", rune(after[1]))):
		return found, false // it has a default
	}
	_, isSet := s.variable(name)
	return found, !isSet && !s.HasOtherVariables
}

// isInName reports whether a character may be a part of the name of a variable in a text.
func isInName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsUnknown reports whether Flux replaces a text that is left after the known variables have been replaced.
func (s *Source) IsUnknown(text string) bool {
	if s.HasOtherVariables && strings.Contains(text, "${") {
		return true
	}
	return s.Edits != nil && s.Edits.Substitute != nil && function().MatchString(text)
}

// UnknownIn returns the first variable in a text whose value is not known, as ${NAME}.
func (s *Source) UnknownIn(text string) (string, bool) {
	nextFunction := -1 // at or after the variable; len(text) for none
	for at := 0; ; {
		next := strings.Index(text[at:], "${")
		if next < 0 {
			return "", false
		}
		start := at + next
		at = start + len("${")
		if before := strings.TrimRight(text[:start], "$"); (start-len(before))%2 == 1 {
			continue // $${ is an escape
		}
		if nextFunction < start {
			nextFunction = len(text)
			if found := function().FindStringIndex(text[start:]); found != nil {
				nextFunction = start + found[0]
			}
		}
		name := strings.TrimPrefix(text[at:], "#")
		name = name[:len(name)-len(strings.TrimLeftFunc(name, isInName))]
		if value, isSet := s.variable(name); name != "" && (!isSet || hasVariable(value) || nextFunction == start) {
			return "${" + name + "}", true
		}
	}
}

// Suppliers returns where the variables in a text are set.
func (s *Source) Suppliers(text string) (list []diag.Related) {
	for _, found := range variable().FindAllStringSubmatch(text, mostSuppliers) {
		if value, ok := s.variable(found[1]); ok {
			list = append(list, diag.Related{Place: value.Place(), Message: "set here", IsSupplier: true})
		}
	}
	return list
}

// mostSuppliers is the maximum number of variables in a value whose places a finding shows. A finding should fit on
// a screen.
const mostSuppliers = 3
