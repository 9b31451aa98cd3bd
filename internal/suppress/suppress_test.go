package suppress

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

const known = diag.Rule("family/fault")

// The test rule family/fault finds a fault wherever a text contains FAULT. Faults that must be suppressed are written
// OKAY.
func TestSuppressionsAcceptWhatTheyStandFor(t *testing.T) {
	for name, text := range map[string]string{
		"trailing, its line":            "a: FAULT\nb: OKAY # kindvet:ignore[family/fault] agreed\nc: FAULT\n",
		"own line, next field":          "a: FAULT\n# kindvet:ignore[family/fault] agreed\nb:\n  c: OKAY\n  d: [OKAY]\ne: FAULT\n",
		"own line, first field of many": "a:\n  # kindvet:ignore[family/fault] agreed\n  b: OKAY\n  c: FAULT\n",
		"own line, next item":           "a:\n  - b: FAULT\n  # kindvet:ignore[family/fault] agreed\n  - b: OKAY\n    c: OKAY\n  - b: FAULT\n",
		"own line, first item":          "a:\n  # kindvet:ignore[family/fault] agreed\n  - OKAY\n  - FAULT\n",
		"top of the document":           "a: FAULT\n---\n# kindvet:ignore[family/fault] agreed\nb: OKAY\nc: OKAY\n---\nd: FAULT\n",
		"whole file":                    "a: OKAY\n---\nb: OKAY # kindvet:ignore-file[family/fault] agreed\n---\nc: OKAY\n",
		"before the first document":     "# kindvet:ignore-file[family/fault] agreed\n---\na: OKAY\n",
		"several rules":                 "a: OKAY # kindvet:ignore[other, family/fault] agreed\n",
		"not yet expired":               "a: OKAY # kindvet:ignore[family/fault until 2027-01-31] agreed\n",
		"expired":                       "a: FAULT # kindvet:ignore[family/fault until 2027-01-30] agreed\n",
		"flow style":                    "a: {b: FAULT,\n  # kindvet:ignore[family/fault] agreed\n  c: OKAY,\n  d: FAULT}\n",
		"behind the bar of a block":     "a: | # kindvet:ignore[family/fault] agreed\n  x\n",
		"in a block of text":            "a: |\n  # kindvet:ignore[family/fault] no comment\nb: FAULT\n",
		"in a folded block":             "a: >-\n  x\n  # kindvet:ignore[family/fault] no comment\n\nb: FAULT\n",
		"in quotes":                     "a: \"x\n  # kindvet:ignore[family/fault] no comment\"\nb: FAULT\n",
		"in single quotes on its line":  "a: 'FAULT # kindvet:ignore[family/fault] no comment'\n",
		"in a key":                      "\"# kindvet:ignore-file[family/fault] no comment\": FAULT\n",
		"no blank before the hash":      "a: FAULT# kindvet:ignore[family/fault] no comment\n",
		"inside another comment":        "a: FAULT # see kindvet:ignore[family/fault]\n",
		"ends where the next starts":    "a: FAULT\n# kindvet:ignore[family/fault] agreed\nOKAY: 1\nFAULT: 2\n",
		"ends before the next item":     "a: [\n  # kindvet:ignore[family/fault] agreed\n  OKAY,FAULT]\n",
		"trailing, ends with its line":  "OKAY: 1 # kindvet:ignore[family/fault] agreed\nFAULT: 2\n",
		"trailing, starts with it":      "FAULT: 1\nOKAY: 2 # kindvet:ignore[family/fault] agreed\n",
		"annotation":                    "metadata:\n  annotations:\n    kindvet/ignore: \"other=x; family/fault=agreed\"\nspec: OKAY\n---\nspec: FAULT\n",
		"annotation until a day":        "metadata: {annotations: {kindvet/ignore: family/fault until 2027-01-31=agreed}}\nspec: OKAY\n",
		"annotation of an item":         "items:\n- metadata: {annotations: {kindvet/ignore: family/fault=a}}\n  b: OKAY\n- b: FAULT\n",
		"annotation in JSON":            `{"items": [{"metadata": {"annotations": {"kindvet/ignore": "family/fault=agreed"}}, "a": "OKAY"}, {"a": "FAULT"}]}`,
		"no comments in JSON":           "{\"a\": \"FAULT\"}\n",
		"an unreadable document":        "a: [\n# kindvet:ignore-file[family/fault] agreed\n---\nb: FAULT\n",
		"line ends of Windows":          "a: FAULT\r\n# kindvet:ignore[family/fault] agreed\r\nb: OKAY\r\nc: FAULT\r\n",
	} {
		src := &source.Source{Name: "a.yaml", Text: text}
		list, _ := Find(src)
		var violations []diag.Violation
		for _, word := range []string{"FAULT", "OKAY"} {
			for i := 0; strings.Contains(text[i:], word); i++ {
				i += strings.Index(text[i:], word)
				violations = append(violations, diag.Violation{Rule: known, Severity: diag.Warning, Message: word,
					Place: src.Place(source.Span{Start: i, End: i + len(word)})})
			}
		}
		counting, suppressed, _ := Apply(violations, list,
			Settings{Today: "2027-01-31", Names: diag.NewRuleNames([]diag.Rule{known, "other"})})
		for _, v := range counting {
			if v.Message != "FAULT" {
				t.Errorf("%s: the fault in line %d is not suppressed:\n%s", name, v.Place.Start().Line, text)
			}
		}
		for _, v := range suppressed {
			if v.Message != "OKAY" {
				t.Errorf("%s: the fault in line %d is suppressed:\n%s", name, v.Place.Start().Line, text)
			}
		}
	}
}

// If not all objects were checked, a suppression that suppressed nothing may still be needed. Its other faults are
// reported.
func TestAPartialRunDoesNotCallSuppressionsUnused(t *testing.T) {
	text := "a: 1 # kindvet:ignore[family/fault] agreed\nb: 1 # kindvet:ignore[no/rule] agreed\n" +
		"c: 1 # kindvet:ignore[family/fault until 2026-01-01] agreed\n"
	for partial, want := range map[bool]string{
		false: "suppression-unused suppression-unknown-rule suppression-expired",
		true:  "suppression-unknown-rule suppression-expired",
	} {
		list, _ := Find(&source.Source{Name: "a.yaml", Text: text})
		_, _, faults := Apply(nil, list,
			Settings{Today: "2027-01-31", Names: diag.NewRuleNames([]diag.Rule{known}), Partial: partial})
		var rules []string
		for _, v := range faults {
			rules = append(rules, string(v.Rule))
		}
		if have := strings.Join(rules, " "); have != want {
			t.Errorf("partial %v: have %s, want %s", partial, have, want)
		}
	}
}

// Two suppressions may suppress the same violation. The first one provides the reason, and neither is unused.
func TestOfTwoSuppressionsTheFirstThatCountsGivesTheReason(t *testing.T) {
	for entries, want := range map[string]string{
		"family/fault] first,family/fault] second":                  "comment first",
		"family/fault until 2026-01-01] first,family/fault] second": "comment second",
	} {
		first, second, _ := strings.Cut(entries, ",")
		src := &source.Source{
			Name: "a.yaml", Text: "# kindvet:ignore[" + first + "\na: FAULT # kindvet:ignore[" + second + "\n",
		}
		list, _ := Find(src)
		i := strings.Index(src.Text, "FAULT")
		v := diag.Violation{Rule: known, Severity: diag.Warning, Place: src.Place(source.Span{Start: i, End: i + 5})}
		counting, suppressed, faults := Apply([]diag.Violation{v}, list,
			Settings{Today: "2027-01-31", Names: diag.NewRuleNames([]diag.Rule{known})})
		if len(counting) > 0 || len(suppressed) != 1 {
			t.Fatalf("%s: %d count, %d suppressed", entries, len(counting), len(suppressed))
		}
		if have := string(suppressed[0].Suppression.By) + " " + suppressed[0].Suppression.Reason; have != want {
			t.Errorf("%s: have %s, want %s", entries, have, want)
		}
		if slices.ContainsFunc(faults, func(v diag.Violation) bool { return v.Rule == diag.SuppressionUnused }) {
			t.Errorf("%s: one is reported as unused", entries)
		}
	}
}

// An API server rejects an object only because of errors, so a warning of a rule that it enforces can be suppressed.
func TestOnlyErrorsOfEnforcedRulesCannotBeSuppressed(t *testing.T) {
	for severity, want := range map[diag.Severity]string{
		diag.Error: "suppression-refused", diag.Warning: "", diag.Info: "",
	} {
		src := &source.Source{Name: "a.yaml", Text: "a: FAULT # kindvet:ignore[deprecated-version] agreed\n"}
		list, _ := Find(src)
		v := diag.Violation{
			Rule: diag.DeprecatedVersion, Severity: severity, Place: src.Place(source.Span{Start: 3, End: 8}),
		}
		names := diag.NewRuleNames([]diag.Rule{diag.DeprecatedVersion})
		counting, suppressed, faults := Apply([]diag.Violation{v}, list, Settings{Today: "2027-01-31", Names: names})
		have := ""
		for _, f := range faults {
			have += string(f.Rule)
		}
		isRefused := want != ""
		if have != want || (len(counting) == 1) != isRefused || (len(suppressed) == 0) != isRefused {
			t.Errorf("%s: %d count, %d suppressed, faults %q, want %q", severity, len(counting), len(suppressed), have, want)
		}
	}
}

func TestSuppressionsThatAreNotAsTheyShouldBeAreReported(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1 # kindvet:ignore[family/fault] agreed":                        "1:23 warning suppression-unused",
		"a: 1 # kindvet:ignore[famly/fault] agreed":                         "1:23 warning suppression-unknown-rule use family/fault",
		"b: 1\na: FAULT # kindvet:ignore[family/fault until 2026-01-01] x":  "2:27 warning suppression-expired",
		"a: FAULT # kindvet:ignore[family/fault]":                           "1:27 info suppression-without-reason",
		"a: FAULT # kindvet:ignore all of it":                               "1:12 warning suppression-malformed",
		"a: FAULT # kindvet:ignore[family/fault":                            "1:12 warning suppression-malformed",
		"a: FAULT # kindvet:ignore[family/fault for a while] x":             "1:27 warning suppression-malformed",
		"a: FAULT # kindvet:ignore[family/fault until 2027-02-30] x":        "1:27 warning suppression-malformed",
		"a: FAULT # kindvet:ignore[] x":                                     "1:27 warning suppression-malformed",
		"a: FAULT # kindvet:ignore-flie[family/fault] x":                    "1:12 warning suppression-malformed use kindvet:ignore-file",
		"a: FAULT # kindvet-ignore[family/fault] x":                         "1:12 warning suppression-malformed use kindvet:ignore",
		"# kindvet: ignore[family/fault] x\na: FAULT":                       "1:3 warning suppression-malformed",
		"a: FAULT\n# kindvet:disable family/fault":                          "2:3 warning suppression-malformed",
		"a: FAULT # kindvet is great":                                       "",
		"a: '# kindvet-ignore[family/fault]'":                               "",
		"a: FAULT # kindvet:ignore[fault] agreed":                           "",
		"a: 1 # kindvet:ignore[fault] agreed":                               "1:23 warning suppression-unused",
		"a: 1 # kindvet:ignore[idle] agreed":                                "",
		"a: 1 # kindvet:ignore[falut] agreed":                               "1:23 warning suppression-unknown-rule use family/fault",
		"a: WRONG # kindvet:ignore[wrong-type] x":                           "1:27 warning suppression-refused",
		"metadata: {annotations: {kindvet/ignore: wrong-type=x}}\na: WRONG": "1:42 warning suppression-refused",
		"metadata: {annotations: {kindvet/ignore: a b=x}}":                  "1:42 warning suppression-malformed",
		"metadata: {annotations: {kindvet/ignore: \"famly/fault=x\"}}":      "1:43 warning suppression-unknown-rule use family/fault",
		"# kindvet:ignore[family/fault] nothing follows":                    "1:18 warning suppression-unused",
		"a: FAULT # kindvet:ignore[family/fault] agreed":                    "",
		"a: 1 # kindvet:ignore[family/idle] agreed":                         "",
	} {
		src := &source.Source{Name: "a.yaml", Text: text}
		list, faults := Find(src)
		var violations []diag.Violation
		if i := strings.Index(text, "FAULT"); i >= 0 {
			violations = append(violations,
				diag.Violation{Rule: known, Severity: diag.Error, Place: src.Place(source.Span{Start: i, End: i + 5})})
		}
		if i := strings.Index(text, "WRONG"); i >= 0 {
			violations = append(violations,
				diag.Violation{Rule: diag.WrongType, Severity: diag.Error, Place: src.Place(source.Span{Start: i, End: i + 5})})
		}
		s := Settings{
			Today: "2027-01-31", Names: diag.NewRuleNames([]diag.Rule{known, "family/idle"}), Idle: []diag.Rule{"family/idle"},
		}
		counting, _, more := Apply(violations, list, s)
		if strings.Contains(text, "WRONG") && len(counting) != 1 {
			t.Errorf("%s: what the API server rejects is suppressed", text)
		}
		have := ""
		for _, v := range slices.Concat(faults, more) {
			help := ""
			if strings.HasPrefix(v.Help, "use ") && !strings.Contains(v.Help, "[") {
				help = " " + v.Help
				sp := v.Place.Span
				if have, want := fixed(text, v.Fixes),
					text[:sp.Start]+strings.TrimPrefix(v.Help, "use ")+text[sp.End:]; strings.Contains(text, "#") && have != want {
					t.Errorf("%s: the fix gives %s, want %s", text, have, want)
				} else if !strings.Contains(text, "#") && len(v.Fixes) > 0 { // the place may be the whole annotation
					t.Errorf("%s: an annotation has a fix", text)
				}
			}
			have += fmt.Sprintf("%d:%d %s %s%s", v.Place.Start().Line, v.Place.Start().Column, v.Severity, v.Rule, help)
		}
		if have != want {
			t.Errorf("%s\n have %s\n want %s", text, have, want)
		}
	}
}

// fixed returns a text after applying the first fix in a list.
func fixed(text string, fixes []diag.Fix) string {
	if len(fixes) == 0 {
		return "none"
	}
	e := fixes[0].Edits[0]
	return text[:e.Place.Span.Start] + e.NewText + text[e.Place.Span.End:]
}

func TestACommentEndsWithItsLine(t *testing.T) {
	for _, br := range []string{"\n", "\r\n", "\r"} {
		text := strings.Join([]string{"a: 1 # kindvet:ignore[rule-a] why", "# kindvet:ignore[rule-b] too", "b: 2", ""}, br)
		found, faults := Find(&source.Source{Name: "a.yaml", Text: text})
		if len(found) != 2 || len(faults) > 0 {
			t.Errorf("%q: have %+v, %+v", text, found, faults)
			continue
		}
		if found[0].Reason != "why" || found[0].scope.Start != 0 || found[1].Reason != "too" ||
			found[1].scope.Start != strings.Index(text, "b: 2") {
			t.Errorf("%q: have %+v", text, found)
		}
	}
}

// Each rule in brackets has its own place, in any text. The fix of a misspelled one changes only its name.
func TestEachRuleOfAListHasItsPlace(t *testing.T) {
	names := diag.NewRuleNames([]diag.Rule{known, "other"})
	for _, c := range []struct{ text, want string }{
		{"a: 1 # kindvet:ignore[othre,famly/fault] why", "othre:23 famly/fault:29"},
		{"a: 1 # kindvet:ignore[ othre , famly/fault until 2027-01-31 ] why", "othre:24 famly/fault:32"},
		{"a: ä # kindvet:ignore[othre, famly/fault] why", "othre:23 famly/fault:30"},
		{"a: 1 # kindvet:ignore[othre, famly/fault] für später", "othre:23 famly/fault:30"},
		{"a: 1 # kindvet:ignore[öther, famly/fault] ä", "öther:23 famly/fault:30"},
		{"ä: 😀 # kindvet:ignore-file[othre, famly/fault] ä", "othre:28 famly/fault:35"},
		{"x: ä\n# kindvet:ignore[othre, famly/fault] ä\na: 1", "othre:18 famly/fault:25"},
		{"metadata: {annotations: {kindvet/ignore: 'othre=ä; famly/fault=ö; othre=ä'}}",
			"othre:43 famly/fault:52 othre:67"},
	} {
		src := &source.Source{Name: "a.yaml", Text: c.text}
		list, _ := Find(src)
		_, _, faults := Apply(nil, list, Settings{Today: "2027-01-31", Names: names})
		var have []string
		for _, v := range faults {
			text := c.text[v.Place.Span.Start:v.Place.Span.End]
			have = append(have, fmt.Sprintf("%s:%d", text, v.Place.Start().Column))
			if len(v.Fixes) > 0 {
				want := c.text[:v.Place.Span.Start] + strings.TrimPrefix(v.Help, "use ") + c.text[v.Place.Span.End:]
				if fix := fixed(c.text, v.Fixes); fix != want {
					t.Errorf("%s: the fix of %s gives %s", c.text, text, fix)
				}
			}
		}
		if strings.Join(have, " ") != c.want {
			t.Errorf("%s: have %s, want %s", c.text, strings.Join(have, " "), c.want)
		}
	}
}

// A text may be a part of a stream, so spans count from the start of the file.
func TestSuppressionsOfAPartOfAStreamApplyThere(t *testing.T) {
	const text = "a: FAULT # kindvet:ignore[family/fault] agreed\n# kindvet:ignore[family/fault] agreed\nb: FAULT\n"
	src := &source.Source{Name: "a.yaml", Text: text, FirstByte: 1000, FirstLine: 50}
	list, _ := Find(src)
	var violations []diag.Violation
	for i, at := range []int{strings.Index(text, "FAULT"), strings.LastIndex(text, "FAULT")} {
		violations = append(violations, diag.Violation{
			Rule: known, Severity: diag.Warning, Message: fmt.Sprint(i), Place: src.Place(source.Span{Start: at, End: at + 5}),
		})
	}
	counting, suppressed, faults := Apply(violations, list, Settings{Names: diag.NewRuleNames([]diag.Rule{known})})
	if len(counting) > 0 || len(suppressed) != 2 || len(faults) > 0 {
		t.Errorf("%d count, %d are suppressed, %d faults", len(counting), len(suppressed), len(faults))
	}
}

// A template can write a comment several times. It is unused only if no finding matches any of them.
func TestACommentThatATemplateWritesTwiceIsOneSuppression(t *testing.T) {
	const comment = "# kindvet:ignore[family/fault,deprecated-version] agreed\n"
	template := &source.Source{Name: "t.yaml", Text: comment + "a: {{ . }}\n"}
	const unused, refused = "suppression-unused", "suppression-refused"
	for _, c := range []struct {
		values [2]string // what the renderings write: a value with a finding of the first or second rule
		want   string
	}{
		{[2]string{"FAULT", "good"}, unused},
		{[2]string{"good", "FAULT"}, unused},
		{[2]string{"FAULT", "WRONG"}, refused},
		{[2]string{"WRONG", "FAULT"}, refused},
		{[2]string{"good", "WRONG"}, unused + " " + refused},
		{[2]string{"good", "good"}, unused + " " + unused},
	} {
		var list []Suppression
		var violations []diag.Violation
		for i, value := range c.values {
			src := &source.Source{Name: "t.yaml", Text: comment + "a: " + value + "\n", Rendering: fmt.Sprint(i)}
			src.Written = func(sp source.Span) source.Origin { return source.Origin{Source: template, Span: sp} }
			found, faults := Find(src)
			if len(found) != 2 || len(faults) > 0 {
				t.Fatalf("have %d suppressions and %d faults", len(found), len(faults))
			}
			for j := range found {
				found[j].Place.Detach()
			}
			list = append(list, found...)
			for word, v := range map[string]diag.Violation{
				"FAULT": {Rule: known, Severity: diag.Warning}, "WRONG": {Rule: diag.DeprecatedVersion, Severity: diag.Error},
			} {
				if at := strings.Index(src.Text, word); at >= 0 {
					v.Place = src.Place(source.Span{Start: at, End: at + len(word)})
					v.Detach()
					violations = append(violations, v)
				}
			}
		}
		_, _, faults := Apply(violations, list, Settings{Names: diag.NewRuleNames([]diag.Rule{known})})
		var have []string
		for _, v := range faults {
			have = append(have, string(v.Rule))
		}
		if strings.Join(have, " ") != c.want {
			t.Errorf("%v: have %v, want %s", c.values, have, c.want)
		}
	}
}
