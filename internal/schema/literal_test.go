package schema

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/checktest"
)

const typedFields = `
type: object
properties:
  any: {x-kubernetes-preserve-unknown-fields: true}
  text: {type: string}
  status: {type: string, enum: ["True", "False", "Unknown"]}
  scheme: {type: string, enum: [internal, internet-facing]}
  family: {type: string, enum: [ipv4, dualstack]}
  policy: {type: string, enum: [Background, Foreground]}
  id: {type: string, pattern: "^[a-z]{3}$", description: Three letters.}
  when: {type: string, format: date-time}
  long: {type: string, minLength: 3}
  number: {type: integer, maximum: 5}
  flag: {type: boolean}
  names: {type: array, items: {type: string}}
  objects: {type: array, items: {type: object}, description: Objects.}
  event: {type: string, description: Normal or Warning.}
  object: {type: object, properties: {a: {type: string}}}
`

// The help about a value of the wrong type is an edit that makes it valid. The fixes make the same edit.
func TestTheHelpAboutATypeLeadsToAValidValue(t *testing.T) {
	s := compiled(t, &source.Source{Name: "schema.yaml", Text: typedFields})
	for _, c := range []struct{ text, help, fix string }{
		{"text: 5", `quote it: "5"`, `text: "5"`},
		{"text: yes", `quote it: "yes"`, `text: "yes"`},
		{"text: 1e6", `quote it: "1e6"; without quotes it is the number 1000000`, `text: "1e6"`},
		{"text: 1.5", `quote it: "1.5"`, `text: "1.5"`},
		{"text: 0777", `quote it: "0777"; without quotes it is octal, the number 511`, `text: "0777"`},
		{"text: 0x1F", `quote it: "0x1F"; without quotes it is the number 31`, `text: "0x1F"`},
		{"text: [5]", "", ""},
		{"text: &x 5", `quote it: &x "5"`, ""},
		{"{text: &x 5, any: [&xy 1, *xy]}", `quote it: &x "5"`, ""},
		{"{text: &x 5, any: *x}", `use "5", and move &x 5 to the first alias`, ""},
		{`{number: &x "5", any: *x}`, `use 5, and move &x "5" to the first alias`, ""},
		{`number: &x "5"`, "remove the quotes", ""},
		{"text: !!float 3", `remove the tag, and quote it: "3"`, ""},
		{`text: !!int "3"`, "remove the tag", ""},
		{"{any: &port 8080, text: *port}", `use "8080": *port is the number 8080`, ""},
		{"{any: &mode 0644, text: *mode}", `use "0644": *mode is the number 420`, ""},
		{"{any: &on yes, text: *on}", `use "yes": *on is the boolean true`, ""},
		{"status: true", `use "True"`, `status: "True"`},
		{"status: No", `use "False"`, `status: "False"`},
		{"status: 5", `allowed: "True", "False", "Unknown"`, ""},
		{"id: 5", "three letters", ""},
		{"when: 20240102", "use a date and time with a time zone, such as 2006-01-02T15:04:05Z", ""},
		{"long: 12", "use a string of at least 3 characters", ""},
		{"long: 123", `quote it: "123"`, `long: "123"`},
		{`number: "5"`, "remove the quotes", "number: 5"},
		{`{any: &port "5", number: *port}`, `use 5: *port is the string "5"`, ""},
		{"number: !!str 5", "remove the tag", ""},
		{"number: |-\n  5", "use 5", ""},
		{"{any: &n 70000, number: *n}", "", ""},
		{`flag: "true"`, "remove the quotes", "flag: true"},
		{"names: a", "make it a list with one item", "names: [a]"},
		{"objects: true", "objects", ""},
		{"event: [x, y]", "Normal or Warning", ""},
		{`flag: "True"`, "use true", "flag: true"},
		{`flag: "no"`, "use false", "flag: false"},
		{`flag: " true"`, "use true", "flag: true"},
		{`flag: "maybe"`, "", ""},
		{"event: [x]", "write the item without a list", "event: x"},
		{"scheme: external", "", ""},
		{"scheme: Internal", `use "internal"`, "scheme: internal"},
		{"scheme: intrnal", `use "internal"`, "scheme: internal"},
		{"scheme: internet", `use "internet-facing"`, "scheme: internet-facing"},
		{"scheme: inter", "", ""},
		{"family: ipv6", "", ""},
		{"family: IPv4", `use "ipv4"`, "family: ipv4"},
		{"policy: Forground", `use "Foreground"`, "policy: Foreground"},
		{"policy: Fore", `use "Foreground"`, "policy: Foreground"},
	} {
		root := checktest.Roots(t, &source.Source{Name: "a.yaml", Text: c.text + "\n"})[0]
		found := Check(root, s, Resource{Plain: true, NoMetadata: true}, manifest.Node{})
		if len(found) != 1 {
			t.Errorf("%s: %d violations: %v", c.text, len(found), found)
			continue
		}
		fixed := ""
		for _, fix := range found[0].Fixes {
			if fix.Choice {
				continue
			}
			e := fix.Edits[0]
			fixed = c.text[:e.Place.Span.Start] + e.NewText + c.text[e.Place.Span.End:]
			if !strings.HasPrefix(found[0].Help, fix.Title) {
				t.Errorf("%s: the help is %q, the fix %q", c.text, found[0].Help, fix.Title)
			}
			again := checktest.Roots(t, &source.Source{Name: "a.yaml", Text: fixed + "\n"})[0]
			if left := Check(again, s, Resource{Plain: true, NoMetadata: true}, manifest.Node{}); len(left) > 0 {
				t.Errorf("%s: the fix gives %q: %s", c.text, fixed, left[0].Message)
			}
		}
		if found[0].Help != c.help || fixed != c.fix {
			t.Errorf("%s:\n have %q, %q\n want %q, %q", c.text, found[0].Help, fixed, c.help, c.fix)
		}
	}
}

// A value in messages is the number itself, not the alias that it comes from.
func TestMessagesShowTheNumberOfAnAlias(t *testing.T) {
	s := compiled(t, &source.Source{Name: "schema.yaml", Text: typedFields})
	root := checktest.Roots(t, &source.Source{Name: "a.yaml", Text: "{any: &n 70000, number: *n}\n"})[0]
	found := Check(root, s, Resource{Plain: true, NoMetadata: true}, manifest.Node{})
	if want := "must be at most 5, got 70000"; len(found) != 1 || found[0].Message != want {
		t.Errorf("have %v, want %q", found, want)
	}
}

// The API server accepts a list where the schema declares a string with a format, which is a warning. Kinds with exact
// types do not accept it. What the list holds is not reported as well.
func TestAListInsteadOfAString(t *testing.T) {
	s := compiled(t, &source.Source{Name: "schema.yaml", Text: typedFields})
	for _, c := range []struct {
		text           string
		lenient, exact string
	}{
		{"when: []", "warning", "error"},
		{"when: [yesterday]", "warning", "error"},
		{"when: [[1], null]", "warning", "error"},
		{"when: [{a: 1}]", "error warning", "error"},
		{"when: {a: 1}", "error", "error"},
		{"when: 5", "error", "error"},
		{`when: "2006-01-02T15:04:05Z"`, "", ""},
		{"text: []", "error", "error"},
		{"text: [{a: 1}]", "error", "error"},
		{"text: {a: {b: 1}}", "error", "error"},
		{"names: [{a: 1}]", "error", "error"},
		{"names: {a: 1}", "error", "error"},
		{"object: {b: 1, c: 2}", "error error", "error error"},
	} {
		for _, isExact := range []bool{false, true} {
			root := checktest.Roots(t, &source.Source{Name: "a.yaml", Text: c.text + "\n"})[0]
			r := Resource{Plain: true, NoMetadata: true, ExactTypes: isExact}
			var have []string
			for _, v := range Check(root, s, r, manifest.Node{}) {
				have = append(have, v.Severity.String())
			}
			want := c.lenient
			if isExact {
				want = c.exact
			}
			if strings.Join(have, " ") != want {
				t.Errorf("%s, exact %v: have %q, want %q", c.text, isExact, have, want)
			}
		}
	}
}
