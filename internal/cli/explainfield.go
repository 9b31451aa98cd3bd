package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/schema"
)

// field is a field of a kind or of its list type, or an item of such a field, as explain shows it.
type field struct {
	kind     *catalog.Kind
	name     string // of the kind or of its list type
	path     string // from the root, with [] for the items of lists; empty for the kind itself
	schema   *schema.Schema
	property schema.Property // declares the field; it has no schema for a root, an item, or a value of a map
	required bool
	// pending are the rules of enclosing objects that report at fields below them. Each has the rest of its path
	// relative to this field.
	pending []pendingRule
	// others are the apiVersions of the other kinds of that name.
	others []string
	// versions are the apiVersions of the other versions of a built-in kind.
	versions []string
}

type pendingRule struct {
	rule *schema.Rule
	rest string // such as .spec.name; empty for a rule that reports at this field
}

// findField finds the field for a name such as Kind, Kind.spec.path, Kind.spec.list[] or KindList. It returns false
// for an unknown kind.
func findField(registry *catalog.Catalog, name, version string) (field, bool, error) {
	entries := registry.Entries()
	group, isOfGroup := "", strings.Contains(version, "/")
	if isOfGroup {
		group, version = catalog.SplitAPIVersion(version)
	}
	if named, v, rest, ok := cutGroup(entries, name); ok {
		group, isOfGroup, name, version = named, true, rest, cmp.Or(version, v)
	}
	parts := strings.Split(name, ".")
	kind, items := splitIndexes(parts[0])
	called := slices.DeleteFunc(slices.Clone(entries), func(e *catalog.Entry) bool {
		return !strings.EqualFold(e.ListName, kind) && !e.IsCalled(kind) || isOfGroup && e.Group != group
	})
	if len(called) == 0 {
		if i := withInitials(entries, kind); i >= 0 {
			called = entries[i : i+1]
		}
	}
	if len(called) == 0 || items > 0 {
		return field{}, false, nil
	}
	chosen := preferred(called, version)
	f, err := rootField(chosen, version, strings.EqualFold(chosen.ListName, kind))
	for _, part := range parts[1:] {
		if err == nil {
			f, err = f.step(part)
		}
	}
	if err == nil {
		f = f.withOthers(called, chosen)
	}
	return f, true, err
}

// cutGroup removes the group from a name such as GROUP/Kind.spec, GROUP/VERSION/Kind or Kind.GROUP. The last is the form
// in which reports print kinds. The version is "" if the name has none.
func cutGroup(entries []*catalog.Entry, name string) (group, version, rest string, ok bool) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		group = name[:i]
		if strings.Contains(group, "/") {
			group, version = catalog.SplitAPIVersion(group)
		}
		isOfGroup := func(e *catalog.Entry) bool { return e.Group == group }
		return group, version, name[i+1:], slices.ContainsFunc(entries, isOfGroup)
	}
	kind, after, _ := strings.Cut(name, ".")
	for _, e := range entries {
		isCalled := e.IsCalled(kind) || strings.EqualFold(e.ListName, kind)
		if !isCalled || len(e.Group) <= len(group) {
			continue
		}
		if below, isPrefix := strings.CutPrefix(after, e.Group); isPrefix && (below == "" || below[0] == '.') {
			group, rest, ok = e.Group, kind+below, true
		}
	}
	return group, "", rest, ok
}

// withOthers adds the other kinds of that name, and the other versions of a built-in kind.
func (f field) withOthers(called []*catalog.Entry, chosen *catalog.Entry) field {
	for _, e := range called {
		for i, v := range e.Versions {
			apiVersion := (&catalog.Kind{Group: e.Group, Version: v}).APIVersion()
			switch {
			case e != chosen && i == len(e.Versions)-1:
				f.others = append(f.others, apiVersion)
			case e == chosen && f.schema.Native && apiVersion != f.kind.APIVersion():
				f.versions = append(f.versions, apiVersion)
			}
		}
	}
	return f
}

// preferred returns the kind that a user probably means if several have the same name: the one whose apiVersion is the
// given version, or otherwise rather one from a CRD or a specification than one of Kubernetes.
func preferred(entries []*catalog.Entry, version string) *catalog.Entry {
	isCore := func(e *catalog.Entry) bool { return e.Group == "" && slices.Contains(e.Versions, version) }
	if i := slices.IndexFunc(entries, isCore); i >= 0 {
		return entries[i]
	}
	if i := slices.IndexFunc(entries, func(e *catalog.Entry) bool { return e.Origin != catalog.Kubernetes }); i >= 0 {
		return entries[i]
	}
	return entries[0]
}

// withInitials returns the index of the only kind with these initials, such as tgb for TargetGroupBinding. It returns
// -1 if there is none, or more than one.
func withInitials(entries []*catalog.Entry, initials string) int {
	found := -1
	for i, e := range entries {
		capitals := strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				return r
			}
			return -1
		}, e.Name)
		if len(initials) < 2 || !strings.EqualFold(capitals, initials) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

func rootField(e *catalog.Entry, version string, isList bool) (field, error) {
	if version == "" {
		version = e.Versions[len(e.Versions)-1]
	}
	k, ok := e.Kind(version)
	if !ok {
		return field{},
			fmt.Errorf("%s has no version %q; known versions: %s", e.Name, version, strings.Join(e.Versions, ", "))
	}
	k.Schema.Complete()
	if isList {
		return field{kind: k, name: k.ListName, schema: schema.ListOf(k.Name, k.Schema)}, nil
	}
	return field{kind: k, name: k.Name, schema: k.Schema}.withRules(), nil
}

var indexes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\[[0-9*]*\])+$`) })

// splitIndexes splits a part of a path, such as ports[], ports[0] or rows[0][1], into the name and the number of
// indexes.
func splitIndexes(part string) (name string, n int) {
	i := indexes().FindStringIndex(part)
	if i == nil {
		return part, 0
	}
	return part[:i[0]], strings.Count(part[i[0]:], "[")
}

// step returns the field for the next part of a path. The index of a list may be omitted before a field of its items.
func (f field) step(part string) (field, error) {
	name, items := splitIndexes(part)
	for f.schema.Items != nil {
		f = f.item()
	}
	next, err := f.child(name)
	for range items {
		if err == nil && next.schema.Items == nil {
			err = fmt.Errorf("%s is not a list", next.title())
		}
		if err == nil {
			next = next.item()
		}
	}
	return next, err
}

// title returns the kind and path of the field.
func (f field) title() string { return strings.TrimSuffix(f.name+"."+f.path, ".") }

// item returns the items of a list.
func (f field) item() field {
	return field{kind: f.kind, name: f.name, path: f.path + "[]", schema: f.schema.Items}.withRules()
}

// child returns a field of an object.
func (f field) child(name string) (field, error) {
	s := f.schema
	next := field{kind: f.kind, name: f.name, path: strings.TrimPrefix(f.path+"."+name, ".")}
	next.required = slices.Contains(s.Required, name) && !slices.Contains(s.Own, "required")
	for _, p := range f.pending {
		if rest, ok := strings.CutPrefix(p.rest, "."+name); ok && (rest == "" || rest[0] == '.') {
			next.pending = append(next.pending, pendingRule{p.rule, rest})
		}
	}
	if i := slices.IndexFunc(s.Properties, func(p schema.Property) bool { return p.Name == name }); i >= 0 {
		next.property, next.schema = s.Properties[i], s.Properties[i].Schema
		if next.path == "metadata" && next.schema.Description == "" && !s.Native {
			next.property, next.schema = schema.Property{}, schema.ObjectMetadata()
		}
		return next.withRules(), nil
	}
	if s.Additional != nil {
		next.schema = s.Additional
		return next.withRules(), nil
	}
	return field{}, f.noField(name)
}

func (f field) noField(name string) error {
	if absent, ok := f.schema.AbsentField(name); ok {
		return fmt.Errorf("%s has no field %q in the selected version of Kubernetes; %s", f.title(), name, absent.Help())
	}
	var names []string
	for _, p := range f.schema.Properties {
		names = append(names, p.Name)
	}
	switch near, ok := nearest.Name(name, names); {
	case ok:
		return fmt.Errorf("%s has no field %q; did you mean %q?", f.title(), name, near)
	case len(names) == 0:
		return fmt.Errorf("%s has no field %q; known fields: %s", f.title(), name, notSpecified)
	}
	return fmt.Errorf("%s has no field %q; it has %s", f.title(), name, strings.Join(names, ", "))
}

// withRules adds the rules of the field that report at fields below it.
func (f field) withRules() field {
	for i := range f.schema.Rules {
		if r := &f.schema.Rules[i]; r.FieldPath != "" {
			f.pending = append(f.pending, pendingRule{r, r.FieldPath})
		}
	}
	return f
}
