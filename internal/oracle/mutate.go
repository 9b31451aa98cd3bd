package oracle

import (
	"encoding/json"
	"math/rand/v2"
	"strings"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// Mutator generates requests: valid objects with a few random changes, created or as an update of one another. The
// same seed generates the same requests.
type Mutator struct {
	rand        *rand.Rand
	definitions []*Definition
}

// NewMutator returns a mutator that starts from the seeds of the definitions.
func NewMutator(definitions []*Definition, seed uint64) *Mutator {
	return &Mutator{rand: rand.New(rand.NewPCG(seed, 0)), definitions: definitions}
}

// Next generates a request, and returns its definition and version. The version is the one that the object states,
// because a client sends the object there.
func (m *Mutator) Next() (*Definition, string, parity.Request) {
	for {
		d := m.definitions[m.rand.IntN(len(m.definitions))]
		versions := d.Versions()
		version := versions[m.rand.IntN(len(versions))]
		if seeds := d.Seeds[version]; len(seeds) > 0 {
			object, r := m.request(seeds)
			return d, d.versionOf(object, version), r
		}
	}
}

func (m *Mutator) request(seeds []any) (any, parity.Request) {
	seed := seeds[m.rand.IntN(len(seeds))]
	r := parity.Request{JSON: m.rand.IntN(2) == 0}
	object := m.mutate(seed, seeds)
	if m.rand.IntN(2) == 0 {
		old := seed
		switch m.rand.IntN(4) {
		case 0:
			old = object // no change
		case 1:
			old = m.mutate(seed, seeds)
		case 2:
			old, object = object, m.mutate(object, seeds) // the old faults remain, something else changes
		}
		if isPlain(old) && isPlain(object) && samePlace(seed, old) && samePlace(old, object) {
			r.Old = render(old, r.JSON)
		}
	}
	r.New = render(object, r.JSON)
	return object, r
}

// mutate makes one to four changes to an object.
func (m *Mutator) mutate(object any, seeds []any) any {
	for range 1 + m.rand.IntN(4) {
		object = m.change(object, seeds)
	}
	return object
}

func (m *Mutator) change(object any, seeds []any) any {
	path := m.path(object)
	if len(path) == 0 {
		return object
	}
	old := at(object, path)
	switch m.rand.IntN(12) {
	case 0:
		return with(object, path, nil, true)
	case 1:
		return with(object, path, nil, false)
	case 2, 3, 4:
		return with(object, path, m.near(old), false)
	case 5:
		return with(object, path, m.any(2), false)
	case 6: // a value from another place
		other := seeds[m.rand.IntN(len(seeds))]
		return with(object, path, at(other, m.path(other)), false)
	case 7:
		if list, ok := old.([]any); ok && len(list) > 0 {
			return with(object, path, append(append([]any{}, list...), clone(list[m.rand.IntN(len(list))])), false)
		}
		return with(object, path, m.near(old), false)
	case 8:
		if list, ok := old.([]any); ok {
			return with(object, path, reversed(list), false)
		}
		return with(object, path, m.near(old), false)
	case 9:
		if path[len(path)-1].index < 0 && m.rand.IntN(3) == 0 {
			return with(object, path, twice{old, m.near(old)}, false)
		}
		return with(object, path, m.near(old), false)
	case 10: // another field next to it
		key := []string{
			"extra", "name", "key", "a", "b", "x", "a.b/c", "", "é", "y", "spec", "metadata", "apiVersion", "kind",
		}[m.rand.IntN(14)]
		return with(object, append(path[:len(path)-1:len(path)-1], step{key, -1}), m.any(1), false)
	}
	return with(object, path, m.near(old), false)
}

// path returns the path of a random key or index in a value. It rarely selects kind and apiVersion.
func (m *Mutator) path(v any) []step {
	var path []step
	for {
		switch c := v.(type) {
		case map[string]any:
			keys := keysOf(c)
			if len(keys) == 0 {
				return path
			}
			key := keys[m.rand.IntN(len(keys))]
			if len(path) == 0 && key != "spec" && m.rand.IntN(4) != 0 {
				if _, ok := c["spec"]; ok {
					key = "spec"
				}
			}
			path, v = append(path, step{key, -1}), c[key]
		case []any:
			if len(c) == 0 {
				return path
			}
			i := m.rand.IntN(len(c))
			path, v = append(path, step{"", i}), c[i]
		case twice:
			v = c.first
		default:
			return path
		}
		if len(path) > 0 && m.rand.IntN(5) == 0 {
			return path
		}
	}
}

var numbers = []string{
	"0", "1", "-1", "2", "5", "7", "9", "10", "99", "100", "101", "1000", "1001", "65535", "65536", "-0.0", "1.0", "2.0",
	"1.5", "0.5", "1e3", "1e-2", "2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
	"-9223372036854775808", "1e20", "3.5e38", "1e308",
}

var texts = []string{
	"", "a", "b", "x", "A", "abc", "a b", "a\n", "é", "éé", "😀", "a.b", "a/b", "-", "_", "5", "1.5", "true", "null", "~",
	"yes", "http", "TCP", "10.0.0.0/8",
	"2026-01-02T03:04:05Z", "2026-01-02", "1h", "1d", "2001:db8::1", "https://example.com", "\u2028", "\u0000", "a\tb",
	"*", "&a", "!!str", "{{", "#", ": ", "In", "Exists", "Accept", "Deny", "Admin", "True",
}

// near returns a value that is close to the old one, usually of the same type.
func (m *Mutator) near(old any) any {
	switch v := old.(type) {
	case json.Number:
		return json.Number(numbers[m.rand.IntN(len(numbers))])
	case string:
		switch m.rand.IntN(8) {
		case 0:
			return v + texts[m.rand.IntN(len(texts))]
		case 1:
			return strings.ToUpper(v)
		case 2:
			return strings.Repeat(v, 1+m.rand.IntN(4))
		case 3:
			return strings.Repeat("a", m.rand.IntN(130))
		case 4:
			if len(v) > 0 {
				return v[:m.rand.IntN(len(v))]
			}
		}
		return texts[m.rand.IntN(len(texts))]
	case bool:
		return !v
	case []any:
		if len(v) > 0 && m.rand.IntN(2) == 0 {
			return v[:m.rand.IntN(len(v))]
		}
		return append(append([]any{}, v...), m.any(1))
	}
	return m.any(2)
}

// any returns a value of any type, with a limited depth of nesting.
func (m *Mutator) any(depth int) any {
	kinds := 7
	if depth == 0 {
		kinds = 5
	}
	switch m.rand.IntN(kinds) {
	case 0:
		return nil
	case 1:
		return m.rand.IntN(2) == 0
	case 2:
		return json.Number(numbers[m.rand.IntN(len(numbers))])
	case 3, 4:
		return texts[m.rand.IntN(len(texts))]
	case 5:
		list := make([]any, m.rand.IntN(4))
		for i := range list {
			list[i] = m.any(depth - 1)
		}
		return list
	}
	object := map[string]any{}
	for range m.rand.IntN(4) {
		object[texts[m.rand.IntN(len(texts))]] = m.any(depth - 1)
	}
	return object
}

// isPlain reports whether the fields that identify an object can be compared.
func isPlain(object any) bool {
	for _, path := range [][]step{
		{{"apiVersion", -1}}, {{"kind", -1}}, {{"metadata", -1}, {"name", -1}}, {{"metadata", -1}, {"namespace", -1}},
	} {
		switch at(object, path).(type) {
		case nil, string:
		default:
			return false
		}
	}
	return true
}
