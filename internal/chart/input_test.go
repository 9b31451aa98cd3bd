package chart

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// nodeIn returns the node at a path of an object.
func nodeIn(t *testing.T, text string, names ...string) manifest.Node {
	t.Helper()
	src := &source.Source{Name: "object.yaml", Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	n := tree.Root().At(names...)
	if !n.Valid() {
		t.Fatalf("%v is not in %s", names, text)
	}
	return n
}

// object sets values as text, as a map and one by one.
const object = "text: |\n  # values\n  kind: Text\n  name: a\nmap:\n  kind: Map\n  list: [a, b]\none: \"a,b\"\n"

func TestAnObjectSetsValues(t *testing.T) {
	text, values, one := nodeIn(t, object, "text"), nodeIn(t, object, "map"), nodeIn(t, object, "one")
	for _, x := range []struct {
		inputs []Input
		want   string
	}{
		{[]Input{{Value: text}}, `{"kind":"Text","name":"a"}`},
		{[]Input{{Value: text}, {Value: values}}, `{"kind":"Map","list":["a","b"],"name":"a"}`},
		{[]Input{{Key: "x.y", Value: one, Text: "a,b"}}, `{"x":{"y":"a,b"}}`},
		{[]Input{{Key: "x", Value: one, Text: `a\,b`}}, `{"x":"a,b"}`},
		{[]Input{{Key: "x", Value: one, Text: "{a,b}"}}, `{"x":["a","b"]}`},
		{[]Input{{Key: "x", Value: one, Text: "1"}, {Key: "y", Value: one, Text: "1", IsString: true}}, `{"x":1,"y":"1"}`},
	} {
		var v Values
		for _, in := range x.inputs {
			if err := v.addInput(in); err != nil {
				t.Errorf("%s: %v", x.want, err)
			}
		}
		if have := jsonOf(v.merged()); have != x.want {
			t.Errorf("have %s, want %s", have, x.want)
		}
	}
}

func TestInvalidValuesOfAnObjectHaveTheirPlace(t *testing.T) {
	for _, x := range []struct {
		text, want string
		in         Input
	}{
		{"a: |\n  b: [\n", "object.yaml:2:3", Input{}},
		{"a: [b]\n", "object.yaml:1:1", Input{}},
		{"a: b\n", "object.yaml:1:4", Input{Key: "x[", Text: "b"}},
	} {
		x.in.Value = nodeIn(t, x.text, "a")
		set := Set{Name: "s", At: x.in.Value.Place(), Inputs: []Input{x.in}}
		r := set.Render(Load("c", template1("a: b\n")), Options{})
		if !r.IsFailed || len(r.Violations) != 1 {
			t.Errorf("%s is valid", x.text)
			continue
		}
		at := r.Violations[0].Place
		at.Detach()
		if have, _, _ := strings.Cut(at.String(), "-"); have != x.want {
			t.Errorf("%q: have %s, want %s", x.text, have, x.want)
		}
	}
}

func TestTextsHaveTheLineOfTheObjectThatSetsThem(t *testing.T) {
	text, values, one := nodeIn(t, object, "text"), nodeIn(t, object, "map"), nodeIn(t, object, "one")
	for _, x := range []struct {
		in         Input
		text, want string
	}{
		{Input{Value: text}, "Text", "object.yaml:3:9"},
		{Input{Value: values}, "Map", "object.yaml:6:9"},
		{Input{Key: "kind", Value: one, Text: "One"}, "One", "object.yaml:8:6"},
	} {
		set := Set{Name: "s", At: one.Place(), Inputs: []Input{x.in}}
		r := set.Render(Load("c", append(template1("kind: {{ .Values.kind }}\n"), File{"values.yaml", "kind: Default\n"})),
			Options{})
		output := r.Outputs[0]
		at := strings.Index(output.Source.Text, x.text)
		list := output.Supplied(source.Span{Start: at, End: at + len(x.text)})
		if len(list) != 1 {
			t.Errorf("%s: have %d places", x.text, len(list))
			continue
		}
		list[0].Place.Detach()
		if have, _, _ := strings.Cut(list[0].Place.String(), "-"); have != x.want || !list[0].IsSupplier {
			t.Errorf("%s: have %s, want %s", x.text, have, x.want)
		}
		if len(r.ValueFiles) != 1 {
			t.Errorf("%s: an object is not a file of values", x.text)
		}
	}
}

// A chart that asks for the version of APIServices gets that of every API server, unlike with 'helm template'.
func TestCapabilitiesHaveTheVersionOfAPIServices(t *testing.T) {
	loaded := Load("c", template1("a: {{ .Capabilities.APIVersions.Has \"apiregistration.k8s.io/v1\" }}\n"))
	if have := (&Set{}).Render(loaded, Options{Kubernetes: 34}).Outputs[0].Source.Text; have != "a: true\n" {
		t.Errorf("have %q", have)
	}
}

func TestAnnotationsOfAChartNameTheRelease(t *testing.T) {
	files := template1("a: {{ .Release.Name }} {{ .Release.Namespace }}\n")
	files[0].Text += "annotations:\n  catalog.cattle.io/release-name: fleet\n  catalog.cattle.io/namespace: fleet-system\n"
	for _, x := range []struct {
		options Options
		want    string
	}{
		{Options{}, "a: fleet fleet-system\n"},
		{Options{Release: "r"}, "a: r fleet-system\n"},
		{Options{Namespace: "n"}, "a: fleet n\n"},
	} {
		if have := Load("c", files).Render(x.options).Outputs[0].Source.Text; have != x.want {
			t.Errorf("have %q, want %q", have, x.want)
		}
	}
}

func TestAReleaseWithoutANameHasThatOfTheChart(t *testing.T) {
	for name, want := range map[string]string{
		"shop":                  "a: shop default\n",
		"shop.v2":               "a: shop.v2 default\n",
		"Shop":                  "a: release-name default\n", // Helm does not allow such a name
		strings.Repeat("s", 53): "a: " + strings.Repeat("s", 53) + " default\n",
		strings.Repeat("s", 54): "a: release-name default\n",
	} {
		files := []File{
			{"Chart.yaml", "{apiVersion: v2, name: " + name + ", version: 1.0.0}"},
			{"templates/a.yaml", "a: {{ .Release.Name }} {{ .Release.Namespace }}\n"},
		}
		if have := Load("c", files).Render(Options{}).Outputs[0].Source.Text; have != want {
			t.Errorf("%s: have %q, want %q", name, have, want)
		}
	}
}

func TestASetOfAnObjectNamesTheRelease(t *testing.T) {
	files := template1("a: {{ .Release.Name }} {{ .Release.Namespace }} {{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.APIVersions.Has \"a/v1\" }} {{ .Values.b }}\n")
	files = append(files, File{"values.yaml", "b: default\n"})
	at := nodeIn(t, object, "one").Place()
	for _, x := range []struct {
		set  Set
		want string
	}{
		{Set{At: at}, "a: r n v1.34.0 false default\n"},
		{
			Set{At: at, Release: "x", Namespace: "y", KubeVersion: "1.30.0", APIVersions: []string{"a/v1"}},
			"a: x y v1.30.0 true default\n",
		},
		{Set{At: at, HasOwnDefaults: true}, "a: r n v1.34.0 false \n"},
	} {
		loaded := Load("c", files)
		r := x.set.Render(loaded, Options{Release: "r", Namespace: "n", Kubernetes: 34})
		if have := r.Outputs[0].Source.Text; have != x.want {
			t.Errorf("have %q, want %q", have, x.want)
		}
		if related := x.set.Related(); !related.Place.IsSame(at) || related.Message != "included here" {
			t.Errorf("have %+v", related)
		}
	}
	unreadable := Set{At: at, Unreadable: source.Word{Text: `"b.yaml" does not exist`, Place: at}}
	if r := unreadable.Render(Load("c", files), Options{}); !r.IsFailed ||
		r.Violations[0].Message != `"b.yaml" does not exist` {
		t.Errorf("have %+v", r.Violations)
	}
	invalid := Set{At: at, KubeVersion: "x"}
	if r := invalid.Render(Load("c", files), Options{}); !r.IsFailed {
		t.Error("the version is valid")
	}
}

func TestAValueThatViolatesTheSchemaIsWhereItIsSetLast(t *testing.T) {
	schema := File{"values.schema.json", `{"properties": {"a": {"properties": {"b": {"type": "integer"}}}}}`}
	files := append(template1("x: y\n"), schema, File{"values.yaml", "z: 1\na:\n  b: 1\n"})
	object := "text: |\n  # values\n  a: {b: x}\nmap:\n  a: {b: x}\none: x\n"
	for _, x := range []struct {
		in   Input
		want string
	}{
		{Input{Value: nodeIn(t, object, "text")}, "object.yaml:3:10"},
		{Input{Value: nodeIn(t, object, "map")}, "object.yaml:5:10"},
		{Input{Key: "a.b", Value: nodeIn(t, object, "one"), Text: "x"}, "object.yaml:6:6"},
	} {
		set := Set{At: x.in.Value.Place(), Inputs: []Input{{Value: nodeIn(t, "other: {c: d}\n", "other")}, x.in}}
		r := set.Render(Load("c", files), Options{})
		if len(r.Violations) != 1 {
			t.Fatalf("%s: have %+v", x.want, r.Violations)
		}
		if set.SkipsSchema = true; set.Render(Load("c", files), Options{}).IsFailed {
			t.Errorf("%s: the schema is not skipped", x.want)
		}
		at := r.Violations[0].Place
		at.Detach()
		if have, _, _ := strings.Cut(at.String(), "-"); have != x.want {
			t.Errorf("have %s, want %s", have, x.want)
		}
	}
}

func TestAValueOfASubchartThatViolatesItsSchema(t *testing.T) {
	files := []File{
		{"Chart.yaml", metadata}, {"values.yaml", "z: 1\nstore:\n  size: x\n"},
		{"charts/store/Chart.yaml", "name: store\nversion: 1.0.0\n"}, {"charts/store/values.yaml", "size: 1\n"},
		{"charts/store/values.schema.json", `{"properties": {"size": {"type": "integer"}}}`},
	}
	r := Render("c", files, Options{})
	if last := r.Violations[len(r.Violations)-1]; !strings.HasPrefix(last.Place.String(), "c/values.yaml:3:9-") {
		t.Errorf("have %+v", last)
	}
}
