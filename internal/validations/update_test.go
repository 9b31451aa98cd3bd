package validations

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// updated checks an update, and returns the paths of the failed rules, of those that were not evaluated, and the number
// of rules without an old value.
func updated(t *testing.T, schemaText, old, text string) string {
	t.Helper()
	s := compileSchema(t, schemaText)
	var before manifest.Node
	if old != "" {
		before = rootOf(t, "old.yaml", old)
	}
	root := rootOf(t, "new.yaml", text)
	schema.Check(root, s, schema.Resource{Plain: true}, before)
	r := NewRules(s).Check(nil, root, before)
	var have []string
	for _, v := range r.Violations {
		have = append(have, cmp.Or(v.Path.String(), "root"))
	}
	for _, n := range r.NotEvaluated {
		have = append(have, "not "+n.Path.String())
	}
	if r.Transitions > 0 {
		have = append(have, fmt.Sprint(r.Transitions, " without old"))
	}
	return strings.Join(have, " ")
}

// An update may keep a value that breaks a rule, if it does not change it. Transition rules and rules under allOf see
// the value anyway.
func TestAnUpdateMayKeepOldFaults(t *testing.T) {
	const (
		plain      = "type: object\nproperties: {v: {type: integer, x-kubernetes-validations: [{rule: self > 5}]}}\n"
		transition = "type: object\nproperties: {v: {type: integer, x-kubernetes-validations: [{rule: self > oldSelf}]}}\n"
		optional   = "type: object\nproperties: {v: {type: integer, x-kubernetes-validations: " +
			"[{rule: '!oldSelf.hasValue() || self > oldSelf.value()', optionalOldSelf: true}]}}\n"
		atRoot = "type: object\nproperties: {v: {type: integer}}\n" +
			"allOf: [{properties: {}}, {x-kubernetes-validations: [{rule: self.v > 5}]}]\n"
		below = "type: object\nproperties: {o: {type: object, properties: {v: {type: integer}}, " +
			"allOf: [{x-kubernetes-validations: [{rule: self.v > 5}]}]}, x: {type: integer}}\n"
		items = "type: object\nproperties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: " +
			"{type: object, properties: {k: {type: string}, v: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}}}}\n"
	)
	for _, c := range []struct{ schema, old, now, want string }{
		{plain, "", "v: 5", "v"}, {plain, "", "v: 6", ""},
		{plain, "v: 5", "v: 5", ""}, {plain, "v: 4", "v: 5", "v"}, {plain, "x: 4", "v: 5", "v"},
		{transition, "v: 5", "v: 5", "v"}, {transition, "v: 5", "v: 6", ""}, {transition, "", "v: 5", "1 without old"},
		{optional, "v: 5", "v: 5", "v"}, {optional, "", "v: 5", ""}, {optional, "", "v: x", "not v"},
		{plain, "", "v: x", "not v"}, {transition, "", "v: x", "1 without old"}, {transition, "v: 1", "v: x", "not v"},
		{atRoot, "v: 5", "v: 5", "root"}, {atRoot, "v: 5", "v: 6", ""}, {atRoot, "", "v: 5", "root"},
		{below, "{o: {v: 5}, x: 1}", "{o: {v: 5}, x: 1}", ""}, {below, "{o: {v: 5}, x: 1}", "{o: {v: 5}, x: 2}", "o"},
		{below, "{o: {v: 4}, x: 1}", "{o: {v: 5}, x: 1}", "o"},
		{items, "l: [{k: a, v: 1}, {k: b, v: 2}]", "l: [{k: b, v: 1}, {k: a, v: 2}]", "l[0].v"},
		{items, "l: [{k: a, v: 1}]", "l: [{k: b, v: 0}, {k: a, v: 0}]", "l[1].v 1 without old"},
	} {
		if have := strings.ReplaceAll(updated(t, c.schema, c.old, c.now), "root", ""); have != strings.ReplaceAll(c.want, "root", "") {
			t.Errorf("%sold %s, new %s: have %q, want %q", c.schema, c.old, c.now, have, c.want)
		}
	}
}

// Rules of each branch apply, and those of additionalProperties only to fields that the branch does not declare.
func TestRulesOfBranchesApplyToTheirFields(t *testing.T) {
	const rule = "x-kubernetes-validations: [{rule: self > 5}]"
	for _, c := range []struct{ schema, text, want string }{
		{
			"type: object\nadditionalProperties: {type: integer}\nallOf:\n- {properties: {b: {}}, additionalProperties: {" + rule + "}}\n",
			"{a: 1, b: 1, c: 9}", "a",
		},
		{
			"type: object\nproperties: {a: {type: integer}, b: {type: integer}}\nallOf:\n- {properties: {b: {}}, additionalProperties: {" + rule + "}}\n",
			"{a: 1, b: 1}", "a",
		},
		{
			"type: object\nproperties: {a: {type: integer}, b: {type: integer}}\nallOf:\n- {properties: {a: {" + rule + "}}}\n- {properties: {b: {" + rule + "}}}\n",
			"{a: 1, b: 1}", "a b",
		},
		{
			"type: object\nproperties: {l: {type: array, items: {type: integer}}}\nallOf:\n- {properties: {l: {items: {" + rule + "}}}}\n",
			"{l: [9, 1, 2]}", "l[1] l[2]",
		},
	} {
		if have := updated(t, c.schema, "", c.text); have != c.want {
			t.Errorf("%s%s: have %q, want %q", c.schema, c.text, have, c.want)
		}
	}
}

func TestEachBrokenRuleIsReported(t *testing.T) {
	s := compileSchema(t, "type: object\nproperties: {a: {type: integer, x-kubernetes-validations: [{rule: self.x}, {rule: self > 1}, {rule: self.y}]}}\n"+
		"x-kubernetes-validations: [{rule: none}]\n")
	if have := NewRules(s).Broken(); len(have) != 3 {
		t.Errorf("have %v", have)
	}
}

// A default must satisfy its rules when an object is created, and when it stays as it is.
func TestDefaultsSatisfyTheirRules(t *testing.T) {
	for rule, want := range map[string]int{
		"self > 0": 0, "self > 5": 1, "self == oldSelf": 0, "self > oldSelf": 1, "self < 3 || self == oldSelf": 0,
	} {
		s := compileSchema(t, "type: integer\nx-kubernetes-validations: [{rule: '"+rule+"'}]\n")
		if have := CheckDefault(&cel.Share{}, rootOf(t, "default.yaml", "5"), s, false); len(have) != want {
			t.Errorf("%s: have %v", rule, have)
		}
	}
}

func TestLargeKeySetsKeepEachValue(t *testing.T) {
	var k keySet
	for _, prefix := range []string{"a", "b"} {
		k.reset()
		for i := range 3 * smallSet {
			k.add(prefix+strconv.Itoa(i), eachValue{isKey: i%3 == 0})
		}
		for i := range 3 * smallSet {
			if v, ok := k.find(prefix + strconv.Itoa(i)); !ok || v.isKey != (i%3 == 0) {
				t.Errorf("%s%d: found %v, %v", prefix, i, ok, v.isKey)
			}
			if _, ok := k.find("a" + strconv.Itoa(i)); ok && prefix == "b" {
				t.Errorf("a%d of the set before is found", i)
			}
		}
	}
}
