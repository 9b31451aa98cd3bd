package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/source"
)

// widgets is a definition. Each test replaces a part of it.
const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`

// catalogOf returns a catalog of CRDs, in the order of the files.
func catalogOf(t *testing.T, texts ...string) *catalog.Catalog {
	t.Helper()
	var sources []catalog.Source
	for _, text := range texts {
		kinds, _, violations := catalog.ReadCRDs(&source.Source{Name: "crd.yaml", Text: text})
		for _, e := range kinds {
			violations = append(violations, e.Violations()...)
		}
		if len(violations) > 0 {
			t.Fatalf("%s\n%s", violations[0].Message, text)
		}
		sources = append(sources, kinds)
	}
	return catalog.New(sources...)
}

func replaced(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(widgets) }

// names lists the entries as GROUP KIND PLURAL LIST SCOPE VERSIONS.
func names(r *catalog.Catalog) (list []string) {
	for _, e := range r.Entries() {
		list = append(list,
			fmt.Sprint(e.Group, " ", e.Name, " ", e.Plural, " ", e.ListName, " ", e.Scope(), " ", e.Versions))
	}
	return list
}

func TestADefinitionBecomesAnEntry(t *testing.T) {
	const v2 = "\n  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n"
	for _, c := range []struct{ name, text, want string }{
		{"as it is", widgets, "shop.example.com Widget widgets WidgetList Namespaced [v1]"},
		{"of the cluster", replaced("Namespaced", "Cluster"), "shop.example.com Widget widgets WidgetList Cluster [v1]"},
		{"another plural", replaced("widgets", "widgetry"), "shop.example.com Widget widgetry WidgetList Namespaced [v1]"},
		{
			"another kind of list", replaced("WidgetList", "Widgets"),
			"shop.example.com Widget widgets Widgets Namespaced [v1]",
		},
		{
			"no kind of list", replaced("listKind: WidgetList, ", ""),
			"shop.example.com Widget widgets WidgetList Namespaced [v1]",
		},
		{"two versions", strings.TrimSpace(widgets) + v2, "shop.example.com Widget widgets WidgetList Namespaced [v1 v2]"},
		{"one that is not served", strings.TrimSpace(widgets) + strings.Replace(v2, "served: true", "served: false", 1),
			"shop.example.com Widget widgets WidgetList Namespaced [v1]"},
	} {
		r := catalogOf(t, c.text)
		if have := names(r); !slices.Equal(have, []string{c.want}) {
			t.Errorf("%s: have %q, want %q", c.name, have, c.want)
		}
		k, isList, ok := r.Lookup("shop.example.com", "v1", "Widget")
		if !ok || isList {
			t.Fatalf("%s: found %v, a list %v", c.name, ok, isList)
		}
		if e := r.Entries()[0]; k.Plural != e.Plural || k.ListName != e.ListName || k.Resource.Namespaced != e.Namespaced ||
			k.APIVersion() != "shop.example.com/v1" {
			t.Errorf("%s: the kind %+v differs from the entry", c.name, k)
		}
	}
}

func TestLookup(t *testing.T) {
	r := catalogOf(t, replaced("  - {name: v1,",
		"  - {name: v0, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n  - {name: v1,"))
	for _, c := range []struct {
		group, version, kind string
		found, isList        bool
	}{
		{"shop.example.com", "v1", "Widget", true, false},
		{"shop.example.com", "v1", "WidgetList", true, true},
		{"shop.example.com", "v0", "Widget", false, false}, // not served
		{"shop.example.com", "v2", "Widget", false, false},
		{"shop.example.com", "v1", "widget", false, false},
		{"shop.example.com", "v1", "List", false, false},
		{"other.example.com", "v1", "Widget", false, false},
		{"", "v1", "Widget", false, false},
	} {
		_, isList, found := r.Lookup(c.group, c.version, c.kind)
		if found != c.found || found && isList != c.isList {
			t.Errorf("%s/%s %s: found %v, a list %v", c.group, c.version, c.kind, found, isList)
		}
	}
}

// The definition that is loaded last wins, and nothing remains of the earlier one.
func TestALaterDefinitionReplacesAnEarlierOne(t *testing.T) {
	r := catalogOf(t, widgets, replaced("WidgetList", "Widgets", "v1,", "v2,"))
	if have, want := names(r),
		[]string{"shop.example.com Widget widgets Widgets Namespaced [v2]"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	for kind, want := range map[string]bool{"Widget": true, "Widgets": true, "WidgetList": false} {
		if _, _, found := r.Lookup("shop.example.com", "v2", kind); found != want {
			t.Errorf("%s is found: have %v, want %v", kind, found, want)
		}
	}
	for _, kind := range []string{"Widget", "WidgetList"} {
		if _, _, found := r.Lookup("shop.example.com", "v1", kind); found {
			t.Errorf("%s of the earlier definition is found", kind)
		}
	}
}

func TestDefinitionsOfOtherGroupsAndKindsStay(t *testing.T) {
	r := catalogOf(t, widgets, replaced("shop.example.com", "a.example.com"),
		replaced("Widget", "Gadget", "widget", "gadget"))
	want := []string{
		"a.example.com Widget widgets WidgetList Namespaced [v1]",
		"shop.example.com Gadget gadgets GadgetList Namespaced [v1]",
		"shop.example.com Widget widgets WidgetList Namespaced [v1]",
	}
	if have := names(r); !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestDefinitionsAreFoundInStreamsAndLists(t *testing.T) {
	gadgets := replaced("Widget", "Gadget", "widget", "gadget")
	indented := "- " + strings.ReplaceAll(strings.TrimSpace(widgets), "\n", "\n  ") + "\n"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"one":              {widgets, 1},
		"a stream":         {widgets + "---\n" + gadgets, 2},
		"among others":     {"kind: ConfigMap\napiVersion: v1\n---\n" + widgets, 1},
		"a list":           {"apiVersion: v1\nkind: List\nitems:\n" + indented, 1},
		"none":             {"kind: ConfigMap\napiVersion: v1\n", 0},
		"of another group": {replaced("apiextensions.k8s.io/v1", "example.com/v1"), 0},
	} {
		kinds, found, violations := catalog.ReadCRDs(&source.Source{Name: "crd.yaml", Text: c.text})
		if found != c.want || len(violations) > 0 || len(kinds) != c.want {
			t.Errorf("%s: have %d, %d kinds, %v; want %d", name, found, len(kinds), violations, c.want)
		}
	}
}

func TestADefinitionThatCannotBeUsedSaysWhy(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"v1beta1", replaced("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"), "unknown-version apiVersion"},
		{"no schema", replaced(", schema: {openAPIV3Schema: {type: object}}", ""), "missing-field spec.versions[0].schema"},
		{"no versions",
			replaced("  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n",
				""),
			"missing-field spec.versions"},
	} {
		kinds, _, violations := catalog.ReadCRDs(&source.Source{Name: "crd.yaml", Text: c.text})
		var have []string
		for _, v := range violations {
			have = append(have, string(v.Rule)+" "+v.Path.String())
		}
		if !slices.Contains(have, c.want) || len(kinds) > 0 {
			t.Errorf("%s: have %q and %d kinds, want %q", c.name, have, len(kinds), c.want)
		}
	}
}

func TestAKindHoldsWhatTheVersionSays(t *testing.T) {
	r := catalogOf(t, replaced("{name: v1, served: true, storage: true, ", `{name: v1, served: true, storage: true, deprecated: true, deprecationWarning: "use v2",
     subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}},
     `))
	k, _, _ := r.Lookup("shop.example.com", "v1", "Widget")
	scale := k.Resource.Scale
	if !k.Deprecated || k.DeprecationWarning != "use v2" {
		t.Errorf("deprecated %v, %q", k.Deprecated, k.DeprecationWarning)
	}
	if scale.SpecReplicas != ".spec.replicas" || scale.StatusReplicas != ".status.replicas" ||
		scale.LabelSelector != ".status.selector" {
		t.Errorf("scale %+v", scale)
	}
	if k.Schema == nil || k.Schema.Type != "object" || k.Resource.NoMetadata || k.Resource.Plain {
		t.Errorf("schema %v, resource %+v", k.Schema, k.Resource)
	}
}

func TestSplitAPIVersion(t *testing.T) {
	for text, want := range map[string][2]string{
		"v1": {"", "v1"}, "apps/v1": {"apps", "v1"}, "": {"", ""}, "a/b/c": {"a", "b/c"}, "/v1": {"", "v1"},
	} {
		group, version := catalog.SplitAPIVersion(text)
		if have := [2]string{group, version}; have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}
