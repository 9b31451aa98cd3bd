package chart

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// claimsOff adds the values of a user for subcharts that are off by default, unless the user switches them. Nothing reads
// them then, but a template of the chart may.
func (u *readValues) claimsOff(list []claim, s *suppliers) []claim {
	merged := s.values.merged()
	for _, d := range s.loaded.chart.metadata.Dependencies {
		name := cmp.Or(d.Alias, d.Name)
		if _, isOn := s.selected.subchart(name); isOn || d.isSwitched(merged) {
			continue
		}
		for i := range s.sources {
			from := &s.sources[i]
			one := claim{source: i, path: []any{name}, value: from.values, off: d}
			values, _ := from.values.(map[string]any)
			table, _ := values[name].(map[string]any)
			switch {
			case len(list) >= mostClaims:
				return list
			case from.layer < 0:
			case from.src != nil && len(table) > 0:
				one.value, one.siblings = table, values
				list = append(list, one)
			case from.src == nil && len(from.setting.steps) > 1 && from.setting.steps[0] == name:
				one.path = from.setting.steps
				list = append(list, one)
			}
		}
	}
	return list
}

// isSwitched reports whether values set a condition or a tag of the dependency.
func (d *Dependency) isSwitched(values map[string]any) bool {
	for _, condition := range d.conditions() {
		if _, ok := fieldAt(values, strings.Split(condition, ".")); ok {
			return true
		}
	}
	for _, tag := range d.Tags {
		if _, ok := fieldAt(values, []string{"tags", tag}); ok {
			return true
		}
	}
	return false
}

func (d *Dependency) conditions() (paths []string) {
	for path := range strings.SplitSeq(strings.TrimSpace(d.Condition), ",") {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// fieldAt returns the value at a path of fields.
func fieldAt(value any, path []string) (any, bool) {
	for _, name := range path {
		table, _ := value.(map[string]any)
		next, ok := table[name]
		if !ok {
			return nil, false
		}
		value = next
	}
	return value, true
}

// violationOff returns the message and the help about values for a subchart that is off.
func (d *Dependency) violationOff() (message, help string) {
	name := cmp.Or(d.Alias, d.Name)
	message = "this has no effect, because the subchart " + diag.Quote(name) + " is off by default"
	switch conditions := d.conditions(); {
	case len(conditions) > 0:
		return message, "set " + conditions[0] + " to true, or remove it"
	case len(d.Tags) > 0:
		return message, "set tags." + d.Tags[0] + " to true, or remove it"
	}
	return message, "remove it"
}

// settingFaults returns the warnings about flags and parameters that set an item of a list without those before it: they
// do not change the default list, but replace it (Helm's pkg/strvals).
func (c *Chart) settingFaults(own Values) (found faults) {
	merged := own.merged()
	for _, l := range own.layers {
		for i, step := range l.setting.steps {
			index, isIndex := step.(int)
			if l.src != nil || !isIndex || len(found) == mostFaults {
				continue
			}
			key := keyOf(l.setting.steps[:i])
			list, _ := valueAt(merged, l.setting.steps[:i]).([]any)
			for before := range min(index, len(list)) {
				if list[before] != nil {
					continue
				}
				f := fault{
					rule: diag.ChartWarning, at: l.setting.at,
					message: fmt.Sprintf("Helm replaces the list %s, and its item %d becomes null", diag.Quote(key), before),
					help:    "set all items of the list",
				}
				if f.at.IsZero() {
					f.at = c.src.Place(source.Span{})
					f.message = l.setting.flag + " " + l.setting.key + ": " + f.message
				}
				found = append(found, f)
				break
			}
		}
	}
	return found
}
