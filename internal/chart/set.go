package chart

import (
	"fmt"
	"strconv"
	"strings"
)

// maxIndex is the maximum index of a list item that is set (Helm's pkg/strvals).
const maxIndex = 65536

// settings returns what a text such as a.b=1,c[0]={x,y} sets, as --set of Helm does. If isString is set, values are
// strings.
func settings(text string, isString bool) (list []setting, err error) {
	for _, one := range cutOutside(text, ',') {
		parts := cutOutside(one, '=')
		if len(parts) < 2 {
			return nil, fmt.Errorf("%q is not KEY=VALUE", one)
		}
		value := strings.Join(parts[1:], "=")
		var steps []any
		for _, step := range cutOutside(parts[0], '.') {
			name, indexes, err := stepOf(step)
			if err != nil {
				return nil, err
			}
			steps = append(append(steps, name), indexes...)
		}
		if len(steps) > maxDepth {
			return nil, fmt.Errorf("%q is nested too deeply", parts[0])
		}
		list = append(list, setting{key: parts[0], steps: steps, value: valueOf(value, isString)})
	}
	return list, nil
}

// cutOutside splits a text at a character, unless it is after a backslash or in braces.
func cutOutside(text string, at byte) (parts []string) {
	start, depth := 0, 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '{':
			depth++
		case text[i] == '}' && depth > 0:
			depth--
		case text[i] == at && depth == 0:
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	return append(parts, text[start:])
}

// stepOf returns the name and the indexes of a step, such as ports[0].
func stepOf(step string) (name string, indexes []any, err error) {
	name, rest, hasIndex := strings.Cut(step, "[")
	if name == "" {
		return "", nil, fmt.Errorf("%q has an empty key", step)
	}
	for hasIndex {
		digits, after, ok := strings.Cut(rest, "]")
		n, err := strconv.Atoi(digits)
		if err != nil || !ok || n < 0 || n > maxIndex {
			return "", nil, fmt.Errorf("%q has an invalid index", step)
		}
		indexes = append(indexes, n)
		if _, rest, hasIndex = strings.Cut(after, "["); !hasIndex && after != "" {
			return "", nil, fmt.Errorf("%q has an invalid index", step)
		}
	}
	return unescaped(name), indexes, nil
}

func unescaped(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// valueOf returns a value: a list in braces, a boolean, null, an integer, or a string.
func valueOf(text string, isString bool) any {
	if inner, ok := strings.CutPrefix(text, "{"); ok && strings.HasSuffix(inner, "}") {
		list := []any{}
		if inner = strings.TrimSuffix(inner, "}"); inner == "" {
			return list
		}
		for _, item := range cutOutside(inner, ',') {
			list = append(list, valueOf(item, isString))
		}
		return list
	}
	plain := unescaped(text)
	if isString {
		return plain
	}
	switch plain {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	case "0":
		return int64(0)
	}
	if !strings.HasPrefix(plain, "0") {
		if n, err := strconv.ParseInt(plain, 10, 64); err == nil {
			return n
		}
	}
	return plain
}

// setAt sets a value. Steps are names of fields and indexes of items; what they go through is created.
func setAt(values map[string]any, steps []any, value any) {
	name := steps[0].(string)
	values[name] = setBelow(values[name], steps[1:], value)
}

func setBelow(own any, steps []any, value any) any {
	if len(steps) == 0 {
		return value
	}
	if index, ok := steps[0].(int); ok {
		list, _ := own.([]any)
		for len(list) <= index {
			list = append(list, nil)
		}
		list[index] = setBelow(list[index], steps[1:], value)
		return list
	}
	table, ok := own.(map[string]any)
	if !ok {
		table = map[string]any{}
	}
	setAt(table, steps, value)
	return table
}
