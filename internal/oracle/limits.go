package oracle

import (
	"fmt"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
)

// dropLimits removes the limits that a definition has only because of the estimated cost of its CEL rules. They are
// listed in its annotation: paths of maxItems, separated by semicolons. The definition was installed with these
// limits, but verdicts are given without them.
func dropLimits(s *apiextensions.JSONSchemaProps, annotation string) error {
	for path := range strings.SplitSeq(annotation, ";") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		if err := dropLimit(s, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")); err != nil {
			return fmt.Errorf("cost limit %s: %w", path, err)
		}
	}
	return nil
}

func dropLimit(s *apiextensions.JSONSchemaProps, steps []string) error {
	switch name := steps[0]; {
	case len(steps) == 1 && name == "maxItems" && s.MaxItems != nil:
		s.MaxItems = nil
		return nil
	case len(steps) == 1:
		return fmt.Errorf("no limit %s", name)
	case name == "[]" && s.Items != nil && s.Items.Schema != nil:
		return dropLimit(s.Items.Schema, steps[1:])
	default:
		property, ok := s.Properties[name]
		if !ok {
			return fmt.Errorf("no field %s", name)
		}
		if err := dropLimit(&property, steps[1:]); err != nil {
			return err
		}
		s.Properties[name] = property
		return nil
	}
}
