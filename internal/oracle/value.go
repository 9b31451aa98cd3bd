package oracle

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Objects are JSON values as encoding/json decodes them, with numbers as json.Number so that 1.0 stays 1.0. The
// value of a duplicate key has the type twice.
type twice struct{ first, second any }

// parse parses a manifest, YAML or JSON, into a value.
func parse(text string) (any, error) {
	j, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(j)))
	d.UseNumber()
	var v any
	err = d.Decode(&v)
	return v, err
}

// render returns a value as JSON or YAML. In YAML, each field of the object is on a line of its own, with its value
// in flow style.
func render(v any, isJSON bool) string {
	var b strings.Builder
	m, ok := v.(map[string]any)
	if isJSON || !ok || len(m) == 0 {
		write(&b, v)
		b.WriteByte('\n')
		return b.String()
	}
	for _, key := range keysOf(m) {
		for _, value := range valuesOf(m[key]) {
			writeText(&b, key)
			b.WriteString(": ")
			write(&b, value)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func keysOf(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func valuesOf(v any) []any {
	if t, ok := v.(twice); ok {
		return []any{t.first, t.second}
	}
	return []any{v}
}

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		comma := false
		for _, key := range keysOf(v) {
			for _, value := range valuesOf(v[key]) {
				if comma {
					b.WriteString(", ")
				}
				comma = true
				writeText(b, key)
				b.WriteString(": ")
				write(b, value)
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, item)
		}
		b.WriteByte(']')
	case string:
		writeText(b, v)
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case json.Number:
		b.WriteString(string(v))
	case int:
		b.WriteString(strconv.Itoa(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	default:
		b.WriteString("null")
	}
}

func writeText(b *strings.Builder, text string) {
	j, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	// JSON escapes that YAML 1.1 supports, too; everything else is written unescaped
	b.WriteString(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(j)))
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, value := range v {
			m[key] = clone(value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = clone(item)
		}
		return list
	case twice:
		return twice{clone(v.first), clone(v.second)}
	}
	return v
}

// step is a key of a map or an index of a list.
type step struct {
	key   string
	index int // -1 for a key
}

// at returns the value at a path.
func at(v any, path []step) any {
	for _, s := range path {
		switch c := v.(type) {
		case map[string]any:
			v = c[s.key]
		case []any:
			if s.index < 0 || s.index >= len(c) {
				return nil
			}
			v = c[s.index]
		default:
			return nil
		}
	}
	return v
}

// with returns a copy of a value in which the value at a path is replaced, or removed if remove is set.
func with(v any, path []step, value any, remove bool) any {
	if len(path) == 0 {
		return value
	}
	switch c := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(c)+1)
		for key, x := range c {
			m[key] = x
		}
		if remove && len(path) == 1 {
			delete(m, path[0].key)
		} else {
			m[path[0].key] = with(m[path[0].key], path[1:], value, remove)
		}
		return m
	case []any:
		list := slices.Clone(c)
		i := path[0].index
		if i < 0 || i >= len(list) {
			return list
		}
		if remove && len(path) == 1 {
			return slices.Delete(list, i, i+1)
		}
		list[i] = with(list[i], path[1:], value, remove)
		return list
	case nil:
		if path[0].index < 0 {
			return map[string]any{path[0].key: with(nil, path[1:], value, remove)}
		}
		return []any{with(nil, path[1:], value, remove)}
	}
	return v
}

func pathText(path []step) string {
	var b strings.Builder
	for _, s := range path {
		if s.index >= 0 {
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.key)
	}
	return b.String()
}
