package upstream

import (
	"fmt"
	"slices"
)

// mergeTypes returns the types of all versions: of each type its newest definition, with the properties and enum
// values that only older versions have. What is as old as its type has no mark.
func mergeTypes(versions []version) (map[string]*object, error) {
	merged := map[string]*object{}
	for i := len(versions) - 1; i >= 0; i-- {
		for name := range versions[i].types {
			if merged[name] != nil {
				continue
			}
			var err error
			if merged[name], err = mergeType(name, versions); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return merged, nil
}

func mergeType(name string, versions []version) (*object, error) {
	var minors []int // with the type
	merged := &object{properties: map[string]*property{}}
	fields := map[string][]*property{}
	in := map[string][]int{}
	for _, v := range versions {
		o := v.types[name]
		if o == nil {
			continue
		}
		minors = append(minors, v.minor)
		merged.required, merged.mapType = o.required, o.mapType
		for field, p := range o.properties {
			fields[field] = append(fields[field], p)
			in[field] = append(in[field], v.minor)
		}
	}
	for field, all := range fields {
		p, err := mergeProperty(all, in[field])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
		p.since, p.until = open(in[field][0], minors[0]), open(last(in[field]), last(minors))
		merged.properties[field] = p
	}
	return merged, nil
}

func last[T any](list []T) T { return list[len(list)-1] }

// mergeProperty returns the newest of the definitions of a field, with the gates and enum values of all of them.
func mergeProperty(all []*property, minors []int) (*property, error) {
	merged := *last(all)
	var schemas []*schema
	for _, p := range all {
		if len(p.gates) > 0 {
			merged.gates = p.gates
		}
		schemas = append(schemas, &p.schema)
	}
	return &merged, mergeSchemas(&merged.schema, schemas, minors)
}

// mergeSchemas adds the enum values of older schemas of the same value to the newest one, here and below.
func mergeSchemas(newest *schema, old []*schema, minors []int) error {
	for i, s := range old {
		if s.kind != newest.kind || s.format != newest.format || s.ref != newest.ref ||
			(s.items == nil) != (newest.items == nil) || (s.elements == nil) != (newest.elements == nil) {
			return fmt.Errorf("type %s%s in 1.%d, %s%s later", s.kind, s.ref, minors[i], newest.kind, newest.ref)
		}
	}
	if newest.items != nil {
		return mergeSchemas(newest.items, each(old, func(s *schema) *schema { return s.items }), minors)
	}
	if newest.elements != nil {
		return mergeSchemas(newest.elements, each(old, func(s *schema) *schema { return s.elements }), minors)
	}
	if len(newest.enum) > 0 {
		newest.mergeEnum(old, minors)
	}
	return nil
}

func each(old []*schema, below func(*schema) *schema) []*schema {
	var all []*schema
	for _, s := range old {
		all = append(all, below(s))
	}
	return all
}

// mergeEnum marks the values that not all versions with an enum have.
func (s *schema) mergeEnum(old []*schema, minors []int) {
	since, until := map[string]int{}, map[string]int{}
	first, last := 0, minors[len(minors)-1]
	for i, o := range old {
		if len(o.enum) > 0 && first == 0 {
			first = minors[i]
		}
		for _, value := range o.enum {
			if since[value] == 0 {
				since[value] = minors[i]
			}
			until[value] = minors[i]
		}
	}
	s.enum, s.enumSince, s.enumUntil = nil, map[string]int{}, map[string]int{}
	for value := range since {
		s.enum = append(s.enum, value)
		if since[value] != first {
			s.enumSince[value] = since[value]
		}
		if until[value] != last {
			s.enumUntil[value] = until[value]
		}
	}
	slices.Sort(s.enum)
}
