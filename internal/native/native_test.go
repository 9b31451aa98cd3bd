package native

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// widget returns the findings in a document of the kind Widget with this spec.
func widget(t *testing.T, s *schema.Schema, spec string) []diag.Violation {
	t.Helper()
	root := manifesttest.Root(t, "apiVersion: v1\nkind: Widget\nmetadata: {name: a}\nspec: {parts: [{name: a}], "+spec+"}\n")
	return Check(root, s, schema.Resource{Native: true}, manifest.Node{})
}

// words returns what the findings say.
func words(violations []diag.Violation) string {
	var all []string
	for _, v := range violations {
		text := v.Path.String() + ": " + v.Message
		if v.Help != "" {
			text += "; " + v.Help
		}
		if slices.ContainsFunc(v.Fixes, func(f diag.Fix) bool { return !f.Choice }) {
			text += " (fix)"
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

func TestMessagesAboutDecoding(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	for spec, want := range map[string]string{
		"replicas: 99999999999":           `spec.replicas: must be a 32-bit integer, got 99999999999`,
		"replicas: 3.5":                   `spec.replicas: must be a 32-bit integer, got 3.5; use a whole number`,
		`replicas: "3"`:                   `spec.replicas: must be a 32-bit integer, got a string; remove the quotes (fix)`,
		"seconds: 9223372036854775808":    `spec.seconds: must be a 64-bit integer, got 9223372036854775808`,
		"paused: 1":                       `spec.paused: must be a boolean, got an integer; use true or false`,
		`paused: "true"`:                  `spec.paused: must be a boolean, got a string; remove the quotes (fix)`,
		"text: y":                         `spec.text: must be a string, got a boolean; quote it: "y" (fix)`,
		"args: [1]":                       `spec.args[0]: must be a string, got an integer; quote it: "1" (fix)`,
		"Replicas: 3":                     `spec.Replicas: unknown field "Replicas"; use "replicas" (fix)`,
		"port: 1.5":                       `spec.port: must be a 32-bit integer or a string, got 1.5; use a whole number`,
		"storage: true":                   `spec.storage: must be a valid quantity, got a boolean; use a number with an optional suffix, such as 500m, 2 or 1Gi`,
		"storage: x":                      `spec.storage: "x" is not a valid quantity; use a number with an optional suffix, such as 500m, 2 or 1Gi`,
		"storage: 1Gb":                    `spec.storage: "1Gb" is not a valid quantity; use "1Gi" (powers of 1024) or "1G" (powers of 1000)`,
		"storage: 1KB":                    `spec.storage: "1KB" is not a valid quantity; use "1Ki" (powers of 1024) or "1k" (powers of 1000)`,
		"storage: 1 Gi":                   `spec.storage: "1 Gi" is not a valid quantity; use "1Gi" (fix)`,
		"storage: 1.5gib":                 `spec.storage: "1.5gib" is not a valid quantity; use "1.5Gi" (fix)`,
		"storage: 5 m":                    `spec.storage: "5 m" is not a valid quantity; use "5m" (fix)`,
		`storage: " "`:                    `spec.storage: " " is not a valid quantity; use a number with an optional suffix, such as 500m, 2 or 1Gi`,
		"at: 2026-01-02":                  `spec.at: "2026-01-02" is not a valid date and time; use a date and time with a time zone, such as 2006-01-02T15:04:05Z`,
		`renewed: "2026-01-02T03:04:05Z"`: `spec.renewed: "2026-01-02T03:04:05Z" is not a valid date and time; use a date and time with six decimals and a time zone, such as 2006-01-02T15:04:05.000000Z`,
		"secret: YQ":                      `spec.secret: "YQ" is not valid base64; encode the value in base64 with padding`,
		"secret: true":                    `spec.secret: must be valid base64, got a boolean; encode the value in base64 with padding`,
		"class: Medium":                   `spec.class: must be one of "Fast", "Turbo"; got "Medium"`,
		"template: {spec: null, x: 1}":    `spec.template.x: unknown field "x"; known fields: metadata, spec`,
		"template: {spec: {name: []}}":    `spec.template.spec.name: must be a string, got an array`,
		`template: {spec: {name: ""}}`:    `spec.template.spec.name: required field "name" is empty`,
		"template: {spec: {name: null}}":  `spec.template.spec.name: required field "name" is null; set a value`,
		"template: {spec: {size: 0}}":     "spec.template.spec.size: must be at least 1, got 0\nspec.template.spec.name: required field \"name\" is missing",
		"replicas: a, paused: 1, x: [y]":  "spec.replicas: must be a 32-bit integer, got a string\nspec.paused: must be a boolean, got an integer; use true or false\nspec.x: unknown field \"x\"",
	} {
		if have := words(widget(t, s, spec)); have != want {
			t.Errorf("%s:\nhave %s\nwant %s", spec, have, want)
		}
	}
}

func TestFieldsAndValuesOfOtherVersions(t *testing.T) {
	for _, c := range []struct {
		minor      int
		spec, want string
	}{
		{31, "fresh: a", `spec.fresh: unknown field "fresh": Kubernetes 1.31 does not have it; it is new in 1.33`},
		{32, "fresh: a", `spec.fresh: unknown field "fresh": Kubernetes 1.32 does not have it; it is new in 1.33`},
		{33, "fresh: a", ""},
		{0, "fresh: a", ""},
		{31, "gone: a", ""},
		{32, "gone: a", `spec.gone: unknown field "gone": Kubernetes 1.32 does not have it; it was removed in 1.32`},
		{0, "gone: a", `spec.gone: unknown field "gone"; it was removed in 1.32`},
		{32, "class: Turbo", `spec.class: must be "Fast", got "Turbo"; it is new in 1.33`},
		{33, "class: Turbo", ""},
		{31, "class: Slow", ""},
		{32, "class: Slow", `spec.class: must be "Fast", got "Slow"; it was removed in 1.32`},
	} {
		s := nativeType(t, "v1.Widget", &schema.Compiler{Kubernetes: c.minor})
		if have := words(widget(t, s, c.spec)); have != c.want {
			t.Errorf("1.%d, %s:\nhave %s\nwant %s", c.minor, c.spec, have, c.want)
		}
	}
}

// The values of a field with the keyword decodeOnly are only decoded. Those of other fields of the same type are
// validated.
func TestFieldsThatAreOnlyDecoded(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	for spec, want := range map[string]string{
		"loose: {}":                               "",
		"loose: {spec: {}}":                       "",
		"loose: {spec: {size: 0}}":                "",
		"loose: {spec: {size: b}}":                "spec.loose.spec.size: must be a 32-bit integer, got a string",
		"loose: {x: 1}":                           `spec.loose.x: unknown field "x"; known fields: metadata, spec`,
		"loose: {spec: {}}, template: {spec: {}}": `spec.template.spec.name: required field "name" is missing`,
	} {
		if have := words(widget(t, s, spec)); have != want {
			t.Errorf("%s:\nhave %s\nwant %s", spec, have, want)
		}
	}
}

// An update keeps the old value of a field with the keyword keptOnUpdate, so the new one is only decoded.
func TestFieldsThatAnUpdateKeeps(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	const widget = "apiVersion: v1\nkind: Widget\nmetadata: {name: a}\nspec: {parts: [{name: a}]}\n"
	const missing = `part.name: required field "name" is missing`
	for _, c := range []struct{ old, part, want string }{
		{"", "part: {size: 1}", missing},
		{"part: {name: a}", "part: {size: 1}", ""},
		{"part: {name: a}", "", ""},
		{"part: {name: a}", "part: {size: b}", "part.size: must be a 32-bit integer, got a string"},
		{"part: {size: 1}", "part: {name: a}", missing},
		{"part: {size: 1}", "", missing},
	} {
		var old manifest.Node
		if c.old != "" {
			old = manifesttest.Root(t, widget+c.old+"\n")
		}
		root := manifesttest.Root(t, widget+c.part+"\n")
		if have := words(Check(root, s, schema.Resource{Native: true}, old)); have != c.want {
			t.Errorf("%s, was %s:\nhave %s\nwant %s", c.part, c.old, have, c.want)
		}
	}
}

// A field behind a gate that is off is decoded and then dropped, so nothing else about it is validated.
func TestFieldsBehindAGate(t *testing.T) {
	const warning = `spec.gated: the API server drops this field: the feature gate WidgetParts is off by default; ` +
		`remove it, or enable WidgetParts in the cluster and in featureGates: of .kindvet.yaml`
	off := nativeType(t, "v1.Widget", &schema.Compiler{IsOff: func(gate string) bool { return gate == "WidgetParts" }})
	on := nativeType(t, "v1.Widget", &schema.Compiler{IsOff: func(gate string) bool { return gate == "Other" }})
	for _, c := range []struct{ spec, on, off string }{
		{"gated: {name: a}", "", warning},
		{"gated: null", "", ""},
		{"gated: {}", `spec.gated.name: required field "name" is missing`, warning},
		{"gated: {name: a, size: 0}", "spec.gated.size: must be at least 1, got 0", warning},
		{
			"gated: {name: a, size: b}", "spec.gated.size: must be a 32-bit integer, got a string",
			"spec.gated.size: must be a 32-bit integer, got a string\n" + warning,
		},
	} {
		if have := words(widget(t, on, c.spec)); have != c.on {
			t.Errorf("%s, on:\nhave %s\nwant %s", c.spec, have, c.on)
		}
		violations := widget(t, off, c.spec)
		if have := words(violations); have != c.off {
			t.Errorf("%s, off:\nhave %s\nwant %s", c.spec, have, c.off)
		}
		if last := len(violations) - 1; last >= 0 && violations[last].Severity != diag.Warning {
			t.Errorf("%s, off: severity %v", c.spec, violations[last].Severity)
		}
	}
}

func TestPropertiesDescribeThemselves(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{Kubernetes: 36})
	s.Complete()
	spec, _ := s.Property("spec")
	if have := propertyOf(t, s, "spec").Text(); have != "What the widget should be." {
		t.Errorf("have %q", have)
	}
	for name, want := range map[string]schema.Property{
		"gated": {Name: "gated", Description: "A part behind a gate.", Gate: "WidgetParts"},
		"fresh": {Name: "fresh", Since: 33},
	} {
		have := propertyOf(t, spec, name)
		if have.Description != want.Description || have.Gate != want.Gate || have.Since != want.Since || have.Until != want.Until {
			t.Errorf("have %+v, want %+v", have, want)
		}
	}
	gated, _ := spec.Property("gated")
	if part, _ := spec.Property("parts"); part.Items != gated || gated.Description != "A part of the widget." {
		t.Error("a property with a gate has a schema of its own")
	}
}

// The tree has what the server decodes: rules see neither nulls nor unknown fields.
func TestTheTreeHoldsWhatTheServerDecodes(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{IsOff: func(string) bool { return true }})
	root := manifesttest.Root(t, `{apiVersion: v1, kind: Widget, metadata: {name: a, labels: {a: null}, uid: null}, spec: {
		replicas: null, mode: "", class: "", pointer: A, args: [null], numbers: [null], limits: {cpu: null}, unknown: {}, gated: {name: a},
		labels: {a: null}, parts: [null, {name: a, protocol: ""}], raw: {a: null}}}`)
	Check(root, s, schema.Resource{Native: true}, manifest.Node{})
	want := `{"apiVersion":"v1","kind":"Widget","metadata":{"name":"a","labels":{"a":""}},"spec":{` +
		`"mode":"A","class":"","pointer":"A","args":[""],"numbers":[0],"limits":{"cpu":0},"labels":{"a":""},` +
		`"parts":[{"protocol":"TCP"},{"name":"a","protocol":"TCP"}],"raw":{"a":null},"replicas":1}}`
	if have := string(root.AppendJSON(nil)); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

func TestAWholeNumberInJSONIsAnInteger(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	for number, want := range map[string]string{
		"3.0": "", "1e1": "", "2147483647.0": "", "-2147483648": "spec.replicas: must be at least 0, got -2147483648",
		"2147483648.0": "spec.replicas: must be a 32-bit integer, got 2147483648.0",
		"1e21":         "spec.replicas: must be a 32-bit integer, got 1e21",
		"1e-1":         "spec.replicas: must be a 32-bit integer, got 1e-1; use a whole number",
	} {
		root := manifesttest.Root(t,
			`{"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"parts": [{"name": "a"}], "replicas": `+
				number+`}}`)
		have := words(Check(root, s, schema.Resource{Native: true}, manifest.Node{}))
		if have != want {
			t.Errorf("%s: have %s, want %s", number, have, want)
		}
		if spec, _ := root.Field("spec"); want == "" && spec.At("replicas").Type() != manifest.Integer {
			t.Errorf("%s stays a float", number)
		}
	}
}

func TestNamesOfBuiltInKinds(t *testing.T) {
	const (
		empty   = "metadata.name: required field \"name\" is missing; set name or generateName"
		invalid = "is not a valid"
	)
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	for _, c := range []struct {
		resource schema.Resource
		meta     string
		want     string // a part of what is reported, or "" for nothing
	}{
		{schema.Resource{}, "name: a.b", ""},
		{schema.Resource{}, "name: a:b", invalid},
		{schema.Resource{}, "generateName: a-", ""},
		{schema.Resource{}, "generateName: a.", invalid},
		{schema.Resource{Name: formats.DNSSubdomain}, "name: 1a", ""},
		{schema.Resource{Name: formats.DNSLabel}, "name: 1a", ""},
		{schema.Resource{Name: formats.DNSLabel}, "name: a.b", invalid},
		{schema.Resource{Name: formats.DNSLabel}, "generateName: a-", ""},
		{schema.Resource{Name: formats.DNS1035Label}, "name: a1", ""},
		{schema.Resource{Name: formats.DNS1035Label}, "name: 1a", invalid},
		{schema.Resource{Name: formats.PathSegment}, "name: 'A:b c'", ""},
		{schema.Resource{Name: formats.PathSegment}, "name: a/b", invalid},
		{schema.Resource{Name: formats.PathSegment}, "name: ..", invalid},
		{schema.Resource{Name: formats.PathSegment}, "generateName: ..", ""},
		{schema.Resource{Name: formats.PathSegment}, "generateName: a%", invalid},
		{schema.Resource{Name: formats.IPName}, "name: 192.0.2.1", ""},
		{schema.Resource{Name: formats.IPName}, "name: 2001:db8::1", ""},
		{schema.Resource{Name: formats.IPName}, "name: '2001:db8:0::1'", "use the canonical form 2001:db8::1"},
		{schema.Resource{Name: formats.IPName}, "name: a", "use an IP address such as 192.0.2.1"},
		{schema.Resource{Name: formats.AnyName}, "", ""},
		{schema.Resource{Name: formats.AnyName}, "name: a/b, labels: {a b: c}", ""},
		{schema.Resource{Name: formats.AnyName}, "name: 1", "must be a string"},
		{schema.Resource{NoName: true}, "", ""},
		{schema.Resource{NoName: true}, "name: A", invalid},
		{schema.Resource{}, "", empty},
		{schema.Resource{LongestName: 10}, "name: abcdefghij", ""},
		{schema.Resource{LongestName: 10}, "name: abcdefghijk", "use at most 10 characters"},
		{schema.Resource{LongestName: 10}, "generateName: abcde", ""},
		{schema.Resource{LongestName: 10}, "generateName: abcdef", "use at most 10 characters"},
		{schema.Resource{AnyGenerateName: true}, "generateName: a.", ""},
		{schema.Resource{AnyGenerateName: true}, "generateName: A", `metadata.generateName: "A" is not a valid`},
		{schema.Resource{AnyGenerateName: true}, "name: a, generateName: A", ""},
		{schema.Resource{AnyGenerateName: true, LongestName: 10}, "generateName: abcdef", "use at most 10 characters"},
		{schema.Resource{KnownFinalizers: true}, "name: a, finalizers: [a]", "add a domain, such as example.com/name"},
		{schema.Resource{}, "name: a, finalizers: [a]", ""},
		{schema.Resource{}, "name: a, finalizers: [a b]", invalid},
		{schema.Resource{}, "name: a, generation: -1", ""},
		{schema.Resource{Generation: true}, "name: a, generation: -1", "generation must not be negative"},
		{schema.Resource{Generation: true}, "name: a, generation: 1", ""},
		{schema.Resource{}, "name: a, namespace: A", ""},
		{schema.Resource{Namespaced: true}, "name: a, namespace: A", invalid},
	} {
		c.resource.Native = true
		root := manifesttest.Root(t, "apiVersion: v1\nkind: Widget\nmetadata: {"+c.meta+"}\nspec: {parts: [{name: a}]}\n")
		have := words(Check(root, s, c.resource, manifest.Node{}))
		if (have == "") != (c.want == "") || !strings.Contains(have, c.want) {
			t.Errorf("%+v, %s:\nhave %s\nwant %s", c.resource, c.meta, have, c.want)
		}
	}
}

// An update is validated like a new object. Only the metadata is compared with the old object.
func TestUpdatesOfBuiltInKinds(t *testing.T) {
	s := nativeType(t, "v1.Widget", &schema.Compiler{})
	r := schema.Resource{Native: true}
	object := func(uid, spec string) manifest.Node {
		return manifesttest.Root(t, "apiVersion: v1\nkind: Widget\nmetadata: {name: a, uid: "+uid+
			"}\nspec: {parts: [{name: a}, {name: a}], "+spec+"}\n")
	}
	for _, c := range []struct{ uid, spec, want string }{
		{"x", "args: [a]", ""},
		{"x", "mode: C", `spec.mode: must be one of "A", "B"; got "C"`},
		{"z", "args: [a]", "metadata.uid: field is immutable"},
	} {
		old := object("x", c.spec+", replicas: null, other: 1")
		Prepare(old, s, r)
		if have := string(old.At("spec", "replicas").AppendJSON(nil)); have != "1" || old.At("spec", "other").Valid() {
			t.Errorf("the old object has replicas %s and other %v", have, old.At("spec", "other").Valid())
		}
		if have := words(Check(object(c.uid, c.spec), s, r, old)); have != c.want {
			t.Errorf("uid %s, %s: have %s, want %s", c.uid, c.spec, have, c.want)
		}
	}
}

func propertyOf(t *testing.T, s *schema.Schema, name string) *schema.Property {
	t.Helper()
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return &s.Properties[i]
		}
	}
	t.Fatalf("there is no property %s", name)
	return nil
}

func TestPropertiesAreDescribedWhenAsked(t *testing.T) {
	asked := 0
	s := nativeType(t, "v1.Widget", &schema.Compiler{Kubernetes: 36, Describe: func(owner, field string) string {
		asked++
		if field == "spec" {
			return "never asked, because the schema has a description"
		}
		return owner + "." + field
	}})
	if asked > 0 {
		t.Errorf("asked %d times without need", asked)
	}
	s.Complete()
	spec, _ := s.Property("spec")
	texts := map[string]string{}
	for _, p := range append(s.Properties, spec.Properties...) {
		texts[p.Name] = p.Text()
	}
	if have, want := texts["spec"], "What the widget should be."; have != want {
		t.Errorf("have %q, want %q", have, want)
	}
	if have, want := texts["fresh"], "v1.WidgetSpec.fresh"; have != want {
		t.Errorf("have %q, want %q", have, want)
	}
}

// Only the types that a document has are made, each once. A $ref with keywords next to it needs its type at once.
func TestTypesAreMadeWhenADocumentNeedsThem(t *testing.T) {
	c := &schema.Compiler{}
	s := nativeType(t, "v1.Widget", c)
	made := map[string]int{}
	find := c.Referred
	c.Referred = func(name string) (manifest.Node, bool) {
		made[name]++
		return find(name)
	}
	first := map[string]int{"v1.ObjectMeta": 1, "v1.WidgetSpec": 1, "v1.Part": 1}
	second := map[string]int{"v1.ObjectMeta": 1, "v1.WidgetSpec": 1, "v1.Part": 2}
	for _, step := range []struct {
		spec string
		want map[string]int
	}{{"mode: A", first}, {"mode: A, parts: [{name: a}]", second}, {"mode: B, parts: [{name: b}]", second}} {
		root := manifesttest.Root(t, "apiVersion: v1\nkind: Widget\nmetadata: {name: a}\nspec: {"+step.spec+"}\n")
		Check(root, s, schema.Resource{Native: true}, manifest.Node{})
		if !maps.Equal(made, step.want) {
			t.Errorf("%q: made %v, want %v", step.spec, made, step.want)
		}
	}
}
