package builtin

import (
	"fmt"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// Grow returns objects that the server accepts and that have fields and enumerated values that no seed has, as few as
// cover them. It adds fields and items to the seeds, tries times, and keeps what the server accepts.
func (s *Server) Grow(m *Mutator, tries int) []string {
	covered := map[string]bool{}
	for _, from := range m.seeds {
		for _, name := range m.coverage(from) {
			covered[name] = true
		}
	}
	first := len(m.seeds)
	for range tries {
		from := m.grown(m.seed())
		names := slices.DeleteFunc(m.coverage(from), func(name string) bool { return covered[name] })
		if len(names) == 0 || !s.Verdict(parity.Request{New: text(from.object, false)}).Accepted {
			continue
		}
		for _, name := range names {
			covered[name] = true
		}
		m.seeds = append(m.seeds, from)
		m.sortKinds()
		m.pool.add(m.definitions, from.object, from.schema)
	}
	return m.fewest(m.seeds[:first], m.seeds[first:])
}

// grown returns a copy of an object with one or two more fields or items.
func (m *Mutator) grown(from seed) seed {
	from.object = clone(from.object)
	root := mapping(plain("root"), from.object)
	for range 1 + m.rand.IntN(2) {
		all := append(m.definitions.sites(from.object, "", from.schema),
			site{parent: root, index: 1, schema: from.schema, field: typeName(from.schema)})
		all = slices.DeleteFunc(all, func(at site) bool {
			return strings.HasPrefix(at.path, "metadata") || strings.HasPrefix(at.path, "status")
		})
		for range 50 {
			change := []func(*Mutator, []site, site) bool{
				addPoolField, addPoolField, addPoolItem, setEnumValue, setNamedValue,
			}[m.rand.IntN(5)]
			if change(m, all, all[m.rand.IntN(len(all))]) {
				break
			}
		}
	}
	return from
}

// coverage returns the fields of an object, with their types, and the values of enumerations.
func (m *Mutator) coverage(of seed) []string {
	var names []string
	for _, at := range m.definitions.sites(of.object, "", of.schema) {
		switch enum := m.definitions.resolve(at.schema).Enum; {
		case at.schema == nil, at.inMap, strings.HasPrefix(at.path, "status"),
			strings.HasPrefix(at.path, "metadata.managedFields"):
		case len(enum) > 0 && at.value().Kind == yaml.ScalarNode:
			names = append(names, fmt.Sprint(at.field, "=", at.value().Value))
		default:
			names = append(names, at.field)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fewest returns the texts of objects that cover all that the objects before them do not.
func (m *Mutator) fewest(before, objects []seed) []string {
	covered := map[string]bool{}
	for _, from := range before {
		for _, name := range m.coverage(from) {
			covered[name] = true
		}
	}
	var texts []string
	for _, from := range slices.Backward(objects) { // later ones are larger
		isNew := false
		for _, name := range m.coverage(from) {
			isNew = isNew || !covered[name]
			covered[name] = true
		}
		if isNew {
			texts = append(texts, text(from.object, false))
		}
	}
	return texts
}
