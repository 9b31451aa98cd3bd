package chart

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/semver"
	"github.com/kindvet/kindvet/internal/source"
)

// value is a value in a YAML file, or no value.
type value struct{ manifest.Node }

// rootOf returns the value of a YAML file: of its first document, as in Helm.
func rootOf(src *source.Source) value {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		return value{tree.Root()}
	}
	return value{}
}

// field returns a field of an object. A null counts as missing.
func (v value) field(name string) (value, bool) {
	if !v.Valid() || v.Type() != manifest.Map {
		return value{}, false
	}
	f, ok := v.Field(name)
	return value{f}, ok && f.Type() != manifest.Null
}

// item returns an item of a list.
func (v value) item(i int) (value, bool) {
	if !v.Valid() || v.Type() != manifest.List {
		return value{}, false
	}
	item, ok := v.Item(i)
	return value{item}, ok
}

// root is rootOf, once for each file.
func (c *Chart) root(src *source.Source) value {
	v, ok := c.roots[src]
	if !ok {
		if c.roots == nil {
			c.roots = map[*source.Source]value{}
		}
		v = rootOf(src)
		c.roots[src] = v
	}
	return v
}

// mostFaults is the maximum number of findings of one kind in a file of a chart. The first ones are reported. A file
// of 5 MB can have a million. Raise it if somebody must fix more at once.
const mostFaults = 100

// placeOf returns the place of the value that fields and indexes lead to, or of what is nearest to it.
func (c *Chart) placeOf(src *source.Source, steps ...any) source.Place {
	at := c.root(src)
	found := source.Place{}
	for _, step := range steps {
		var ok bool
		if name, isName := step.(string); isName {
			at, ok = at.field(name)
		} else {
			at, ok = at.item(step.(int))
		}
		if !ok {
			break
		}
		found = at.Place()
	}
	if found.IsZero() {
		return src.Place(source.Span{})
	}
	return found
}

// unmarshalTyped is unmarshal, for a file with known fields. It reports every value of a wrong type at its place.
func unmarshalTyped(src *source.Source, into any) error {
	err := manifest.Unmarshal(src.Text, into)
	if err == nil {
		return nil
	}
	if wrong := wrongTypes(rootOf(src), reflect.TypeOf(into).Elem(), ""); len(wrong) > 0 {
		return wrong
	}
	return unmarshal(src, into)
}

// wrongTypes returns the values that cannot be stored in a Go type.
func wrongTypes(v value, t reflect.Type, at string) (wrong faults) {
	if !v.Valid() || v.Type() == manifest.Null || t.Kind() == reflect.Interface {
		return nil
	}
	want, isRight := wanted(v.Node, t)
	if !isRight {
		got := ", got " + diag.Article(v.Type().String())
		if t == reflect.TypeFor[time.Time]() && v.Type() == manifest.String {
			got = "; got " + diag.Quote(v.Text())
		}
		return faults{{message: strings.TrimPrefix(at+": must be "+want+got, ": "), at: v.Place()}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wrongTypes(v, t.Elem(), at)
	case reflect.Slice:
		for i := 0; i < v.Len() && len(wrong) < mostFaults; i++ {
			item, _ := v.Item(i)
			wrong = append(wrong, wrongTypes(value{item}, t.Elem(), fmt.Sprintf("%s[%d]", at, i))...)
		}
	case reflect.Map:
		for f := range v.Children() {
			if wrong = append(wrong, wrongTypes(value{f}, t.Elem(), at+"."+f.Key())...); len(wrong) >= mostFaults {
				break
			}
		}
	case reflect.Struct:
		for f := range v.Children() {
			if field, ok := fieldOf(t, f.Key()); ok {
				wrong = append(wrong, wrongTypes(value{f}, field.Type, strings.TrimPrefix(at+"."+f.Key(), "."))...)
			}
		}
	}
	return wrong
}

// wanted returns what a Go type stores, and whether a value is of that kind.
func wanted(n manifest.Node, t reflect.Type) (want string, isRight bool) {
	if t == reflect.TypeFor[time.Time]() {
		_, err := time.Parse(time.RFC3339, n.Text())
		return "a time, such as 2027-01-31T12:00:00Z", n.Type() == manifest.String && err == nil
	}
	switch t.Kind() {
	case reflect.String:
		return "a string", n.Type() != manifest.Map && n.Type() != manifest.List // numbers and booleans become strings
	case reflect.Bool:
		return "a boolean", n.Type() == manifest.Boolean
	case reflect.Slice:
		return "an array", n.Type() == manifest.List
	case reflect.Map, reflect.Struct:
		return "an object", n.Type() == manifest.Map
	}
	return "", true
}

// fieldOf returns the field of a struct that stores a key, as encoding/json does.
func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); strings.EqualFold(name, key) {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

// invalidMetadata returns what Helm rejects in Chart.yaml (pkg/chart/metadata.go). Values have the right types.
func (c *Chart) invalidMetadata() (found faults) {
	m, src := c.metadata, c.src
	m.sanitize()
	add := func(at source.Place, message, help string) {
		found = append(found, fault{message: message, help: help, at: at})
	}
	switch {
	case m.Name == "":
		add(c.placeOf(src, "name"), `required field "name" is missing`, "add the name of the chart")
	case m.Name != path.Base(m.Name):
		add(c.placeOf(src, "name"), "name: must not contain a slash", "")
	}
	if _, err := semver.NewVersion(m.Version); m.Version == "" {
		add(c.placeOf(src, "version"), `required field "version" is missing`, "add a version, such as 0.1.0")
	} else if err != nil {
		add(c.placeOf(src, "version"), "version: "+diag.Quote(m.Version)+" is not a semantic version",
			"use a version such as 1.2.3")
	}
	if !slices.Contains([]string{"", "application", "library"}, m.Type) {
		add(c.placeOf(src, "type"), `type: must be one of "application", "library"; got `+diag.Quote(m.Type), "")
	}
	for i, person := range m.Maintainers {
		if person == nil && len(found) < mostFaults {
			add(c.placeOf(src, "maintainers", i), fmt.Sprintf("maintainers[%d]: must be an object, got null", i), "remove it")
		}
	}
	return append(found, c.invalidDependencies()...)
}

// invalidDependencies returns what Helm rejects in the list of dependencies.
func (c *Chart) invalidDependencies() (found faults) {
	seen := map[string]bool{}
	for i, d := range c.metadata.Dependencies {
		if len(found) >= mostFaults {
			break
		}
		at := fmt.Sprintf("dependencies[%d]", i)
		if d == nil {
			found = append(found, fault{
				message: at + ": must be an object, got null", help: "remove it",
				at: c.placeOf(c.dependenciesSrc, "dependencies", i),
			})
			continue
		}
		field, name := "name", d.Name
		if d.Alias != "" {
			field, name = "alias", d.Alias
		}
		place := func() source.Place { return c.placeOf(c.dependenciesSrc, "dependencies", i, field) }
		if strings.ContainsFunc(d.Alias, func(r rune) bool { return r != '_' && r != '-' && !isAlphanumeric(r) }) {
			found = append(found,
				fault{message: at + ".alias: must consist of letters, digits, - and _; got " + diag.Quote(d.Alias), at: place()})
		}
		if seen[name] {
			found = append(found, fault{
				message: at + "." + field + ": another dependency has the name or alias " + diag.Quote(name), help: "set an alias",
				at: place(),
			})
		}
		seen[name] = true
	}
	return found
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
