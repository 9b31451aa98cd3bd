package diag

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestRepeatsOfAFaultInAnObjectAreOneFinding(t *testing.T) {
	src := &source.Source{Name: "a.yaml", Text: "0123456789"}
	web, shop := Object{Kind: "Pod", Name: "web", Document: 1}, Object{Kind: "Pod", Name: "shop", Document: 2}
	at := func(offset int, rule Rule, o Object, message string) Violation {
		return Violation{
			Rule: rule, Severity: Warning, Message: message, Object: o,
			Place: src.Place(source.Span{Start: offset, End: offset + 1}),
		}
	}
	var r Report
	for i := range 8 {
		r.Violations = append(r.Violations, at(i, "a/b", web, "same"))
	}
	r.Violations = append(r.Violations, at(8, "a/b", web, "other"), at(8, "a/c", web, "same"),
		at(8, "structural", web, "same"),
		at(9, "structural", web, "same"), at(9, "a/b", shop, "same"), at(9, "a/b", Object{}, "same"),
		at(9, "a/b", Object{}, "same"))
	r.Summary.Warnings = len(r.Violations)
	r.Violations[1].More, r.Violations[7].More, r.Violations[8].More = 2, 3, 5
	r.MergeRepeats()
	if r.Violations[0].More != 5 || r.Violations[1].More != 5 {
		t.Errorf("%d and %d more are counted", r.Violations[0].More, r.Violations[1].More)
	}
	if len(r.Violations) != 8 || r.Summary.Warnings != 8 {
		t.Fatalf("%d findings, and %d are counted", len(r.Violations), r.Summary.Warnings)
	}
	if v := r.Violations[0]; v.Places != 8 || len(v.Related) != maxRepeatsShown || v.Place.Start().Column != 1 ||
		v.Related[0].Place.Start().Column != 2 {
		t.Errorf("the first finding has %d places, and lists %v", v.Places, v.Related)
	}
	for _, v := range r.Violations[1:] {
		if v.Places != 0 || len(v.Related) > 0 {
			t.Errorf("%v has %d places", v, v.Places)
		}
	}
}

func TestADependencyThatSeveralChartsLackIsOneFinding(t *testing.T) {
	var r Report
	for _, message := range []string{"a", "b", "a", "a", "a", "a", "a", "a"} {
		r.Violations = append(r.Violations, Violation{Rule: MissingDependency, Severity: Warning, Message: message})
	}
	r.Summary.Warnings = len(r.Violations)
	r.MergeRepeats()
	if v := r.Violations[0]; len(r.Violations) != 2 || r.Summary.Warnings != 2 || v.Places != 7 || len(v.Related) != 6 {
		t.Errorf("have %v, %d warnings", r.Violations, r.Summary.Warnings)
	}
}

func TestObjectsThatAreTooLargeForApplyAreOneFinding(t *testing.T) {
	var r Report
	for i, size := range []string{"300000", "400000", "300000"} {
		r.Violations = append(r.Violations, Violation{
			Rule: TooLargeToApply, Severity: Info, Message: "have " + size, Place: source.FileStart(size + ".yaml"),
			Object: Object{Kind: "ConfigMap", Name: "größe", Document: i + 1},
		})
	}
	warning := r.Violations[0]
	warning.Severity = Warning
	r.Violations = append(r.Violations, warning)
	r.Summary.Infos, r.Summary.Warnings = 3, 1
	r.MergeRepeats()
	if len(r.Violations) != 2 || r.Summary.Infos != 1 || r.Summary.Warnings != 1 || r.Violations[1].Places != 0 {
		t.Fatalf("have %v, %d infos", r.Violations, r.Summary.Infos)
	}
	v := r.Violations[0]
	if v.Places != 3 || len(v.Related) != 2 || v.Place.File != "300000.yaml" {
		t.Fatalf("have %v", v)
	}
	if have := v.Related[0]; have.Place.File != "400000.yaml" || have.Message != "also ConfigMap größe: have 400000" || !have.IsRepeat {
		t.Errorf("have %v", have)
	}
}

func TestOnlyKeysThatOverrideOthersAreMerged(t *testing.T) {
	for severity, want := range map[Severity]int{Error: 2, Warning: 1, Info: 1} {
		v := Violation{Rule: DuplicateKey, Severity: severity, Message: "a", Object: Object{Document: 1}}
		r := Report{Violations: []Violation{v, v}}
		r.MergeRepeats()
		if len(r.Violations) != want {
			t.Errorf("severity %v: %d findings, want %d", severity, len(r.Violations), want)
		}
	}
}

// A name in the message, such as that of a kustomization that is not built, makes no finding of its own.
func TestWhatIsNotKnownOfSeveralTextsIsOneFinding(t *testing.T) {
	r := &Report{}
	for _, message := range []string{`"é" is not built`, `"b" is not built`, `"é" is not built`, "the value of ${A} is not known", "the value of ${B} is not known"} {
		common := ""
		if strings.Contains(message, "not built") {
			common = "not built"
		}
		r.Violations = append(r.Violations, Violation{Rule: UnknownContext, Severity: Info, Message: message, Common: common})
		r.Summary.Count(Info)
	}
	r.MergeRepeats()
	if have := len(r.Violations); have != 3 || r.Summary.Infos != 3 {
		t.Fatalf("have %d findings, %d counted", have, r.Summary.Infos)
	}
	first := r.Violations[0]
	if first.Message != `"é" is not built` || first.Places != 3 || len(first.Related) != 2 {
		t.Fatalf("have %+v", first)
	}
	if have := first.Related[0].Message + "; " + first.Related[1].Message; have != `also "b" is not built; also here` {
		t.Errorf("have %q", have)
	}
}

// An object that the newest CRDs do not describe is like others of their project. An error is one of its own.
func TestObjectsOfAnotherVersionThanTheNewestCRDsAreOneWarning(t *testing.T) {
	for severity, want := range map[Severity]int{Error: 5, Warning: 3, Info: 3} {
		r := Report{}
		add := func(rule Rule, message, common string) {
			r.Violations = append(r.Violations, Violation{
				Rule: rule, Severity: severity, Message: message, Common: common, Place: source.FileStart("größe.yaml"),
			})
		}
		add(UnknownVersion, `unknown version "v1"`, "shop@v2")
		add(UnknownVersion, `unknown version "v1beta1"`, "shop@v2")
		add(UnknownVersion, `unknown version "v1beta1"`, "shop@v2")
		add(UnknownVersion, `unknown version "v1"`, "cart@v3")
		add(UnknownField, `unknown field "a"`, "shop@v2")
		r.MergeRepeats()
		if len(r.Violations) != want {
			t.Errorf("severity %v: %d findings, want %d", severity, len(r.Violations), want)
		}
		if v := r.Violations[0]; severity == Warning && (v.Places != 3 || len(v.Related) != 2 ||
			v.Related[1].Message != `also unknown version "v1beta1"` || !v.Related[1].IsRepeat) {
			t.Errorf("have %v", v)
		}
	}
}
