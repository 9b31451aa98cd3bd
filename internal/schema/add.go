package schema

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// addFixes returns the fixes that add a field of a schema to an object. There is one safe fix if the field has only one
// valid value. Otherwise they are choices: each allowed value, or a placeholder.
func addFixes(n manifest.Node, s *Schema, name string) (fixes []diag.Fix) {
	i := s.property(name, manifest.Hash(name))
	if i < 0 {
		return nil
	}
	after := siblingBefore(n, s, i)
	values := s.Properties[i].Schema.examples()
	for _, value := range values {
		fixes = append(fixes, n.AddFix(after, name, value)...)
	}
	if property := s.Properties[i].Schema; len(property.Enum) == 1 && len(fixes) == 1 {
		return diag.Safely(true, fixes)
	}
	return diag.Choices(fixes)
}

// siblingBefore returns the field of n that the schema lists last before a property, or otherwise the last field. It returns
// the zero value if no field is written.
func siblingBefore(n manifest.Node, s *Schema, i int) (after manifest.Node) {
	if n.Type() != manifest.Map {
		return after
	}
	best := -1
	for f := range n.Children() {
		if f.Defaulted() || f.Shadowed() {
			continue
		}
		at := s.property(f.Key(), f.KeyHash())
		if isBefore := at >= 0 && at < i; best < 0 && !isBefore || isBefore && at >= best {
			after = f
		}
		if at < i {
			best = max(best, at)
		}
	}
	return after
}

// placeholder is a text that a user replaces.
const placeholder = "TODO"

// examples returns values of a schema as JSON: all allowed ones, if there are few, or otherwise one.
func (s *Schema) examples() (values []string) {
	for _, v := range s.Enum[:min(len(s.Enum), mostChoices)] {
		values = append(values, string(v.AppendJSON(nil)))
	}
	switch {
	case len(values) > 0:
		return values
	case s.types&typeString != 0:
		return []string{quote(placeholder)}
	case s.types&(typeInteger|typeNumber) != 0 && s.Minimum != nil:
		return []string{float(*s.Minimum)}
	case s.types&(typeInteger|typeNumber) != 0:
		return []string{"0"}
	case s.types&typeBoolean != 0:
		return []string{"true", "false"}
	case s.types&typeArray != 0:
		return []string{"[]"}
	case s.types&typeObject != 0:
		return []string{"{}"}
	}
	return nil
}
