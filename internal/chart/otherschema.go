package chart

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// otherSchemas returns the info that a part of a values.schema.json is elsewhere, once for each chart.
func (c *Chart) otherSchemas() (found faults) {
	var schema any
	if c.schema != "" && json.Unmarshal([]byte(c.schema), &schema) == nil {
		left := maxChecks
		if ref := otherRef(schema, 0, &left); ref != "" {
			src := &source.Source{Name: path.Join(path.Dir(c.src.Name), "values.schema.json"), Text: c.schema}
			at := max(strings.Index(c.schema, `"`+ref+`"`), 0)
			found = append(found, fault{
				rule: diag.MissingDependency, isInfo: true, at: src.Place(source.Span{Start: at, End: at + len(ref) + 2}),
				message: "the schema " + diag.Quote(ref) + " is not read, so values are checked without it",
			})
		}
	}
	for _, sub := range c.subcharts {
		found = append(found, sub.otherSchemas()...)
	}
	return found
}

// otherRef returns the first reference to a schema in another file; "" if there is none.
func otherRef(schema any, depth int, left *int) string {
	if *left--; *left < 0 || depth > maxSchemaDepth {
		return ""
	}
	switch s := schema.(type) {
	case map[string]any:
		if ref, ok := s["$ref"].(string); ok && ref != "" && !strings.HasPrefix(ref, "#") {
			return ref
		}
		for _, key := range slices.Sorted(maps.Keys(s)) {
			if ref := otherRef(s[key], depth+1, left); ref != "" {
				return ref
			}
		}
	case []any:
		for _, item := range s {
			if ref := otherRef(item, depth+1, left); ref != "" {
				return ref
			}
		}
	}
	return ""
}
