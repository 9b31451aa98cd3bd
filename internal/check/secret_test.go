package check

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

// A message quotes a value as Go or JSON does, and cuts it if it is long.
func TestSecretsAreMaskedInWhateverFormAMessageHasThem(t *testing.T) {
	m := newMask([]string{"s3cr\"et\n", strings.Repeat("long", 30), "no", "<web>"})
	for text, want := range map[string]string{
		`is "s3cr\"et\n"`:                              `is "(secret)"`,
		"is s3cr\"et\n!":                               "is (secret)!",
		`is {"name":"s3cr\"e…`:                         `is {"name":"(secret)…`,
		"is " + strings.Repeat("long", 20) + "…":       "is (secret)…",
		"is " + strings.Repeat("long", 10) + "lo… etc": "is (secret)… etc",
		`is "\u003cweb\u003e" or <web>`:                `is "(secret)" or (secret)`,
		`none, is "no"`:                                `none, is (secret)`,
		"no":                                           "(secret)",
		"is s3c…, cut after three characters":          "is (secret)…, cut after three characters",
		"is s3…, which two say nothing of":             "is s3…, which two say nothing of",
		"other text… of three dots":                    "other text… of three dots",
		"":                                             "",
	} {
		if have := m.text(text); have != want {
			t.Errorf("%q\n have %q\n want %q", text, have, want)
		}
	}
	if have, want := newMask([]string{"spec", "a.b"}).path(diag.Fields("specs", "spec", "a.b", "specific")).String(),
		`specs.spec.(secret).specific`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

// A secret that is a word of messages is masked only where it is a value: in quotes, or in a line of the document.
func TestASecretThatIsAWordDoesNotMaskTheWordsOfMessages(t *testing.T) {
	m := newMask([]string{"must", "spec"})
	for text, want := range map[string]string{
		"must be a string, got an integer": "must be a string, got an integer",
		`must be "a", got "must"`:          `must be "a", got "(secret)"`,
		`"a must b" is not valid`:          `"a (secret) b" is not valid`,
		`unknown field "specs"`:            `unknown field "specs"`,
		"must":                             "(secret)",
	} {
		if have := m.text(text); have != want {
			t.Errorf("%s: have %s, want %s", text, have, want)
		}
	}
	for line, want := range map[string]bool{
		"spec:": false, "  spec: {a: b}": false, "name: must": true, "metadata: {name: must, a: b}": true, "- spec": true,
		`name: "must"`: true, "# musty": false,
	} {
		if have := m.isValueIn(line) || m.text(line) != line; have != want {
			t.Errorf("%q: have %v, want %v", line, have, want)
		}
	}
}

// Every text of the result of a chunk is masked, even if no format prints it. The secret is short, because long
// secrets are masked once more in the whole report.
func TestNoPartOfWhatIsSaidShowsASecret(t *testing.T) {
	const secret = "pa55"
	const line = "password: x"
	place := (&source.Source{Text: "\n\n" + line}).Place(source.Span{Start: 2, End: 3})
	elsewhere := (&source.Source{Text: "\n\n\n\n\n\n\n\nuser: " + secret}).Place(source.Span{Start: 8, End: 9})
	object := diag.Object{Name: secret, Namespace: secret}
	o := Result{Secrets: Secrets{texts: []string{secret}, lines: []lineRange{{2, 4}}}}
	for _, p := range []source.Place{place, elsewhere} {
		o.Violations = append(o.Violations, diag.Violation{
			Message: "is " + secret, Help: "not " + secret, Path: diag.Fields("spec", secret), Place: p, Object: object,
			Related: []diag.Related{{Place: p, Message: "was " + secret}},
		})
		open := (&source.Source{Text: "a: b"}).Place(source.Span{Start: 3, End: 4})
		for _, e := range []diag.Edit{{Place: p, NewText: "x"}, {Place: open, NewText: secret}} {
			o.Violations = append(o.Violations,
				diag.Violation{Place: open, Fixes: []diag.Fix{{Title: "use x", Edits: []diag.Edit{e}}}})
		}
		o.Suppressions = append(o.Suppressions, suppress.Suppression{Reason: secret + " is old", Place: p, Object: object})
		o.NotEvaluated = append(o.NotEvaluated,
			diag.NotEvaluated{Reason: "no " + secret, Path: diag.Fields("spec", secret), Place: p, Object: object})
		o.Objects = append(o.Objects, diag.Verdict{Object: object, Place: p})
	}
	o.hideSecrets()
	for _, v := range o.Violations {
		if len(v.Fixes) > 0 {
			t.Errorf("a line with a secret has the fix %+v", v.Fixes)
		}
	}
	texts := 0
	for _, list := range []any{o.Violations, o.Suppressions, o.NotEvaluated, o.Objects} {
		eachText(reflect.ValueOf(list), func(text string) {
			texts++
			if strings.Contains(text, secret) || text == line {
				t.Errorf("%q is shown in %T", text, list)
			}
		})
	}
	if texts < 50 {
		t.Errorf("only %d texts", texts)
	}
}

// eachText calls found for each string in a value.
func eachText(v reflect.Value, found func(string)) {
	switch v.Kind() {
	case reflect.String:
		found(v.String())
	case reflect.Slice:
		for i := range v.Len() {
			eachText(v.Index(i), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachText(v.Field(i), found)
		}
	}
}

const webSecret = `apiVersion: v1
kind: Secret
metadata: {name: web}
stringData: {user: web, password: hunter2-hunter2, pin: 12345}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  web: 1
  hunter2-hunter2: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}
`

// A diff shows each line of an edit, also those after the first one.
func TestAFixHasNoLineWithASecret(t *testing.T) {
	const head = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
	const field = "data:\n  password: aHVudGVyMjM0NQ==\n"
	long := func(size int) string {
		const start, end = "foo:\n  bar: ", "\n"
		return start + strings.Repeat("x", size-len(start+end)) + end
	}
	for text, want := range map[string]bool{
		head + field + field:                                   false,
		head + "foo: bar\n" + field:                            true,
		head + "foo: # aHVudGVyMjM0NQ==\n  bar: baz\n" + field: false,
		head + "foo:\n  bar: aHVudGVyMjM0NQ==\n" + field:       false,
		head + "foo:\n  bar: baz\n" + field:                    true,
		head + long(longestShown) + field:                      true,
		head + long(longestShown+1) + field:                    false,
		head + long(longestShown+1):                            true,
	} {
		report, _ := New(Options{Catalog: catalog.Embedded()}).Texts([]*source.Source{{Name: "a.yaml", Text: text}})
		if len(report.Violations) != 1 {
			t.Fatalf("have %d findings in\n%s", len(report.Violations), text)
		}
		if have := len(report.Violations[0].Fixes) > 0; have != want {
			t.Errorf("have a fix: %v, want %v\n%.200s", have, want, text)
		}
	}
}

// A short value of a Secret is often a word that other objects have openly. It is hidden in findings about the Secret
// only; a long value is hidden everywhere.
func TestShortValuesOfASecretAreHiddenOnlyInFindingsAboutIt(t *testing.T) {
	report, _ := New(Options{Catalog: catalog.Embedded()}).Texts([]*source.Source{{Name: "a.yaml", Text: webSecret}})
	var have []string
	for _, v := range report.Violations {
		have = append(have, v.Path.String()+": "+v.Message+"; "+v.Help)
	}
	want := []string{
		`stringData.pin: must be a string, got an integer; quote it: "(secret)"`,
		`spec.web: unknown field "web"; ` + report.Violations[1].Help,
		`spec.(secret): unknown field "(secret)"; ` + report.Violations[2].Help,
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
}

// If a Secret has too many values and findings, only the titles of the rules are shown.
func TestTheValuesOfALargeSecretAreNotShown(t *testing.T) {
	var text strings.Builder
	text.WriteString("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n")
	for i := range 1500 {
		fmt.Fprintf(&text, "  k%d: %d\n", i, 1000+i)
	}
	report, _ := New(Options{Catalog: catalog.Embedded()}).Texts([]*source.Source{{Name: "a.yaml", Text: text.String()}})
	if len(report.Violations) != 1500 {
		t.Fatalf("%d violations", len(report.Violations))
	}
	for _, v := range report.Violations {
		if v.Message != "wrong type" || v.Help != "" || v.Fixes != nil || v.Place.Excerpt().Hidden != source.Secret {
			t.Fatalf("have %+v", v)
		}
	}
}

// A value of the wrong type has one finding, unless there are many.
func TestAValueOfTheWrongTypeIsReportedOnce(t *testing.T) {
	wrong := diag.Violation{
		Rule: diag.WrongType, Place: (&source.Source{Text: "abc"}).Place(source.Span{Start: 1, End: 2}),
	}
	other := diag.Violation{Rule: "yaml/boolean-word", Place: wrong.Place}
	elsewhere := diag.Violation{
		Rule: "yaml/boolean-word", Place: (&source.Source{Text: "abc"}).Place(source.Span{Start: 0, End: 2}),
	}
	enforced := diag.Violation{Rule: diag.BadFormat, Place: wrong.Place}
	for n, want := range map[int]int{1: 3, mostRepeated: mostRepeated + 2, mostRepeated + 1: mostRepeated + 4} {
		list := append(slices.Repeat([]diag.Violation{wrong}, n), other, elsewhere, enforced)
		if have := withoutRepeats(list); len(have) != want {
			t.Errorf("%d of the wrong type: %d findings, want %d", n, len(have), want)
		}
	}
}

// What supplied a hidden value is hidden, too. It is looked up by the place in the rendered text.
func TestWhatSuppliedAHiddenValueIsHidden(t *testing.T) {
	template := &source.Source{Name: "a.tpl", Text: "{{ a long template }}\npassword: {{ x }}\n"}
	values := &source.Source{Name: "values.yaml", Text: "x: correct-horse\n"}
	rendered := &source.Source{Name: "a.tpl", Text: "password: correct-horse\n"}
	rendered.Written = func(source.Span) source.Origin {
		return source.Origin{Source: template, Span: source.Span{Start: 32, End: 39}}
	}
	value := source.Span{Start: 10, End: 23}
	for _, isHidden := range []bool{false, true} {
		result := Result{Violations: []diag.Violation{{Place: rendered.Place(value)}}}
		if isHidden {
			result.Violations[0].Place.Hide(source.Secret)
		}
		result.Rendered(func(sp source.Span) []diag.Related {
			if sp != value {
				t.Errorf("looked up %v, want %v", sp, value)
			}
			return []diag.Related{{Place: values.Place(source.Span{Start: 3, End: 16}), Message: "set here"}}
		})
		related := result.Violations[0].Related
		last := related[len(related)-1].Place
		if have := last.Excerpt().Hidden == source.Secret; have != isHidden || last.String() != "values.yaml:1:4-1:17" {
			t.Errorf("%s: hidden: %v, want %v", last, have, isHidden)
		}
	}
}
