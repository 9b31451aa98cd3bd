package main

import (
	"cmp"
	"io"
	"log"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	chart3 "helm.sh/helm/v3/pkg/chart"
	loader3 "helm.sh/helm/v3/pkg/chart/loader"
	util3 "helm.sh/helm/v3/pkg/chartutil"
	engine3 "helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v4/pkg/chart/common"
	common4 "helm.sh/helm/v4/pkg/chart/common/util"
	chart4 "helm.sh/helm/v4/pkg/chart/v2"
	loader4 "helm.sh/helm/v4/pkg/chart/v2/loader"
	util4 "helm.sh/helm/v4/pkg/chart/v2/util"
	engine4 "helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

// edit is a change of values.yaml of a chart or a subchart, or of the values of the user.
type edit struct {
	// subcharts lead from the chart to the one whose values.yaml is changed. isUser means the values of the user instead.
	subcharts []string
	isUser    bool
	path      []any
	// value replaces the one at the path. isRemoved removes it.
	value     any
	isRemoved bool
}

// render returns what Helm writes by template, with the values of a user and changes of the values.
type render func(user map[string]any, edits []edit) (map[string]string, error)

func quiet() {
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

// helm3 loads a chart for Helm 3.19.
func helm3(dir string) (render, error) {
	loaded, err := loader3.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	return func(user map[string]any, edits []edit) (map[string]string, error) {
		c := copied3(loaded)
		user = edited(user, edits, func(e *edit) bool { return e.isUser })
		edit3(c, nil, edits)
		if err := util3.ProcessDependencies(c, user); err != nil {
			return nil, err
		}
		release := util3.ReleaseOptions{Name: releaseName(c.Metadata.Annotations), Namespace: "default", Revision: 1, IsInstall: true}
		all, err := util3.ToRenderValues(c, user, release, util3.DefaultCapabilities)
		if err != nil {
			return nil, err
		}
		return engine3.Render(c, all)
	}, nil
}

func copied3(c *chart3.Chart) *chart3.Chart {
	out, metadata := *c, *c.Metadata
	metadata.Dependencies = nil
	for _, d := range c.Metadata.Dependencies {
		one := *d
		metadata.Dependencies = append(metadata.Dependencies, &one)
	}
	out.Metadata, out.Values = &metadata, deepCopy(c.Values).(map[string]any)
	var subcharts []*chart3.Chart
	for _, sub := range c.Dependencies() {
		subcharts = append(subcharts, copied3(sub))
	}
	out.SetDependencies(subcharts...)
	return &out
}

func edit3(c *chart3.Chart, at []string, edits []edit) {
	c.Values = edited(c.Values, edits, func(e *edit) bool { return !e.isUser && slices.Equal(e.subcharts, at) })
	for _, sub := range c.Dependencies() {
		edit3(sub, append(slices.Clip(at), sub.Name()), edits)
	}
}

// helm4 loads a chart for Helm 4.3.
func helm4(dir string) (render, error) {
	loaded, err := loader4.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	return func(user map[string]any, edits []edit) (map[string]string, error) {
		c := copied4(loaded)
		user = edited(user, edits, func(e *edit) bool { return e.isUser })
		edit4(c, nil, edits)
		if err := util4.ProcessDependencies(c, user); err != nil {
			return nil, err
		}
		release := common.ReleaseOptions{Name: releaseName(c.Metadata.Annotations), Namespace: "default", Revision: 1, IsInstall: true}
		all, err := common4.ToRenderValues(c, user, release, common.DefaultCapabilities)
		if err != nil {
			return nil, err
		}
		return engine4.Render(c, all)
	}, nil
}

func copied4(c *chart4.Chart) *chart4.Chart {
	out, metadata := *c, *c.Metadata
	metadata.Dependencies = nil
	for _, d := range c.Metadata.Dependencies {
		one := *d
		metadata.Dependencies = append(metadata.Dependencies, &one)
	}
	out.Metadata, out.Values = &metadata, deepCopy(c.Values).(map[string]any)
	var subcharts []*chart4.Chart
	for _, sub := range c.Dependencies() {
		subcharts = append(subcharts, copied4(sub))
	}
	out.SetDependencies(subcharts...)
	return &out
}

func edit4(c *chart4.Chart, at []string, edits []edit) {
	c.Values = edited(c.Values, edits, func(e *edit) bool { return !e.isUser && slices.Equal(e.subcharts, at) })
	for _, sub := range c.Dependencies() {
		edit4(sub, append(slices.Clip(at), sub.Name()), edits)
	}
}

func releaseName(annotations map[string]string) string {
	return cmp.Or(annotations["catalog.cattle.io/release-name"], "release-name")
}

// edited returns a copy of values with the changes that apply to them.
func edited(values map[string]any, edits []edit, applies func(*edit) bool) map[string]any {
	out, _ := deepCopy(values).(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	for i := range edits {
		if e := &edits[i]; applies(e) {
			out = changed(out, e.path, e).(map[string]any)
		}
	}
	return out
}

// changed returns a value with the one at a path changed. What is missing on the way is added.
func changed(value any, path []any, e *edit) any {
	if len(path) == 0 {
		return deepCopy(e.value)
	}
	switch step := path[0].(type) {
	case string:
		table, ok := value.(map[string]any)
		if !ok {
			table = map[string]any{}
		}
		if len(path) == 1 && e.isRemoved {
			delete(table, step)
		} else {
			table[step] = changed(table[step], path[1:], e)
		}
		return table
	case int:
		list, _ := value.([]any)
		for len(list) <= step {
			list = append(list, map[string]any{})
		}
		list[step] = changed(list[step], path[1:], e)
		return list
	}
	return value
}

func deepCopy(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, below := range v {
			out[key] = deepCopy(below)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = deepCopy(out[i])
		}
		return out
	}
	return value
}

// at returns the value at a path.
func at(value any, path []any) (any, bool) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			table, _ := value.(map[string]any)
			below, ok := table[step]
			if !ok {
				return nil, false
			}
			value = below
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil, false
			}
			value = list[step]
		}
	}
	return value, true
}

// values reads a file of values as Helm does.
func values(file string) (map[string]any, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	return out, yaml.Unmarshal(text, &out)
}

// set is a set of values that a chart is rendered with.
type set struct {
	file   string // "" for the default values
	values map[string]any
}

// sets returns the default values of a chart and its ci/*-values.yaml.
func sets(dir string) (list []set, err error) {
	list = []set{{}}
	files, err := filepath.Glob(filepath.Join(dir, "ci", "*-values.yaml"))
	for _, file := range files {
		v, err := values(file)
		if err != nil {
			continue
		}
		list = append(list, set{file, v})
	}
	return list, err
}

// output is what a chart writes with a set, and which lines are not the same in each render, such as those with the time.
type output struct {
	texts map[string]string
	odd   map[string]map[int]bool
}

// base renders a chart with a set several times. It returns false if the chart cannot be rendered.
func base(r render, user map[string]any) (*output, error) {
	texts, err := r(user, nil)
	if err != nil {
		return nil, err
	}
	o := &output{texts, map[string]map[int]bool{}}
	for range 2 {
		again, err := r(user, nil)
		if err != nil {
			return nil, err
		}
		o.learn(again)
	}
	return o, nil
}

// learn notes which lines of another render with the same values differ.
func (o *output) learn(texts map[string]string) {
	for name, text := range o.texts {
		if texts[name] == text {
			continue
		}
		if o.odd[name] == nil {
			o.odd[name] = map[int]bool{}
		}
		before, after := strings.Split(text, "\n"), strings.Split(texts[name], "\n")
		for i := range min(len(before), len(after)) {
			if before[i] != after[i] {
				o.odd[name][i] = true
			}
		}
	}
}

// difference returns the first difference to another output; "" for none.
func (o *output) difference(texts map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(o.texts)) {
		if o.texts[name] == texts[name] {
			continue
		}
		before, after := strings.Split(o.texts[name], "\n"), strings.Split(texts[name], "\n")
		for i := range max(len(before), len(after)) {
			switch {
			case i >= len(before) || i >= len(after):
				return name + ": has more or fewer lines"
			case before[i] != after[i] && !o.odd[name][i]:
				return name + ": " + strings.TrimSpace(before[i]) + " | " + strings.TrimSpace(after[i])
			}
		}
	}
	if len(texts) != len(o.texts) {
		return "another number of templates"
	}
	return ""
}
