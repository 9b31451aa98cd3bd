package native

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

var zero = Value{Kind: Zero}

// call calls a native function.
func call(t *testing.T, name string, args ...Value) Value {
	for _, fn := range Functions {
		if fn.Name == name {
			return fn.Run(&Meter{}, args)
		}
	}
	t.Fatalf("there is no function %s", name)
	return Value{}
}

func TestQuantitiesAreCompared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Value
	}{
		{"1", "1000m", Int(0)}, {"1Gi", "1G", Int(1)}, {" 1 ", "2", Int(-1)}, {"", "0", Int(0)},
		{"", "1m", Int(-1)},
		{"x", "1", Value{}}, {"1", "x", Value{}},
		{strings.Repeat("1", LongestQuantity), "1", Int(1)}, {strings.Repeat("1", LongestQuantity+1), "1", Value{}},
	} {
		if have := call(t, "compareQuantity", Text(c.a), Text(c.b)); !reflect.DeepEqual(have, c.want) {
			t.Errorf("%.20q and %q: %+v", c.a, c.b, have)
		}
	}
	if have := call(t, "compareQuantity", zero, Text("0")); !reflect.DeepEqual(have, Int(0)) {
		t.Errorf("an absent quantity is 0, have %+v", have)
	}
	for text, want := range map[string]bool{"1": true, "1500m": false, "1.5k": true, "0.5": false, "": true} {
		if have := call(t, "isWholeQuantity", Text(text)); !reflect.DeepEqual(have, Bool(want)) {
			t.Errorf("%q: %+v", text, have)
		}
	}
}

func TestPercentages(t *testing.T) {
	for text, want := range map[string]int64{"25%": 25, "0%": 0, "25": -1, "%": -1, "a%": -1, "99999999999%": -1} {
		if have := call(t, "percentOrInt", Text(text)); !reflect.DeepEqual(have, Int(want)) {
			t.Errorf("%q: %+v", text, have)
		}
	}
	if call(t, "percentOrInt", Int(7)).Integer != 7 || !reflect.DeepEqual(call(t, "percentOrInt", zero), Int(0)) {
		t.Error("an integer stays, and an absent value is 0")
	}
}

func TestLabelsAreSelected(t *testing.T) {
	labels := object(t, "{app: web, tier: front}")
	for selector, want := range map[string]bool{
		"{}":                        true,
		"{matchLabels: {app: web}}": true, "{matchLabels: {app: api}}": false, "{matchLabels: {zone: a}}": false,
		"{matchExpressions: [{key: app, operator: In, values: [api, web]}]}":                true,
		"{matchExpressions: [{key: app, operator: In, values: [api]}]}":                     false,
		"{matchExpressions: [{key: zone, operator: In, values: ['']}]}":                     false,
		"{matchExpressions: [{key: app, operator: NotIn, values: [web]}]}":                  false,
		"{matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}":                   true,
		"{matchExpressions: [{key: app, operator: Exists}]}":                                true,
		"{matchExpressions: [{key: zone, operator: Exists}]}":                               false,
		"{matchExpressions: [{key: app, operator: DoesNotExist}]}":                          false,
		"{matchExpressions: [{key: zone, operator: DoesNotExist}]}":                         true,
		"{matchExpressions: [{key: app, operator: Equals}]}":                                false,
		"{matchLabels: {app: web}, matchExpressions: [{key: app, operator: DoesNotExist}]}": false,
	} {
		if have := call(t, "matchesLabels", object(t, selector), labels); !reflect.DeepEqual(have, Bool(want)) {
			t.Errorf("%s: %+v", selector, have)
		}
	}
	if !reflect.DeepEqual(call(t, "matchesLabels", object(t, "{matchLabels: {app: web}}"), zero), Bool(false)) {
		t.Error("an object without labels does not match")
	}
	if !reflect.DeepEqual(call(t, "matchesLabels", zero, labels), Bool(true)) {
		t.Error("an absent selector selects everything")
	}
}

// A pod needs the sum of its containers and sidecars, or what an init container needs next to the sidecars before it.
func TestResourcesOfAPodAreAddedUp(t *testing.T) {
	const fields = "requests,limits"
	container := func(cpu string) string { return "{resources: {requests: {cpu: " + cpu + "}}}" }
	sidecar := func(cpu string) string {
		return "{restartPolicy: Always, resources: {requests: {cpu: " + cpu + "}}}"
	}
	for spec, want := range map[string]string{
		"{}": "0",
		"{containers: [" + container("1") + ", " + container("500m") + "]}":                                            "1500m",
		"{containers: [" + container("1") + "], initContainers: [" + container("3") + "]}":                             "3",
		"{containers: [" + container("1") + "], initContainers: [" + container("1") + ", " + container("1") + "]}":     "1",
		"{containers: [" + container("1") + "], initContainers: [" + sidecar("2") + "]}":                               "3",
		"{containers: [" + container("1") + "], initContainers: [" + sidecar("2") + ", " + container("4") + "]}":       "6",
		"{containers: [" + container("1") + "], initContainers: [" + container("4") + ", " + sidecar("2") + "]}":       "4",
		"{containers: [{resources: {limits: {cpu: 2}}}, {resources: {requests: {cpu: 1}, limits: {cpu: 5}}}]}":         "3",
		"{containers: [" + container("1") + "], initContainers: [" + sidecar("1") + ", " + sidecar("1") + ", {}, {}]}": "3",
	} {
		if have := call(t, "aggregateResources", object(t, spec), Text("cpu"), Text(fields)); !reflect.DeepEqual(have, Text(want)) {
			t.Errorf("%s: have %+v, want %s", spec, have, want)
		}
	}
	if have := call(t, "aggregateResources", object(t, "{containers: ["+container("x")+"]}"), Text("cpu"),
		Text(fields)); !reflect.DeepEqual(have, (Value{})) {
		t.Errorf("an invalid quantity is not an error: %+v", have)
	}
}

// An unknown format is an error and not a text without the format.
func TestFormatsOfRules(t *testing.T) {
	for _, c := range []struct {
		text, format string
		want         Value
	}{{"a", "dns-label", Bool(true)}, {"A", "dns-label", Bool(false)}, {"a", "no-such-format", Value{}}} {
		if have := call(t, "isFormat", Text(c.text), Text(c.format)); !reflect.DeepEqual(have, c.want) {
			t.Errorf("%q as %s: %+v", c.text, c.format, have)
		}
	}
}

func object(t *testing.T, text string) Value {
	src, tree := &source.Source{Text: text}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatal(vs)
		}
	}
	return Value{Kind: Object, Node: tree.Root(), Schema: &schema.Schema{Native: true}}
}

func TestPartsOfACIDRAreSmaller(t *testing.T) {
	for _, c := range []struct {
		part, whole string
		want        bool
	}{
		{"10.1.0.0/16", "10.0.0.0/8", true},
		{"10.0.0.0/8", "10.0.0.0/8", false},
		{"10.0.0.0/8", "10.1.0.0/16", false},
		{"192.0.2.0/24", "10.0.0.0/8", false},
		{"10.1.2.3/16", "010.0.0.0/8", true},
		{"2001:db8:1::/48", "2001:db8::/32", true},
		{"2001:db8::/32", "10.0.0.0/8", false},
		{"10.0.0.0/8", "::/0", false},
		{"::ffff:10.1.0.0/112", "10.0.0.0/8", true}, // upstream compares the numbers of bits as they are
		{"10.1.0.0/16", "::ffff:10.0.0.0/104", false},
	} {
		if have := call(t, "isPartOfCIDR", Text(c.part), Text(c.whole)); !reflect.DeepEqual(have, Bool(c.want)) {
			t.Errorf("%s in %s: have %v", c.part, c.whole, have)
		}
	}
	for _, wrong := range [][]Value{{Text("a"), Text("10.0.0.0/8")}, {Text("10.0.0.0/8"), Text("a")}, {Int(1), Text("10.0.0.0/8")}} {
		if have := call(t, "isPartOfCIDR", wrong...); have.Kind != (Value{}).Kind {
			t.Errorf("%v: have %v", wrong, have)
		}
	}
}
