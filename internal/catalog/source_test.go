package catalog

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// crd returns the text of a CRD with one version, v1, whose only field has the given type.
func crd(group, kind, listKind, plural, fieldType string) string {
	return `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ` + plural + "." + group + `}
spec:
  group: "` + group + `"
  names: {kind: ` + kind + `, listKind: ` + listKind + `, plural: ` + plural + `}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          value: {type: ` + fieldType + `}
  - name: v0
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object}}
`
}

func readCRDs(t *testing.T, text string) Source {
	t.Helper()
	kinds, found, violations := ReadCRDs(&source.Source{Name: "crds.yaml", Text: text})
	if found != strings.Count(text, "kind: CustomResourceDefinition") || len(violations) > 0 {
		t.Fatalf("%d CRDs, %v", found, violations)
	}
	return kinds
}

func TestOfSourcesTheLastCounts(t *testing.T) {
	first := readCRDs(t, crd("a.example.com", "Thing", "Things", "things", "string")+
		crd("a.example.com", "Other", "OtherList", "others", "string"))
	last := readCRDs(t, crd("a.example.com", "Thing", "ThingList", "things", "integer"))
	c := New(first, last)
	if len(c.Entries()) != 2 || c.Entries()[0].Name != "Other" {
		t.Errorf("%d entries, the first is %s", len(c.Entries()), c.Entries()[0].Name)
	}
	k, isList, ok := c.Lookup("a.example.com", "v1", "Thing")
	if !ok || isList || k.Origin != CRD {
		t.Fatalf("known %v, list %v", ok, isList)
	}
	if value, _ := k.Schema.Property("value"); value.Type != "integer" {
		t.Errorf("value is of type %s", value.Type)
	}
	if _, isList, ok := c.Lookup("a.example.com", "v1", "ThingList"); !ok || !isList {
		t.Error("the list of the kind is not known")
	}
	if _, _, ok := c.Lookup("a.example.com", "v1", "Things"); ok {
		t.Error("the list of the kind that does not count is known")
	}
	if _, _, ok := c.Lookup("a.example.com", "v0", "Thing"); ok {
		t.Error("a version that is not served is known")
	}
	if k, _, _ := New(first).Lookup("a.example.com", "v1", "Thing"); k == nil || k.ListName != "Things" {
		t.Error("another catalog has changed an entry")
	}
}

// The core group has an empty name, but otherwise behaves like any other group.
func TestKindsOfTheCoreGroup(t *testing.T) {
	src, tree := &source.Source{Name: "pods.yaml", Text: crd("", "Pod", "PodList", "pods", "string")}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	pod, _ := parseHead(tree.Root(), BuiltIn)
	pod.load = func() loaded {
		kinds, violations := parseCRD(tree.Root(), BuiltIn)
		return loaded{kinds, violations}
	}
	if have, want := pod.embeddedFile(), "kinds/core/pods.yaml"; have != want {
		t.Errorf("file: have %s, want %s", have, want)
	}
	c := New(BuiltInKinds(), Source{pod})
	group, version := SplitAPIVersion("v1")
	k, _, ok := c.Lookup(group, version, "Pod")
	if !ok || k.APIVersion() != "v1" {
		t.Fatalf("known %v, %+v", ok, k)
	}
	for _, x := range []struct{ version, kind, rule, message, help string }{
		{"v1", "Pood", "unknown-kind", `unknown kind "Pood" in the core API group`, `use "Pod"`},
		{"v2", "Pod", "unknown-version", `unknown version "v2" of kind Pod in the core API group`, "known versions: v1"},
		{"elbv2.platform.cloud", "TargetGroupBinding", "unknown-version",
			`apiVersion "elbv2.platform.cloud" has no version`, "use elbv2.platform.cloud/v1beta1"},
	} {
		u := c.Explain("", x.version, x.kind)
		if string(u.Rule) != x.rule || u.Message != x.message || u.Help != x.help || !u.Near {
			t.Errorf("%s %s: have %+v", x.version, x.kind, u)
		}
	}
}

// The faults of a schema are found when its kind is requested, and do not affect other kinds.
func TestSchemasAreCheckedOnFirstUse(t *testing.T) {
	kinds := readCRDs(t, crd("a.example.com", "Thing", "ThingList", "things", "string")+
		strings.Replace(crd("b.example.com", "Thing", "ThingList", "things", "string"), "        type: object\n",
			"        type: nothing\n", 1))
	c := New(kinds)
	if _, _, ok := c.Lookup("a.example.com", "v1", "Thing"); !ok {
		t.Fatal("the kind is not known")
	}
	if have := kinds[0].Violations(); len(have) > 0 {
		t.Errorf("violations of another CRD: %v", have)
	}
	if have := kinds[1].Violations(); len(have) != 1 || have[0].Place.Start().Line != 36 {
		t.Errorf("have %+v", have)
	}
}

// The CRDs of a List are first read separately, later all together. The result is the same as for CRDs in separate
// files.
func TestCRDsOfAListAreThoseOfFiles(t *testing.T) {
	const count = 2 * maxSingly
	list := "apiVersion: v1\nkind: List\nitems:\n"
	var crds []string
	for i := range count {
		text := crd("a"+strconv.Itoa(i)+".example.com", "Thing", "ThingList", "things", "thing"+strconv.Itoa(i))
		lines := strings.Split(strings.TrimPrefix(strings.TrimSpace(text), "---\n"), "\n")
		crds = append(crds, strings.Join(lines, "\n")+"\n")
		list += "- " + strings.Join(lines, "\n  ") + "\n"
	}
	kinds := readCRDs(t, list)
	if len(kinds) != count {
		t.Fatalf("%d kinds", len(kinds))
	}
	for i := range kinds {
		alone := readCRDs(t, crds[i])[0]
		have, want := kinds[i].Violations(), alone.Violations()
		if len(have) != 1 || len(want) != 1 {
			t.Fatalf("%d: have %v, want %v", i, have, want)
		}
		line := 3 + i*strings.Count(crds[0], "\n") + want[0].Place.Start().Line
		if have[0].Place.Start().Line != line || have[0].Path.String() != "items["+strconv.Itoa(i)+"]."+
			want[0].Path.String() || have[0].Message != want[0].Message ||
			strings.TrimSpace(have[0].Place.Excerpt().Text) != strings.TrimSpace(want[0].Place.Excerpt().Text) {
			t.Errorf("%d: have %+v\nwant %+v on line %d", i, have[0], want[0], line)
		}
		if k, ok := kinds[i].Kind("v1"); !ok || k.Group != alone.Group {
			t.Errorf("%d: the kind is not known", i)
		}
	}
	if kinds[0].load().kinds[0].Schema.Node.Tree() == kinds[1].load().kinds[0].Schema.Node.Tree() ||
		kinds[count-1].load().kinds[0].Schema.Node.Tree() != kinds[count-2].load().kinds[0].Schema.Node.Tree() {
		t.Error("the first are not read one by one, or the last not together")
	}
}
