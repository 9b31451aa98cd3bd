package expressions_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/expressions"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// read reads a document.
func read(t *testing.T, text string) (*source.Source, manifest.Node) {
	t.Helper()
	src := &source.Source{Name: "a.yaml", Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if v := tree.Read(src, part); len(v) > 0 {
			t.Fatalf("%s\n%s", v[0].Message, text)
		}
	}
	return src, tree.Root()
}

// check checks a document of a kind of Kubernetes. It returns its violations as the text that each marks and its
// message.
func check(t *testing.T, kind, text string) (found []string, result expressions.Result) {
	t.Helper()
	src, root := read(t, text)
	for _, e := range catalog.KubernetesKinds(0) {
		if k, ok := e.Kind("v1"); ok && e.Name == kind {
			result = k.Expressions.Check(root, manifest.Node{})
		}
	}
	for _, v := range result.Violations {
		if v.Rule != diag.CEL && v.Rule != diag.BadFormat || v.Severity != diag.Error {
			t.Errorf("%s: rule %s, severity %v", v.Message, v.Rule, v.Severity)
		}
		found = append(found, src.Text[v.Place.Span.Start:v.Place.Span.End]+": "+
			strings.TrimPrefix(v.Message, "the expression does not compile: "))
	}
	return found, result
}

const (
	validating = "ValidatingAdmissionPolicy"
	mutating   = "MutatingAdmissionPolicy"
	class      = "DeviceClass"
)

// Each expression and what it lacks. All verdicts are those of kube-apiserver.
func TestExpressionsAreCompiledAsTheServerDoes(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		// Variables of all policies and webhooks.
		{
			validating,
			`{validations: [{expression: "object.a == oldObject.b && request.name == namespaceObject.metadata.name"}]}`, "",
		},
		{validating, `{validations: [{expression: "authorizer.requestResource.check('get').allowed()"}]}`, ""},
		{validating, `{validations: [{expression: "request.dryRun && requests.dryRun"}]}`,
			"requests: undeclared reference to 'requests' (in container '')"},
		{validating, `{validations: [{expression: "request.user == ''"}]}`, "user: undefined field 'user'"},
		{validating, `{validations: [{expression: "request.dryRun == 'yes'"}]}`,
			"=: found no matching overload for '_==_' applied to '(bool, string)'"},
		{
			validating, `{matchConditions: [{name: a, expression: "request.namespace == 'x' && object.namespace == 'x'"}]}`, "",
		},
		{validating, `{validations: [{messageExpression: "string(authorizer)"}]}`,
			"authorizer: undeclared reference to 'authorizer' (in container '')"},
		// Results.
		{validating, `{validations: [{expression: object.a}]}`, "object.a: must return bool, got dyn"},
		{validating, `{validations: [{messageExpression: "1"}]}`, `"1": must return string, got int`},
		{validating,
			`{auditAnnotations: [{valueExpression: "true ? 'a' : null"}, {valueExpression: "null"}, {valueExpression: "'a'"}]}`,
			"?: found no matching overload for '_?_:_' applied to '(bool, string, null)'"},
		{validating, `{auditAnnotations: [{valueExpression: "1"}]}`, `"1": must return string or null, got int`},
		// Blank, absent and wrong values.
		{validating,
			`{validations: [{expression: " ", messageExpression: ""}, {expression: 1}, {}, 2, null], matchConditions: {}}`,
			`" ": the expression is blank`},
		// Parameters.
		{
			validating, `{paramKind: {}, validations: [{expression: "params.a == 1", messageExpression: "params.b + ''"}]}`, "",
		},
		{validating, `{paramKind: null, validations: [{expression: "params.a == 1"}]}`,
			"params: undeclared reference to 'params' (in container '')"},
		// Composition.
		{
			validating,
			`{variables: [{name: a, expression: "1"}, {name: b, expression: "variables.a + 1"}], validations: [{expression: "variables.b == 2"}]}`, "",
		},
		{validating,
			`{validations: [{expression: "variables.b == 2"}], variables: [{name: a, expression: "variables.b"}, {name: b, expression: "'x'"}]}`,
			"b: undefined field 'b'; =: found no matching overload for '_==_' applied to '(string, int)'"},
		{validating, `{variables: [], validations: [{expression: "variables.a == 2"}]}`,
			"variables: undeclared reference to 'variables' (in container '')"},
		{validating, `{variables: [{name: a, expression: "b"}], validations: [{expression: "variables.a == 2"}]}`,
			"b: undeclared reference to 'b' (in container '')"},
		// Patches.
		{mutating, `{mutations: [{applyConfiguration: {expression: "Object{spec: Object.spec{a: 1}}"}}]}`, ""},
		{
			mutating,
			`{mutations: [{jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/' + jsonpatch.escapeKey('a'), value: Object.x{}}]"}}]}`, "",
		},
		{mutating, `{mutations: [{jsonPatch: {expression: "[JSONPatch{op: 1}]"}}]}`,
			":: expected type of field 'op' is 'string' but provided type is 'int'"},
		{
			mutating, `{mutations: [{jsonPatch: {expression: "[JSONPatch{operation: 'add'}]"}}]}`,
			":: undefined field 'operation'",
		},
		{mutating, `{mutations: [{applyConfiguration: {expression: "[JSONPatch{}]"}}]}`,
			`"[JSONPatch{}]": must return Object, got list(JSONPatch)`},
		{
			mutating, `{mutations: [{jsonPatch: {expression: "Object{}"}}]}`,
			`"Object{}": must return list(JSONPatch), got Object`,
		},
		{
			mutating, `{matchConditions: [{name: a, expression: "Object{} == null"}]}`,
			"{: undeclared reference to 'Object' (in container '')",
		},
		// Devices.
		{
			class,
			`{selectors: [{cel: {expression: "device.driver == 'a' && device.attributes['b'].c.isLessThan(semver('1.2.3'))"}}]}`, "",
		},
		{class, `{selectors: [{cel: {expression: "cel.bind(a, device.attributes['b'], a.c)"}}]}`, ""},
		{class, `{selectors: [{cel: {expression: "device.name == 'a'"}}]}`, "name: undefined field 'name'"},
		{class, `{selectors: [{cel: {expression: "device.driver"}}]}`, `"device.driver": must return bool, got string`},
		{class,
			`{selectors: [{cel: {expression: "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == d))))"}}]}`,
			"the expression has an estimated cost of "},
	} {
		found, _ := check(t, c.kind, "spec: "+c.text+"\n")
		if have := strings.Join(found, "; "); have != c.want &&
			(!strings.HasSuffix(c.want, " ") || !strings.Contains(have, c.want)) {
			t.Errorf("%s\nhave %s\nwant %s", c.text, have, c.want)
		}
	}
}

func TestAFaultIsMarkedInTheTextOfTheExpression(t *testing.T) {
	text := "webhooks:\n- matchConditions:\n  - name: a\n    expression: |\n\n      object.a == 1 &&\n        objekt.b == 2\n"
	_, result := check(t, "ValidatingWebhookConfiguration", text)
	if len(result.Violations) != 1 {
		t.Fatal(result.Violations)
	}
	v := result.Violations[0]
	if have := text[v.Place.Span.Start:v.Place.Span.End]; have != "objekt" ||
		v.Path.String() != "webhooks[0].matchConditions[0].expression" {
		t.Errorf("have %s at %s", have, v.Path)
	}
}

// A kind without expressions costs nothing.
func TestOnlySomeKindsHaveExpressions(t *testing.T) {
	var kinds []string
	for _, e := range catalog.KubernetesKinds(0) {
		if k, ok := e.Kind(e.Versions[0]); ok && k.Expressions != nil {
			kinds = append(kinds, e.Name)
		}
	}
	want := "MutatingAdmissionPolicy MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingWebhookConfiguration " +
		"DeviceClass ResourceClaim ResourceClaimTemplate"
	if have := strings.Join(kinds, " "); have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

// A declaration that names no field would check nothing.
func TestDeclaredFieldsExist(t *testing.T) {
	for _, e := range catalog.KubernetesKinds(0) {
		k, ok := e.Kind(e.Versions[0])
		if !ok {
			t.Fatal(e.Name)
		}
		for _, x := range k.Schema.Expressions {
			if f := field(k.Schema, x.At); f == nil || f.Type != "string" {
				t.Errorf("%s: %s is not a string", e.Name, x.At)
			}
			for _, v := range x.VariablesIf {
				if field(k.Schema, v.Field) == nil {
					t.Errorf("%s: unknown field %s", e.Name, v.Field)
				}
			}
			if parent := x.At[:strings.LastIndex(x.At, ".")+1]; x.Defines != "" && field(k.Schema, parent+x.Defines) == nil {
				t.Errorf("%s: unknown field %s", e.Name, x.Defines)
			}
		}
	}
}

// field returns the schema at a path, or nil.
func field(s *schema.Schema, path string) *schema.Schema {
	for _, name := range strings.Split(path, ".") {
		if name == "*" {
			s.Ready()
			s = s.Items
			continue
		}
		below, ok := s.Property(name)
		if !ok {
			return nil
		}
		s = below
	}
	return s
}

// Expressions of which a compiler takes seconds are skipped, and so are those that follow them.
func TestTheWorkOfADocumentIsBounded(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) + " == []" }
	types := []string{"[1]"}
	for i := range 100 {
		types = append(types, "[variables.a"+strconv.Itoa(i)+"]")
	}
	for name, c := range map[string]struct {
		expressions []string
		skipped     int
	}{
		"many expressions":    {slicesOf("1", 5000), 968},
		"nested brackets":     {[]string{nested(220), "1 == 1"}, 2},
		"brackets too nested": {[]string{nested(1000)}, 1},
		"nested types":        {types, 85},
		"doubled targets":     {[]string{"optional.of(1)" + strings.Repeat(".optMap(x, x)", 40) + ".hasValue()"}, 1},
		"many empty lists":    {slicesOf("1 == 1 && "+strings.Repeat("[] == [] && ", 500)+"true", 10), 8},
		"one long expression": {[]string{strings.Repeat("1 + ", 70_000) + "1"}, 1},
	} {
		text := "spec:\n  variables:\n"
		for i, e := range c.expressions {
			text += "  - {name: a" + strconv.Itoa(i) + ", expression: '" + e + "'}\n"
		}
		found, result := check(t, validating, text)
		skipped := 0
		for _, n := range result.NotChecked {
			skipped += 1 + n.More
		}
		if len(found) > 0 || skipped != c.skipped {
			t.Errorf("%s: have %d skipped, want %d; %v", name, skipped, c.skipped, found)
		}
	}
}

func slicesOf(text string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = text
	}
	return all
}
