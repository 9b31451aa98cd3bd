package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

// Each subchart has a copy of the global values.
func TestTheValuesOfAllSubchartsAreLimited(t *testing.T) {
	skipIfShort(t)
	const subcharts = 49
	for fields, isRendered := range map[int]bool{
		(maxCoalesced - 1) / (subcharts + 1): true,
		(maxCoalesced-1)/(subcharts+1) + 1:   false,
	} {
		var values strings.Builder
		values.WriteString("global:\n")
		for i := range fields {
			fmt.Fprintf(&values, "  k%d: v\n", i)
		}
		files := []File{{"Chart.yaml", metadataOfA}, {"values.yaml", values.String()}, {"templates/a.yaml", "a: b"}}
		for i := range subcharts {
			name := fmt.Sprintf("s%d", i)
			files = append(files, File{"charts/" + name + "/Chart.yaml", "{apiVersion: v2, name: " + name + ", version: 1.0.0}"})
		}
		expect(t, fmt.Sprint(fields, " global values"), files, isRendered)
	}
}

func TestCallsOfFunctionsAreLimitedByWhatTheyCost(t *testing.T) {
	skipIfShort(t)
	values := File{"values.yaml", "x:\n" + strings.Repeat("- {a: b}\n", 1000)}
	for _, c := range []struct {
		name, text     string // with the number of calls
		allowed, limit int
	}{
		{"templates of tpl", `{{ $t := repeat 30000 "{{ 1 }}" }}{{ range until %d }}{{ $x := tpl $t $ }}{{ end }}`, 3, 8},
		{"include", `{{ define "x" }}{{ end }}{{ range until %d }}{{ include "x" . }}{{ end }}`, 20_000, 400_000},
		{"toYaml", `{{ range until %d }}{{ $x := toYaml $.Values.x }}{{ end }}`, 30, 300},
		{"fromYaml", `{{ $t := repeat 10000 "a: b\n" }}{{ range until %d }}{{ $x := fromYaml $t }}{{ end }}`, 20, 80},
		{"merge", `{{ range until %d }}{{ $x := merge (dict) $.Values }}{{ end }}`, 400, 1500},
		{"numbers of seq", `{{ range until %d }}{{ $x := seq 100000 }}{{ end }}`, 10, 30},
		{"groups in replacements", `{{ $t := repeat 100000 "a" }}{{ range until %d }}{{ $x := regexReplaceAll "(a)" $t "$1$1" }}{{ end }}`, 20, 300},
	} {
		for calls, isRendered := range map[int]bool{c.allowed: true, c.limit: false} {
			files := []File{{"Chart.yaml", metadataOfA}, values, {"templates/a.yaml", "# " + fmt.Sprintf(c.text, calls)}}
			expect(t, fmt.Sprint(calls, " ", c.name), files, isRendered)
		}
	}
}

// expect renders a chart, which must succeed or exceed a limit.
func expect(t *testing.T, name string, files []File, isRendered bool) {
	t.Helper()
	r := Render("a", files, Options{})
	isLimit := slices.ContainsFunc(r.Violations, func(v diag.Violation) bool { return v.Rule == diag.ReaderLimit })
	if r.IsFailed == isRendered || isLimit == isRendered {
		t.Errorf("%s: have %v, want it rendered: %v", name, r.Violations, isRendered)
	}
}
