package chart

import (
	"path"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/engine"
)

// scopes returns the templates of a chart and its subcharts, by name. scope is that of the parent.
func (c *Chart) scopes(scope map[string]any, list map[string]engine.Template) map[string]any {
	subcharts := map[string]any{}
	next := map[string]any{
		"Chart": c.metadataOf(), "Files": c.otherFiles(), "Release": scope["Release"], "Capabilities": scope["Capabilities"],
		"Values": map[string]any{}, "Subcharts": subcharts,
	}
	values, _ := scope["Values"].(map[string]any)
	if c.parent == nil {
		next["Values"] = values
	} else if own, ok := tableAt(values, strings.Split(c.name(), ".")); ok {
		next["Values"] = own
	}
	for _, sub := range c.subcharts {
		subcharts[sub.name()] = sub.scopes(next, list)
	}
	full := c.fullPath()
	for _, t := range c.templates {
		if !c.isLibrary() || strings.HasPrefix(path.Base(t.Name), "_") {
			list[path.Join(full, t.Name)] = engine.Template{File: t, Scope: next, Base: path.Join(full, "templates")}
		}
	}
	return next
}

// otherFiles returns the files that templates see as .Files.
func (c *Chart) otherFiles() engine.Files {
	list := make(engine.Files, len(c.files))
	for _, f := range c.files {
		list[f.Name] = []byte(f.Text)
	}
	return list
}
