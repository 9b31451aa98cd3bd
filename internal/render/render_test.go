package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample returns a report with every kind of entry.
func sample() *diag.Report {
	binding := source.Source{
		Name: "./deploy/binding one.yaml",
		Text: "kind: TargetGroupBinding\nspec:\n  größe: 1 # 𐐀\n  scheme: x\n  scheme: y\n",
	}
	web := diag.Object{
		APIVersion: "elbv2.platform.cloud/v1beta1", Kind: "TargetGroupBinding", Namespace: "shop", Name: "web", Document: 1,
	}
	old := diag.Object{APIVersion: "elbv2.platform.cloud/v1beta1", Kind: "TargetGroupBinding", Name: "old", Document: 2}
	at := func(start, end int) source.Place { return binding.Place(source.Span{Start: start, End: end}) }
	r := &diag.Report{
		Violations: []diag.Violation{
			{Rule: diag.UnknownField, Severity: diag.Error, Message: `unknown field "größe"`, Help: "known fields: a, b",
				Path:  diag.Fields("spec", "größe"),
				Place: at(33, 40), Object: web, LineHash: "271789c17abda88f:1",
				Fixes: []diag.Fix{
					{Title: `use "a"`, Edits: []diag.Edit{{Place: at(33, 40), NewText: "a"}}},
					{
						Title: "two edits", Safe: true,
						Edits: []diag.Edit{{Place: at(33, 40), NewText: "a"}, {Place: at(42, 43), NewText: `"1"`}},
					},
					{Title: `use "b"`, Choice: true, Edits: []diag.Edit{{Place: at(33, 40), NewText: "b"}}},
				}},
			{Rule: diag.DuplicateKey, Severity: diag.Error, Message: `key "scheme" is already set at line 4`,
				Path: diag.Fields("spec", "scheme"), Place: at(65, 71),
				Object: web, Related: []diag.Related{{Place: at(53, 59), Message: "first set here"}}},
			{Rule: diag.NoMatch, Severity: diag.Error, Message: "matches none of the alternatives (oneOf)",
				Path: diag.Fields("spec"), Place: at(25, 29), Object: web,
				Related: []diag.Related{{Place: at(42, 43), Message: "another alternative: spec.größe: must be 2, got 1"}},
				Causes: []diag.Violation{
					{Rule: diag.NotInEnum, Severity: diag.Error, Message: `must be "y", got "x"`, Help: `use "y"`,
						Path: diag.Fields("spec", "scheme"), Place: at(61, 62),
						Fixes: []diag.Fix{{Title: `use "y"`, Edits: []diag.Edit{{Place: at(61, 62), NewText: "y"}}}}},
				}},
			{
				Rule: "family/fault", Severity: diag.Warning, Message: "open to every address", Help: "name the networks",
				Place: at(25, 29), Object: web,
			},
			{
				Rule: diag.SuppressionWithoutReason, Severity: diag.Info, Message: "the suppression has no reason",
				Place: at(42, 47),
			},
			{Rule: diag.Syntax, Severity: diag.Error, Message: "a tab is used for indentation", Help: "indent with spaces",
				Place:  (&source.Source{Name: "deploy/tab.yaml", Text: "\n\n\tname: x\n"}).Place(source.Span{Start: 2, End: 3}),
				Object: diag.Object{Document: 1}},
		},
		Suppressed: []diag.Violation{
			{Rule: "family/fault", Severity: diag.Warning, Message: "open to every address", Place: at(25, 29), Object: old,
				Suppression: diag.Suppression{By: diag.ByComment, Reason: "agreed with the network team"}},
			{Rule: diag.WrongType, Severity: diag.Error, Message: "must be a string, is an integer",
				Path: diag.Fields("spec", "x"), Place: at(25, 29), Object: old,
				Suppression: diag.Suppression{By: diag.ByBaseline}},
		},
		NotEvaluated: []diag.NotEvaluated{
			{
				Rule: "a must be less than b", Reason: diag.ValueInvalid, Path: diag.Fields("spec"), Place: at(25, 29),
				Object: web,
			},
		},
		Objects: []diag.Verdict{
			{Object: web, Place: at(0, 4), Outcome: diag.Invalid},
			{Object: old, Place: at(0, 4), Outcome: diag.Valid},
			{
				Object: diag.Object{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", Document: 3}, Place: at(0, 4),
				Outcome: diag.Skipped,
			},
			{Object: diag.Object{Document: 1}, Place: source.FileStart("deploy/tab.yaml"), Outcome: diag.Invalid},
		},
		Failures: []diag.Failure{{File: "deploy/locked.yaml", Message: "permission denied"}},
		Rules: []diag.Description{{Rule: "family/fault", Severity: diag.Warning,
			Title: "the network is open to every address",
			Help:  "Name the networks that need access.", Why: "A prefix length of 0 allows all.\n\n- as here",
			Tags: []string{"network", "security"}}},
		Summary: diag.Summary{Files: 2, Documents: 4, Valid: 1, Invalid: 2, Skipped: 1},
	}
	for i := range r.Violations {
		r.Summary.Count(r.Violations[i].Severity)
	}
	r.Summary.Suppressed = len(r.Suppressed)
	return r
}

func rendered(t testing.TB, name string, r *diag.Report, o Options) []byte {
	t.Helper()
	f, ok := Lookup(name)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	var b bytes.Buffer
	if err := f.Render(&b, r, o); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b.Bytes()
}

// The golden files show the output of each format for one report; `go test ./internal/render -update` rewrites them.
func TestEachFormatIsAsItsGoldenFile(t *testing.T) {
	o := Options{Version: "1.2.3", FailOn: diag.Error}
	for _, f := range Formats {
		compareGolden(t, f.Name, rendered(t, f.Name, sample(), o))
		compareGolden(t, f.Name+".empty", rendered(t, f.Name, &diag.Report{}, o))
	}
	compareGolden(t, "text.one-line", rendered(t, "text", sample(), Options{OneLine: true}))
	compareGolden(t, "text.verbose", rendered(t, "text", sample(), Options{Verbose: true}))
	compareGolden(t, "text.verbose-one-line", rendered(t, "text", sample(), Options{Verbose: true, OneLine: true}))
	compareGolden(t, "text.suppressed", rendered(t, "text", sample(), Options{ShowSuppressed: true, OneLine: true}))
	compareGolden(t, "junit.jenkins", rendered(t, "junit", sample(), Options{FailOn: diag.Warning, JUnit: JUnitJenkins}))
	compareGolden(t, "junit.github", rendered(t, "junit", sample(), Options{JUnit: JUnitGitHub}))
	compareGolden(t, "gitlab.paths",
		rendered(t, "gitlab", sample(),
			Options{RepositoryPath: func(file string) (string, bool) { return "apps/" + file, file == "deploy/tab.yaml" }}))
}

func compareGolden(t *testing.T, name string, have []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, have, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s is not as its golden file; have\n%s", name, have)
	}
}

func TestGitHubSumsUpWhatIsBeyondTenOfASeverity(t *testing.T) {
	r := &diag.Report{}
	for i := range 33 {
		v := diag.Violation{
			Rule: "a", Severity: diag.Severity(i%3 + 1), Message: "m",
			Place: (&source.Source{Name: "a", Text: "\nx"}).Exactly(source.Span{End: 1}),
		}
		r.Violations = append(r.Violations, v)
		r.Summary.Count(v.Severity)
	}
	text := rendered(t, "github", r, Options{})
	for command, want := range map[string]int{"::error ": 10, "::warning ": 10, "::notice ": 10, "col=": 0} {
		if have := bytes.Count(text, []byte(command)); have != want {
			t.Errorf("%d times %q, want %d", have, command, want)
		}
	}
	want := "::notice title=kindvet::GitHub shows 10 annotations per severity; not shown: 1 error, 1 warning, 2 infos\n"
	if !bytes.HasSuffix(text, []byte(want)) {
		t.Errorf("have\n%s\nwant at the end\n%s", text, want)
	}
}

func TestPlacesThatAFindingStandsForAreListedWithVerbose(t *testing.T) {
	v := diag.Violation{Rule: diag.TooLargeToApply, Severity: diag.Info, Message: "too large", Place: source.FileStart("a.yaml"), Places: 3}
	for _, name := range []string{"b.yaml", "c.yaml"} {
		v.Related = append(v.Related, diag.Related{Place: source.FileStart(name), Message: "also " + name, IsRepeat: true})
	}
	r := &diag.Report{Violations: []diag.Violation{v}}
	for _, c := range []struct {
		format  string
		options Options
		want    int
	}{{"text", Options{}, 0}, {"text", Options{Verbose: true}, 2}, {"text", Options{OneLine: true}, 0}, {"json", Options{}, 2}} {
		have := string(rendered(t, c.format, r, c.options))
		if listed := strings.Count(have, "also "); listed != c.want {
			t.Errorf("%s %+v lists %d, want %d:\n%s", c.format, c.options, listed, c.want, have)
		}
		hasHint := strings.Contains(have, "= 2 further places; -v lists them\n")
		if isHidden := c.format == "text" && !c.options.OneLine && c.want == 0; hasHint != isHidden {
			t.Errorf("%s %+v: have %s", c.format, c.options, have)
		}
	}
}
