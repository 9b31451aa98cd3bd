package chart

import (
	"fmt"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/semver"
	"github.com/kindvet/kindvet/internal/source"
)

// warnings returns what Helm accepts in the files of a chart, but 'helm lint' or 'helm dependency' does not, or what
// Helm ignores. The dependencies have not been processed.
func (c *Chart) warnings() faults {
	list := slices.Concat(
		c.unknownFields(), c.metadataWarnings(), c.lockFaults(), c.dependencyWarnings(), c.releasesOnly(),
		c.replacedTemplates(),
	)
	for i := range list {
		list[i].rule = diag.ChartWarning
	}
	list = append(list, c.otherSchemas()...)
	return list
}

func fileName(src *source.Source) string { return path.Base(src.Name) }

// unknownFields returns the fields of Chart.yaml and the lock file that Helm ignores.
func (c *Chart) unknownFields() faults {
	found := unknownIn(c.root(c.src), reflect.TypeFor[Metadata](), "")
	if c.dependenciesSrc != c.src {
		found = append(found, unknownIn(c.root(c.dependenciesSrc), reflect.TypeFor[Metadata](), "")...)
	}
	if c.lock != nil {
		found = append(found, unknownIn(c.root(c.lockSrc), reflect.TypeFor[lockFile](), "")...)
	}
	return found
}

func unknownIn(v value, t reflect.Type, at string) (found faults) {
	if !v.Valid() {
		return nil
	}
	switch {
	case t.Kind() == reflect.Pointer:
		return unknownIn(v, t.Elem(), at)
	case t.Kind() == reflect.Slice && v.Type() == manifest.List:
		for i := 0; i < v.Len() && len(found) < mostFaults; i++ {
			item, _ := v.item(i)
			found = append(found, unknownIn(item, t.Elem(), fmt.Sprintf("%s[%d]", at, i))...)
		}
	case t.Kind() == reflect.Struct && v.Type() == manifest.Map:
		for f := range v.Children() {
			if len(found) >= mostFaults {
				break
			}
			below := strings.TrimPrefix(at+"."+f.Key(), ".")
			if field, ok := fieldOf(t, f.Key()); ok {
				found = append(found, unknownIn(value{f}, field.Type, below)...)
				continue
			}
			one := fault{
				message: below + ": unknown field " + diag.Quote(f.Key()) + ", which Helm ignores", help: "remove it",
				at: f.KeyPlace(),
			}
			if name, ok := nearest.Name(f.Key(), fieldsOf(t)); ok {
				one.help = "use " + diag.Quote(name)
			}
			found = append(found, one)
		}
	}
	return found
}

func fieldsOf(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// metadataWarnings returns the errors of 'helm lint' about fields of Chart.yaml (Helm's pkg/lint/rules/chartfile.go),
// except those about addresses of maintainers.
func (c *Chart) metadataWarnings() (found faults) {
	m := c.metadata
	add := func(message, help string, steps ...any) {
		found = append(found, fault{message: message, help: help, at: c.placeOf(c.src, steps...)})
	}
	version, _ := c.root(c.src).field("apiVersion")
	switch {
	case !version.Valid():
		add(`required field "apiVersion" is missing`, "add apiVersion: v2")
	case m.APIVersion != "v1" && m.APIVersion != "v2":
		add(`apiVersion: must be one of "v1", "v2"; got `+diag.Quote(m.APIVersion), "", "apiVersion")
	}
	for _, name := range []string{"version", "appVersion"} {
		if v, ok := c.root(c.src).field(name); ok && v.Type() != manifest.String {
			add(name+": must be a string, got "+diag.Article(v.Type().String()), "quote it", name)
		}
	}
	for _, name := range []string{"dependencies", "type"} {
		if v, ok := c.root(c.src).field(name); ok && m.APIVersion != "v2" && (v.Len() > 0 || v.Type() != manifest.List) {
			add(name+": only charts with apiVersion v2 have this field in Chart.yaml", "use apiVersion: v2", name)
		}
	}
	for i, person := range m.Maintainers {
		if person.Name == "" && len(found) < mostFaults {
			add(fmt.Sprintf(`maintainers[%d]: required field "name" is missing`, i), "add the name", "maintainers", i)
		}
	}
	for i, address := range m.Sources {
		if !isAddress(address) && len(found) < mostFaults {
			add(fmt.Sprintf("sources[%d]: %s is not a URL", i, diag.Quote(address)), "", "sources", i)
		}
	}
	if m.Icon != "" && !isAddress(m.Icon) {
		add("icon: "+diag.Quote(m.Icon)+" is not a URL", "", "icon")
	}
	return found
}

// isAddress reports whether a text is a URL with a scheme (govalidator.IsRequestURL).
func isAddress(text string) bool {
	u, err := url.ParseRequestURI(text)
	return err == nil && u.Scheme != ""
}

// dependencyWarnings returns the dependencies in charts/ that differ from those that the chart names: the errors of
// 'helm lint', and the wrong versions that 'helm dependency list' shows.
func (c *Chart) dependencyWarnings() (found faults) {
	versions := map[string][]string{} // in charts/, by name
	for _, sub := range c.subcharts {
		versions[sub.name()] = append(versions[sub.name()], sub.metadata.Version)
	}
	isNamed := map[string]bool{}
	for i, d := range c.metadata.Dependencies {
		isNamed[d.Name] = true
		if len(found) >= mostFaults {
			continue
		}
		if f, ok := d.versionFault(versions[d.Name]); ok {
			f.message = fmt.Sprintf("dependencies[%d].version: ", i) + f.message
			f.at = c.placeOf(c.dependenciesSrc, "dependencies", i, "version")
			found = append(found, f)
		}
	}
	for _, sub := range c.subcharts {
		if !isNamed[sub.name()] && len(found) < mostFaults {
			message := "name: " + diag.Quote(sub.name()) + " is not among the dependencies in " + fileName(c.dependenciesSrc)
			found = append(found,
				fault{message: message, help: "add it, or remove the subchart", at: c.placeOf(sub.src, "name")})
		}
	}
	return found
}

// versionFault returns what is wrong with the version of a dependency, given the versions of it in charts/.
func (d *Dependency) versionFault(versions []string) (fault, bool) {
	if _, err := semver.NewConstraint(d.Version); err != nil {
		return fault{message: diag.Quote(d.Version) + " is not a version or range of versions"}, true
	}
	isRight := func(v string) bool { return v == d.Version || isCompatible(d.Version, v) }
	if len(versions) == 0 || slices.ContainsFunc(versions, isRight) {
		return fault{}, false
	}
	message := "charts/ has version " + versions[0] + " of " + d.Name + ", which does not match " + diag.Quote(d.Version)
	return fault{message: message, help: "run 'helm dependency update'"}, true
}
