package chart

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/nearest"
)

// absentIn returns the values that a template or an action asks for, and that the chart does not have, as if they were
// null. path leads to the values of the chart that it is in. Those that are rather mistyped are left out: the map that
// they would be in must exist, without a similar name. A map must not exist elsewhere in the values either.
//
// A field of something else than .Values is looked for in all maps of the right name: of .ingress.hosts, in all that are
// called ingress. Whether it is there that the template asks for it, an experiment tells. It returns none once the work of the
// experiments is done.
func (t *unsetTrials) absentIn(text string, path []string, values any) (list []*Unset) {
	if t.work > maxUnsetWork {
		return nil
	}
	tables := map[string][][]any{}
	keys := map[string]bool{}
	t.work += countIn(values)
	tablesIn(tables, keys, nil, values)
	known := map[string]bool{}
	for _, m := range indexPattern().FindAllStringSubmatch(text, -1) {
		names := strings.FieldsFunc(m[1], func(r rune) bool { return r == '.' })
		for _, quoted := range strings.Fields(m[2]) {
			names = append(names, strings.Trim(quoted, `"`))
		}
		above := []any{}
		for _, name := range path {
			above = append(above, name)
		}
		if u, ok := t.absentAt(above, names, values, keys); ok && !known[u.Key] && len(list) < mostUnset {
			known[u.Key], list = true, append(list, u)
		}
	}
	for _, m := range fieldPattern().FindAllStringSubmatch(text, -1) {
		names := strings.Split(m[2], ".")
		at := [][]any{nil}
		if m[1] == "" { // of another map
			if len(names) == 1 {
				continue
			}
			at = tables[names[len(names)-2]]
			names = names[len(names)-1:]
		} else {
			for _, name := range path {
				at[0] = append(at[0], name)
			}
		}
		for _, above := range at {
			if u, ok := t.absentAt(above, names, values, keys); ok && !known[u.Key] && len(list) < mostUnset {
				known[u.Key], list = true, append(list, u)
			}
		}
	}
	return list
}

// absentAt returns the first of some nested fields that does not exist.
func (t *unsetTrials) absentAt(above []any, names []string, values any, keys map[string]bool) (*Unset, bool) {
	if t.work++; t.work > maxUnsetWork {
		return nil, false
	}
	table, ok := valueAt(values, above).(map[string]any)
	steps := above
	for i, name := range names {
		if !ok {
			return nil, false
		}
		value, has := table[name]
		steps = append(slices.Clip(steps), name)
		if !has {
			isTable := i < len(names)-1
			t.work += len(table)
			_, isMistyped := nearest.Name(name, slices.Sorted(maps.Keys(table)))
			return &Unset{Key: keyOf(steps), steps: steps}, !isMistyped && !(isTable && keys[name])
		}
		table, ok = value.(map[string]any)
	}
	return nil, false
}

// fieldPattern matches a field that a template asks for.
var fieldPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\.Values)?\.([\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)*)`)
})

// indexPattern matches a call of index such as index .Values.defaults "arm64" "size".
var indexPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bindex\s+\$?\.Values((?:\.[\pL_][\pL\pN_]*)*)((?:\s+"[^"\s\\]+")+)`)
})

// tablesIn adds the maps in a value by their names, and all keys.
func tablesIn(tables map[string][][]any, keys map[string]bool, steps []any, value any) {
	if len(keys) >= maxLeaves || len(steps) > maxDepth {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below := append(slices.Clip(steps), key)
			keys[key] = true
			if _, ok := v[key].(map[string]any); ok {
				tables[key] = append(tables[key], below)
			}
			tablesIn(tables, keys, below, v[key])
		}
	case []any:
		for i, item := range v {
			tablesIn(tables, keys, append(slices.Clip(steps), i), item)
		}
	}
}

// valueAt returns the value at a path.
func valueAt(value any, steps []any) any {
	for _, step := range steps {
		switch step := step.(type) {
		case string:
			table, _ := value.(map[string]any)
			value = table[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}
