package chart

import "github.com/kindvet/kindvet/internal/diag"

// globalKey is the key of the values that a chart shares with its subcharts.
const globalKey = "global"

// coalesced returns the values of a chart and its subcharts: those of the user, over those of the chart, over those of
// its subcharts (Helm's pkg/chartutil/coalesce.go, CoalesceValues and MergeValues). If keepNull is not set, a null
// removes a default.
func (c *Chart) coalesced(values map[string]any, keepNull bool) (map[string]any, error) {
	into, _ := deepCopy(values).(map[string]any)
	if into == nil {
		into = map[string]any{}
	}
	left := maxCoalesced
	err := c.coalesce(into, keepNull, &left)
	return into, err
}

// maxCoalesced is the maximum number of fields and items that the values of a chart and its subcharts have. Each
// subchart, as often as it has an alias, has a copy of its own values and of the global ones. A values.yaml of 29
// public repositories has at most 1,426 leaves.
const maxCoalesced = 500_000

func (c *Chart) coalesce(into map[string]any, keepNull bool, left *int) error {
	if *left -= countIn(c.values); *left < 0 {
		return fault{
			rule: diag.ReaderLimit, message: "the values of the subcharts are too large, so the chart is not rendered",
			help: "to check the result, pipe the output of 'helm template' to kindvet", at: place(c.valuesSrc, c.src),
		}
	}
	c.addDefaults(into, keepNull)
	for _, sub := range c.subcharts {
		table, ok := into[sub.name()].(map[string]any)
		if _, has := into[sub.name()]; !has {
			table, ok = map[string]any{}, true
			into[sub.name()] = table
		}
		if !ok {
			return fault{
				message: "values." + sub.name() + ": must be a map, because a subchart has this name",
				at:      place(c.valuesSrc, c.src),
			}
		}
		addGlobals(table, into)
		if shared, ok := table[globalKey].(map[string]any); ok {
			*left -= len(shared)
		}
		if err := sub.coalesce(table, keepNull, left); err != nil {
			return err
		}
	}
	return nil
}

// addDefaults adds the values of the chart itself.
func (c *Chart) addDefaults(into map[string]any, keepNull bool) {
	if c.isHelm4 {
		c.addDefaults4(into, keepNull)
		return
	}
	for key, value := range c.values {
		own, has := into[key]
		if !has {
			into[key] = deepCopy(value)
			continue
		}
		if own == nil && !keepNull {
			delete(into, key)
			continue
		}
		table, ok := own.(map[string]any)
		defaults, isTable := value.(map[string]any)
		if ok && isTable {
			mergeTables(table, deepCopy(defaults).(map[string]any), keepNull || c.hasSubchart(key))
		}
	}
}

func (c *Chart) hasSubchart(name string) bool {
	for _, sub := range c.subcharts {
		if sub.name() == name {
			return true
		}
	}
	return false
}

// addGlobals adds the global values of a chart to those of a subchart.
func addGlobals(sub, values map[string]any) {
	into, from := map[string]any{}, map[string]any{}
	if own, has := sub[globalKey]; has {
		table, ok := own.(map[string]any)
		if !ok {
			return
		}
		into = table
	}
	if own, has := values[globalKey]; has {
		table, ok := own.(map[string]any)
		if !ok {
			return
		}
		from = table
	}
	for key, value := range from {
		addGlobal(into, key, value)
	}
	sub[globalKey] = into
}

func addGlobal(into map[string]any, key string, value any) {
	table, isTable := value.(map[string]any)
	own, has := into[key]
	ownTable, isOwnTable := own.(map[string]any)
	switch {
	case !isTable && !isOwnTable:
		into[key] = value
	case !isTable:
	case !has:
		into[key] = shallowCopy(table)
	case isOwnTable:
		merged := shallowCopy(table)
		mergeTables(merged, ownTable, true)
		into[key] = merged
	}
}

// mergeTables adds the values of from that into does not have. If keepNull is not set, a null of into removes the
// value.
func mergeTables(into, from map[string]any, keepNull bool) map[string]any {
	if from == nil {
		return into
	}
	if into == nil {
		return from
	}
	for key, value := range from {
		own, has := into[key]
		table, isTable := value.(map[string]any)
		ownTable, isOwnTable := own.(map[string]any)
		switch {
		case has && own == nil && !keepNull:
			delete(into, key)
		case !has:
			into[key] = value
		case isTable && isOwnTable:
			mergeTables(ownTable, table, keepNull)
		}
	}
	return into
}

func shallowCopy(table map[string]any) map[string]any {
	copied := make(map[string]any, len(table))
	for key, value := range table {
		copied[key] = value
	}
	return copied
}

func deepCopy(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		copied := make(map[string]any, len(v))
		for key, x := range v {
			copied[key] = deepCopy(x)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, x := range v {
			copied[i] = deepCopy(x)
		}
		return copied
	}
	return value
}

// countIn returns the number of fields and items of a value, at all depths.
func countIn(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		for _, x := range v {
			n += 1 + countIn(x)
		}
	case []any:
		for _, x := range v {
			n += 1 + countIn(x)
		}
	}
	return n
}
