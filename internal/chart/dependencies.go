package chart

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
)

// processDependencies removes the subcharts that conditions and tags turn off, gives the others their aliases, and
// imports values of subcharts (Helm's pkg/chartutil/dependencies.go, ProcessDependenciesWithMerge).
func (c *Chart) processDependencies(values map[string]any) error {
	if err := c.selectSubcharts(values, ""); err != nil {
		return err
	}
	return c.importValues()
}

// selectSubcharts keeps the subcharts that are turned on. at leads to the values of the chart.
func (c *Chart) selectSubcharts(values map[string]any, at string) error {
	if c.metadata.Dependencies == nil {
		return nil
	}
	c.setSubcharts(c.named())
	coalesced, err := c.coalesced(values, false)
	if err != nil {
		return err
	}
	off := map[string]bool{}
	for _, d := range c.metadata.Dependencies {
		d.Enabled = d.isTagged(coalesced)
		d.applyCondition(coalesced, at)
		if !d.Enabled {
			off[d.Name] = true
		}
	}
	kept := slices.DeleteFunc(slices.Clone(c.subcharts), func(sub *Chart) bool { return off[sub.name()] })
	for _, sub := range kept {
		if err := sub.selectSubcharts(coalesced, at+sub.name()+"."); err != nil {
			return err
		}
	}
	c.metadata.Dependencies = slices.DeleteFunc(c.metadata.Dependencies, func(d *Dependency) bool { return off[d.Name] })
	c.setSubcharts(kept)
	return nil
}

// maySelect reports whether a value that is not a boolean may decide which subcharts are selected, if it is set at a path in
// the values of a chart. It is not exact: the path is compared with the conditions of all charts, wherever they are.
func (c *Chart) maySelect(steps []any) bool {
	return c.metadata.Dependencies != nil && (slices.Contains(steps, any("tags")) || c.isSelector(steps))
}

// isSelector reports whether a path ends at a subchart, whose values must be a map, or overlaps with a condition.
func (c *Chart) isSelector(steps []any) bool {
	last := steps[len(steps)-1]
	for _, d := range c.metadata.Dependencies {
		if d.Alias == last {
			return true
		}
		for condition := range strings.SplitSeq(strings.TrimSpace(d.Condition), ",") {
			names := strings.Split(condition, ".")
			for i := range steps {
				n := min(len(steps)-i, len(names))
				if slices.EqualFunc(steps[i:i+n], names[:n], func(step any, name string) bool { return step == name }) {
					return true
				}
			}
		}
	}
	return last == globalKey ||
		slices.ContainsFunc(c.subcharts, func(sub *Chart) bool { return sub.name() == last || sub.isSelector(steps) })
}

// named returns the subcharts that Chart.yaml does not name, and then those that it names, under their aliases.
func (c *Chart) named() []*Chart {
	var list []*Chart
	for _, sub := range c.subcharts {
		isNamed := func(d *Dependency) bool { return sub.name() == d.Name && isCompatible(d.Version, sub.metadata.Version) }
		if !slices.ContainsFunc(c.metadata.Dependencies, isNamed) {
			list = append(list, sub)
		}
	}
	for _, d := range c.metadata.Dependencies {
		if sub, ok := c.find(d); ok {
			list = append(list, sub)
		}
		if d.Alias != "" {
			d.Name = d.Alias
		}
	}
	return list
}

// find returns a copy of the subchart of a dependency, under its alias.
func (c *Chart) find(d *Dependency) (*Chart, bool) {
	for _, sub := range c.subcharts {
		if sub.name() != d.Name || !isCompatible(d.Version, sub.metadata.Version) {
			continue
		}
		copied, metadata := *sub, *sub.metadata
		if d.Alias != "" {
			metadata.Name = d.Alias
		}
		copied.metadata = &metadata
		return &copied, true
	}
	return nil, false
}

// maxLocal is the maximum number of dependencies of a chart that are read from other directories. Each is loaded. A
// chart of 29 public repositories has at most 4; raise it if one has 25. The others are missing.
const maxLocal = 50

// LocalDependencies returns the directories, relative to the chart, of dependencies that are not in charts/ but in
// another directory, with a repository such as file://../store.
func (l *Loaded) LocalDependencies() (directories []string) {
	if l.err != nil {
		return nil
	}
	for _, d := range l.chart.metadata.Dependencies {
		directory, ok := strings.CutPrefix(d.Repository, "file://")
		if ok && !path.IsAbs(directory) && !l.chart.has(d) && !slices.Contains(directories, directory) &&
			len(directories) < maxLocal {
			directories = append(directories, directory)
		}
	}
	return directories
}

// AddDependency adds the chart in a directory that LocalDependencies returned, as 'helm dependency build' would add it
// to charts/. dir is the name of the directory in a report. A chart that Helm would not add, or that cannot be loaded,
// is still missing.
func (l *Loaded) AddDependency(dir string, files []File) {
	sub, err := load(dir, files)
	isNamed := func(d *Dependency) bool { return sub.name() == d.Name && isCompatible(d.Version, sub.metadata.Version) }
	if err == nil && slices.ContainsFunc(l.chart.metadata.Dependencies, isNamed) {
		l.chart.setSubcharts(append(l.chart.subcharts, sub))
	}
}

// has reports whether a dependency is among the subcharts.
func (c *Chart) has(d *Dependency) bool {
	return slices.ContainsFunc(c.subcharts, func(sub *Chart) bool { return sub.name() == d.Name })
}

// mostMissing is the maximum number of further missing dependencies that a finding lists. A hostile chart may have
// thousands; those of 29 public repositories have at most 5 dependencies.
const mostMissing = 20

// missing returns the fault that dependencies are not among the files of the chart. The first one is its place. One
// that the values turn off is not missing: 'helm dependency build' would add a subchart that writes nothing.
func (c *Chart) missing(own Values) (f fault, ok bool) {
	values := sync.OnceValue(func() map[string]any {
		values, _ := c.coalesced(own.merged(), false)
		return values
	})
	for i, d := range c.metadata.Dependencies {
		if c.has(d) || d.isOff(values) {
			continue
		}
		if len(f.related) == mostMissing {
			break
		}
		at := c.placeOf(c.dependenciesSrc, "dependencies", i, "name")
		if ok {
			f.related = append(f.related, diag.Related{Place: at, Message: diag.Quote(d.Name) + " is missing, too"})
			continue
		}
		f, ok = fault{
			rule:    diag.MissingDependency,
			message: "dependency " + diag.Quote(d.Name) + " is not in charts/, so the chart is not checked",
			help:    "run 'helm dependency build'", at: at,
		}, true
	}
	return f, ok
}

// isOff reports whether values turn off a dependency whose own values are unknown. Those could set a condition, and a
// condition that is set replaces the tags.
func (d *Dependency) isOff(values func() map[string]any) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(d.Condition), ",")
	if first == "" {
		return d.Condition == "" && len(d.Tags) > 0 && !d.isTagged(values())
	}
	steps := strings.Split(first, ".")
	table, _ := tableAt(values(), steps[:len(steps)-1])
	on, ok := table[steps[len(steps)-1]].(bool)
	return ok && !on
}

// isTagged reports whether tags leave the dependency on: one of its tags is true, or none is false.
func (d *Dependency) isTagged(values map[string]any) bool {
	tags, _ := values["tags"].(map[string]any)
	isOff := false
	for _, name := range d.Tags {
		if on, ok := tags[name].(bool); ok && on {
			return true
		} else if ok {
			isOff = true
		}
	}
	return !isOff
}

// applyCondition turns the dependency on or off by the first condition that is a boolean.
func (d *Dependency) applyCondition(values map[string]any, at string) {
	for condition := range strings.SplitSeq(strings.TrimSpace(d.Condition), ",") {
		if condition == "" {
			continue
		}
		steps := strings.Split(at+condition, ".")
		table, ok := tableAt(values, steps[:len(steps)-1])
		if !ok {
			continue
		}
		if on, ok := table[steps[len(steps)-1]].(bool); ok {
			d.Enabled = on
			return
		}
	}
}

func tableAt(values map[string]any, steps []string) (map[string]any, bool) {
	for _, step := range steps {
		table, ok := values[step].(map[string]any)
		if !ok {
			return nil, false
		}
		values = table
	}
	return values, true
}

// maxImported is the maximum number of fields and items that a chart imports. A subchart may import what it passes on,
// so values may be copied at each level. No Chart.yaml of 29 public repositories imports any.
const maxImported = 1_000_000

// importValues adds the values that the chart and its subcharts import from their own subcharts.
func (c *Chart) importValues() error {
	for _, sub := range c.subcharts {
		if err := sub.importValues(); err != nil {
			return err
		}
	}
	if c.metadata.Dependencies == nil {
		return nil
	}
	values, err := c.coalesced(nil, true)
	if err != nil {
		return err
	}
	imported, left := map[string]any{}, maxImported
	for _, d := range c.metadata.Dependencies {
		for i, wanted := range d.ImportValues {
			child, parent := "", "."
			switch w := wanted.(type) {
			case map[string]any:
				child, parent = fmt.Sprint(w["child"]), fmt.Sprint(w["parent"])
			case string:
				child = "exports." + w
			default:
				continue
			}
			d.ImportValues[i] = map[string]string{"child": child, "parent": parent}
			table, ok := tableAt(values, strings.Split(d.Name+"."+child, "."))
			if !ok {
				continue
			}
			if left -= 1 + countIn(table); left < 0 {
				return fault{message: "the imported values are too large", at: c.placeOf(c.dependenciesSrc, "dependencies")}
			}
			// Without a copy, two imports of one table could make it contain itself.
			imported = mergeTables(imported, under(parent, deepCopy(table).(map[string]any)), true)
		}
	}
	c.values = mergeTables(deepCopy(values).(map[string]any), imported, true)
	return nil
}

// under returns a table at a path.
func under(at string, table map[string]any) map[string]any {
	if at == "." {
		return table
	}
	steps := strings.Split(at, ".")
	for _, step := range slices.Backward(steps) {
		table = map[string]any{step: table}
	}
	return table
}
