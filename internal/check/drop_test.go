package check

import (
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

func TestAnObjectWhoseErrorsAreDroppedIsValid(t *testing.T) {
	a, b, c := diag.Object{Document: 1}, diag.Object{Document: 2}, diag.Object{Document: 3}
	r := Result{
		Objects: []diag.Verdict{{Object: a, Outcome: diag.Invalid}, {Object: b, Outcome: diag.Invalid}, {Object: c}},
		Summary: diag.Summary{Invalid: 2, Valid: 1},
	}
	for _, v := range []diag.Violation{
		{Object: a, Rule: diag.BadValue, Severity: diag.Error},
		{Object: b, Rule: diag.BadValue, Severity: diag.Error},
		{Object: b, Rule: diag.UnknownField, Severity: diag.Error},
		{Object: c, Rule: diag.BadValue, Severity: diag.Warning},
	} {
		r.Add(v)
	}
	r.Drop(func(v *diag.Violation) bool { return v.Rule == diag.BadValue })
	if s := r.Summary; s.Errors != 1 || s.Warnings != 0 || s.Invalid != 1 || s.Valid != 2 {
		t.Errorf("have %+v", s)
	}
	if r.Objects[0].Outcome != diag.Valid || r.Objects[1].Outcome != diag.Invalid {
		t.Errorf("have %v", r.Objects)
	}
}
