package parity

import (
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

func TestOnlyShapeIsComparedAfterDecoding(t *testing.T) {
	at := func(rule diag.Rule, severity diag.Severity, path ...string) diag.Violation {
		return diag.Violation{Rule: rule, Severity: severity, Path: diag.Fields(path...)}
	}
	accepted := Verdict{Accepted: true}
	invalid := Verdict{Stage: "validation", Causes: []Cause{{Field: "spec.a", Reason: "FieldValueInvalid"}}}
	decode := Verdict{Stage: "decode", Causes: []Cause{{Field: "spec.list.a", Reason: "BadRequest"}}}
	noPlace := Verdict{Stage: "decode", Causes: []Cause{{Reason: "BadRequest"}}}
	strict := Verdict{Stage: "strict", Causes: []Cause{{Field: "spec.a", Reason: "Unknown"}}}
	inList := at(diag.WrongType, diag.Error)
	inList.Path = diag.Fields("spec", "list").Item(3).Field("a")
	for _, c := range []struct {
		name    string
		kind    string
		verdict Verdict
		ours    []diag.Violation
		want    int
	}{
		{"both accept", "", accepted, nil, 0},
		{"only a warning", "", accepted, []diag.Violation{at(diag.BadName, diag.Warning, "a")}, 0},
		{"only we reject", "", accepted, []diag.Violation{at(diag.BadName, diag.Error, "a")}, 1},
		{"a missed validation", "", invalid, nil, 0},
		{"a found validation", "", invalid, []diag.Violation{at(diag.OutOfRange, diag.Error, "spec", "a")}, 0},
		{"shape, but the server decodes it", "", invalid, []diag.Violation{at(diag.UnknownField, diag.Error, "spec", "b")}, 1},
		{"a missed error on decoding", "", decode, nil, 1},
		{"an error on decoding", "", decode, []diag.Violation{inList}, 0},
		{"an error on decoding at another place", "", decode, []diag.Violation{at(diag.WrongType, diag.Error, "spec", "b")}, 2},
		{"an error on decoding without a place", "", noPlace, []diag.Violation{at(diag.WrongType, diag.Error, "spec", "b")}, 0},
		{"an error on decoding in a list", "v1 ConfigMapList", decode, []diag.Violation{at(diag.WrongType, diag.Error, "items")}, 0},
		{"an unknown field", "", strict, []diag.Violation{at(diag.UnknownField, diag.Error, "spec", "a")}, 0},
		{"another unknown field", "", strict, []diag.Violation{at(diag.UnknownField, diag.Error, "spec", "b")}, 2},
		{"not served", "", Verdict{Stage: "not served"}, nil, 0},
		{"a type that only the validation checks", "", invalid, []diag.Violation{at(diag.WrongType, diag.Error, "spec", "a")}, 0},
		{"a duplicate key hides others", "", decode, []diag.Violation{at(diag.DuplicateKey, diag.Error, "spec")}, 0},
	} {
		have := BuiltinDifferences(Case{Kind: c.kind, Verdict: c.verdict}, c.ours)
		if len(have) != c.want {
			t.Errorf("%s: have %q, want %d differences", c.name, have, c.want)
		}
	}
}

// For every recorded object of a built-in kind, our verdict is the server's, as far as its shape decides it.
func TestVerdictsOnBuiltinKindsAreThoseOfTheServer(t *testing.T) {
	cases, err := ReadCases(filepath.Join(root, "internal", "oracle", "builtin", "testdata", "cases.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	different := 0
	rejected, found := map[string]int{}, map[string]int{}
	for _, c := range cases {
		ours := CheckBuiltin(c.Request)
		rejected[c.Verdict.Stage]++
		if isRefused(ours) {
			found[c.Verdict.Stage]++
		}
		if diffs := BuiltinDifferences(c, ours); len(diffs) > 0 {
			different++
			if different <= 20 {
				t.Errorf("%s: %s: %v\nnew: %sstage %s, causes %v", c.Kind, c.Name, diffs, c.New, c.Verdict.Stage, c.Verdict.Causes)
			}
		}
	}
	t.Logf("%d cases, rejected %v, of these found %v: %d differences", len(cases), rejected, found, different)
}
