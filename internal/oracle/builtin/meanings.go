package builtin

import (
	"math/rand/v2"
	"slices"
	"strconv"

	yaml "go.yaml.in/yaml/v3"
)

// meaning is a change that keeps the shape of an object, so that only validation can reject it. It does nothing and
// returns false if it does not apply to a value.
type meaning struct {
	name  string
	often int // how often it is drawn, compared with the others
	apply func(m *Mutator, all []site, s site) bool
}

var meanings = []meaning{
	{"other value", 6, setPoolValue},
	{"listed value", 10, setNamedValue},
	{"one more field", 8, addPoolField},
	{"one more item", 3, addPoolItem},
	{"item repeated", 2, repeatItem},
	{"no such field", 2, func(_ *Mutator, _ []site, s site) bool { s.remove(); return true }},
	{"items swapped", 1, swapItems},
	{"empty list or map", 1, setEmpty},
	{"bound", 3, setBound},
	{"limit of length", 2, setLength},
	{"character", 2, changeCharacter},
	{"limit of key", 2, changeMapKey},
	{"reference renamed", 3, renameReference},
	{"value of another field", 3, copyValue},
	{"value of the enumeration", 3, setEnumValue},
	{"percentage", 2, setPercentage},
	{"valid quantity", 2, setQuantity},
	{"zero value", 1, setZero},
}

// changeMeaning makes one change of meaning, and says which.
func (m *Mutator) changeMeaning(object *yaml.Node, s seed, keep func(site) bool) string {
	all := slices.DeleteFunc(m.definitions.sites(object, "", s.schema), func(at site) bool { return !keep(at) })
	root := mapping(plain("root"), object) // so that fields can be added to the object itself
	all = append(all, site{parent: root, index: 1, schema: s.schema, field: typeName(s.schema)})
	for range 200 {
		change, at := m.meaning(), all[m.rand.IntN(len(all))]
		if at.parent == root && change.name != "one more field" {
			continue
		}
		if change.apply(m, all, at) {
			return change.name + " at " + at.path
		}
	}
	return "nothing"
}

func (m *Mutator) meaning() meaning {
	total := 0
	for _, c := range meanings {
		total += c.often
	}
	i := m.rand.IntN(total)
	for _, c := range meanings {
		if i -= c.often; i < 0 {
			return c
		}
	}
	panic("the sum of the parts is more than the whole")
}

func setPoolValue(m *Mutator, _ []site, s site) bool {
	v := m.value(s.field, s.schema)
	if v == nil || sameText(v, s.value()) {
		return false
	}
	s.set(v)
	return true
}

func setNamedValue(m *Mutator, _ []site, s site) bool {
	v := m.named(s.field, s.schema)
	if v == nil || sameText(v, s.value()) {
		return false
	}
	s.set(v)
	return true
}

func addPoolField(m *Mutator, _ []site, s site) bool {
	schema, field := m.definitions.resolve(s.schema), s.field
	if name := typeName(s.schema); name != "" {
		field = name
	}
	if s.value().Kind != yaml.MappingNode || len(schema.Properties) == 0 {
		return false
	}
	var absent []string
	for name := range schema.Properties {
		if at(s.value(), name) == nil && name != "status" && name != "managedFields" {
			absent = append(absent, name)
		}
	}
	if len(absent) == 0 {
		return false
	}
	slices.Sort(absent)
	name := absent[m.rand.IntN(len(absent))]
	property := schema.Properties[name]
	s.value().Content = append(s.value().Content, plain(name), m.fill(field+"."+name, &property, 3))
	return true
}

func addPoolItem(m *Mutator, _ []site, s site) bool {
	items := itemSchema(m.definitions.resolve(s.schema))
	if s.value().Kind != yaml.SequenceNode || items == nil {
		return false
	}
	item := m.fill(s.field+"[]", items, 2)
	if n := at(item, "name"); n != nil && m.rand.IntN(3) > 0 {
		n.Value += strconv.Itoa(m.rand.IntN(9))
	}
	s.value().Content = slices.Insert(s.value().Content, m.rand.IntN(len(s.value().Content)+1), item)
	return true
}

// repeatItem repeats an item, often with another value of one of its fields.
func repeatItem(m *Mutator, _ []site, s site) bool {
	if s.isField() {
		return false
	}
	item := clone(s.value())
	if m.rand.IntN(2) == 0 {
		for i := 1; i < len(item.Content); i += 2 {
			if n := item.Content[i]; n.Kind == yaml.ScalarNode && m.rand.IntN(2) == 0 {
				n.Value += "1"
			}
		}
	}
	s.parent.Content = slices.Insert(s.parent.Content, m.rand.IntN(len(s.parent.Content)+1), item)
	return true
}

func swapItems(m *Mutator, _ []site, s site) bool {
	n := s.value()
	if n.Kind != yaml.SequenceNode || len(n.Content) < 2 {
		return false
	}
	i := m.rand.IntN(len(n.Content) - 1)
	n.Content[i], n.Content[i+1] = n.Content[i+1], n.Content[i]
	return true
}

func setEmpty(_ *Mutator, _ []site, s site) bool {
	switch s.value().Kind {
	case yaml.SequenceNode:
		s.set(list())
	case yaml.MappingNode:
		s.set(mapping())
	default:
		return false
	}
	return true
}

// setZero sets the zero value of the type, which many fields cannot have although they may be absent.
func setZero(m *Mutator, _ []site, s site) bool {
	schema := m.definitions.resolve(s.schema)
	switch {
	case schema.Type.Contains("string"):
		s.set(quoted(""))
	case schema.Type.Contains("integer"), len(schema.OneOf) > 0:
		s.set(plain("0"))
	case schema.Type.Contains("boolean"):
		s.set(plain([]string{"true", "false"}[m.rand.IntN(2)]))
	default:
		return false
	}
	return true
}

// pick returns one of several texts.
func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func sameText(a, b *yaml.Node) bool { return text(a, true) == text(b, true) }

// at returns the value of a field of an object; nil for anything else.
func at(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	return field(n, key)
}
