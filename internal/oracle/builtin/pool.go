package builtin

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

//go:embed values.yaml
var namedValues []byte

// pool holds values that a field can have: those of the same field in all seeds, those of the same type, and those
// that values.yaml lists for its name. It decides no verdict; it only makes objects that come close to the limits.
type pool struct {
	byField map[string][]*yaml.Node // such as k8s.io/api/core/v1.ServiceSpec.ports
	byType  map[string][]*yaml.Node // such as k8s.io/api/core/v1.ServicePort
	byName  map[string][]*yaml.Node // such as ServiceSpec.type or port
	known   map[string]bool
}

func newPool() (*pool, error) {
	p := &pool{map[string][]*yaml.Node{}, map[string][]*yaml.Node{}, map[string][]*yaml.Node{}, map[string]bool{}}
	values, err := parse(string(namedValues))
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(values.Content); i += 2 {
		p.byName[values.Content[i].Value] = values.Content[i+1].Content
	}
	return p, nil
}

// add adds the values of an object.
func (p *pool) add(d definitions, object *yaml.Node, s *spec.Schema) {
	for _, at := range d.sites(object, "", s) {
		key := at.field + " " + text(at.value(), false)
		if p.known[key] {
			continue
		}
		p.known[key] = true
		p.byField[at.field] = append(p.byField[at.field], at.value())
		if name := typeName(at.schema); name != "" {
			p.byType[name] = append(p.byType[name], at.value())
		}
	}
}

// named returns the listed values of a field, such as k8s.io/api/core/v1.ServiceSpec.type: those of the field of the
// type, otherwise those of any field with the name.
func (p *pool) named(field string) []*yaml.Node {
	field = strings.TrimRight(field[strings.LastIndexByte(field, '/')+1:], "[]{}")
	steps := strings.Split(field, ".") // version, type, fields
	if len(steps) < 2 {
		return nil
	}
	if values, ok := p.byName[strings.Join(steps[1:], ".")]; ok {
		return values
	}
	return p.byName[steps[len(steps)-1]]
}

// value returns a value for a field, often one that is valid somewhere, or nil.
func (m *Mutator) value(field string, s *spec.Schema) *yaml.Node {
	p := m.pool
	if m.rand.IntN(4) == 0 {
		return m.named(field, s)
	}
	values := [][]*yaml.Node{p.byField[field], p.byField[field], p.byType[typeName(s)]}[m.rand.IntN(3)]
	if len(values) == 0 {
		return nil
	}
	return clone(values[m.rand.IntN(len(values))])
}

// named returns one of the listed values of a field, or nil if there are none.
func (m *Mutator) named(field string, s *spec.Schema) *yaml.Node {
	values := m.pool.named(field)
	if len(values) == 0 {
		return nil
	}
	v := clone(values[m.rand.IntN(len(values))])
	resolved := m.definitions.resolve(s)
	switch {
	case resolved.Type.Contains("array"):
		if item := m.definitions.resolve(itemSchema(resolved)); item.Type.Contains("string") {
			return list(quoted(v.Value))
		}
		return list(v)
	case resolved.Type.Contains("object"):
		return nil
	case resolved.Type.Contains("string"):
		return quoted(v.Value)
	}
	return v
}

// fill returns a value for a field of a type: one of the pool, or a drawn one.
func (m *Mutator) fill(field string, s *spec.Schema, depth int) *yaml.Node {
	for range 3 {
		if v := m.value(field, s); v != nil {
			return v
		}
	}
	return m.draw(field, s, depth)
}

// draw returns a value that fits a schema, of values that the pool has for its fields.
func (m *Mutator) draw(field string, s *spec.Schema, depth int) *yaml.Node {
	if name := typeName(s); name != "" {
		field = name
	}
	s = m.definitions.resolve(s)
	switch {
	case s.Type.Contains("array") && depth > 0:
		return list(m.fill(field+"[]", itemSchema(s), depth-1))
	case s.Type.Contains("object") && len(s.Properties) > 0 && depth > 0:
		object := mapping()
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			property := s.Properties[name]
			if slices.Contains(s.Required, name) || m.rand.IntN(len(s.Properties)) < 2 {
				object.Content = append(object.Content, plain(name), m.fill(field+"."+name, &property, depth-1))
			}
		}
		return object
	}
	return m.definitions.draw(m.rand, s, min(depth, 1))
}
