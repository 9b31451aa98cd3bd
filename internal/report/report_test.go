package report

import (
	"errors"
	"io/fs"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/baseline"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/source"
)

// order is the order of the stages, of a draft and then of the report. A stage that is added or moved shows here.
const order = "addNotes addResults addSkipped addKinds addSets mark dropRepeats suppressInTexts " +
	"suppressInFiles hidePrivate describe hashLines sort mergeRepeats addFailures"

func TestAReportIsMadeInThisOrder(t *testing.T) {
	var names []string
	for _, stage := range slices.Concat(collecting[:], finishing[:]) {
		name := runtime.FuncForPC(reflect.ValueOf(stage).Pointer()).Name()
		names = append(names, name[strings.LastIndexByte(name, '.')+1:])
	}
	if have := strings.Join(names, " "); have != order {
		t.Errorf("have %s\nwant %s", have, order)
	}
}

// draft returns a draft of a check without files.
func draft(t *testing.T) *Draft {
	return &Draft{
		until: t.Context(), Search: find.Options{Base: find.OnDisk(t.TempDir()), Paths: []string{"."}}, Found: &find.Found{},
		Settings: settings.NewResolver(find.OnDisk(t.TempDir()), settings.Options{}),
		Again:    func(sets.Candidates, map[int][]sets.Spot) [][]*check.Result { return nil },
	}
}

// at returns a violation in a line of a text with some lines.
func at(file string, line int, rule diag.Rule) diag.Violation {
	text := strings.Repeat("a: b\n", 9)
	start := strings.Index(text, "\n")*line + line - len("a: b\n")
	return diag.Violation{
		Rule: rule, Severity: diag.Error, Message: "m", Object: diag.Object{Document: 1, Kind: "K", Name: "n"},
		Place: (&source.Source{Name: file, Text: text}).Place(source.Span{Start: start, End: start + 1}),
	}
}

func TestStages(t *testing.T) {
	notes := []diag.Violation{at("a.yaml", 1, "a/b"), at("a.yaml", 1, "a/b")}
	for name, c := range map[string]struct {
		stage func(*Draft)
		with  func(*Draft)
		want  func(*Draft) bool
	}{
		"notes are added and counted": {
			(*Draft).addNotes, func(d *Draft) { d.Notes = slices.Clone(notes) },
			func(d *Draft) bool { return len(d.Report.Violations) == 2 && d.Report.Summary.Errors == 2 },
		},
		"results are added in the order of files, with the documents of a file counted on": {
			(*Draft).addResults,
			func(d *Draft) {
				first := &check.Result{Documents: 3}
				second := &check.Result{Documents: 1, Transitions: 2, Violations: []diag.Violation{at("a.yaml", 1, "a/b")}}
				d.Results = [][]*check.Result{{first, second}}
			},
			func(d *Draft) bool { return d.Report.Violations[0].Object.Document == 4 && d.Transitions == 2 },
		},
		"files that are not searched are listed by name": {
			(*Draft).addSkipped,
			func(d *Draft) {
				d.Report.NotManifests = []diag.NotManifest{{File: "b"}}
				d.Found.NotSearched = []diag.NotManifest{{File: "a"}}
			},
			func(d *Draft) bool { return d.Report.NotManifests[0].File == "a" && len(d.Report.NotManifests) == 2 },
		},
		"an excluded file is listed once": {
			(*Draft).addKinds,
			func(d *Draft) { d.Found.Excluded = []diag.Excluded{{File: "b"}, {File: "a"}, {File: "b"}} },
			func(d *Draft) bool { return d.Report.Summary.Excluded == 2 && d.Report.Excluded[0].File == "a" },
		},
		"without candidates nothing is checked again": {
			(*Draft).addSets,
			func(d *Draft) {
				d.Results, d.Again = [][]*check.Result{{{}}}, nil
			},
			func(d *Draft) bool { return len(d.Report.Violations) == 0 },
		},
		"of several findings in a file that is built twice, one stays": {
			(*Draft).dropRepeats, func(d *Draft) { d.Report.Violations = slices.Clone(notes) },
			func(d *Draft) bool { return len(d.Report.Violations) == 1 && len(d.dropped) == 1 },
		},
		"an ignored finding is suppressed": {
			(*Draft).suppressInFiles,
			func(d *Draft) {
				c := &find.Config{}
				c.Ignores = []config.Ignore{{Name: "n", Reason: "r", Dir: d.Search.Base.Dir}}
				d.Files = []*find.File{{Name: "a.yaml", Config: c}}
				d.Report.Violations = []diag.Violation{at("a.yaml", 1, "a/b")}
				d.Report.Summary = diag.Summary{Errors: 1, Invalid: 1}
				v := &d.Report.Violations[0]
				d.Report.Objects = []diag.Verdict{{Object: v.Object, Place: v.Place, Outcome: diag.Invalid}}
			},
			func(d *Draft) bool {
				return len(d.Report.Violations) == 0 && len(d.Report.Suppressed) == 1 &&
					d.Report.Objects[0].Outcome == diag.Valid && d.Report.Summary == diag.Summary{Valid: 1, Suppressed: 1}
			},
		},
		"an entry of the baseline that matches nothing is a finding": {
			(*Draft).suppressInFiles,
			func(d *Draft) {
				d.Baseline = baseline.Make(&diag.Report{Violations: []diag.Violation{at("a.yaml", 1, "a/b")}})
				d.Files = []*find.File{{Name: "a.yaml", Config: &find.Config{}}}
			},
			func(d *Draft) bool { n, _ := d.Unmatched.Len(); return n == 1 && len(d.Report.Violations) == 1 },
		},
		"with --since it is none, because what has not changed is not found": {
			(*Draft).suppressInFiles,
			func(d *Draft) {
				d.Search.Since = "main"
				d.Baseline = baseline.Make(&diag.Report{Violations: []diag.Violation{at("a.yaml", 1, "a/b")}})
				d.Files = []*find.File{{Name: "a.yaml", Config: &find.Config{}}}
			},
			func(d *Draft) bool { n, _ := d.Unmatched.Len(); return n == 1 && len(d.Report.Violations) == 0 },
		},
		"the text of a private file is hidden": {
			(*Draft).hidePrivate,
			func(d *Draft) {
				v := at("a.yaml", 1, "a/b")
				v.Place = (&source.Source{Name: "a.yaml", Text: "secret", Private: true}).Place(source.Span{End: 6})
				d.Report.Violations = []diag.Violation{v}
			},
			func(d *Draft) bool { return !strings.Contains(d.Report.Violations[0].Place.Excerpt().Text, "secret") },
		},
		"the rules of the findings are described, each once": {
			(*Draft).describe,
			func(d *Draft) {
				d.Settings = settings.NewResolver(d.Search.Base, settings.Options{Lint: rule.Options{Profile: "all"}})
				if _, err := d.Settings.Resolve(&find.Config{}); err != nil {
					t.Fatal(err)
				}
				v := at("a.yaml", 1, "object/duplicate")
				d.Report.Violations, d.Report.Suppressed = []diag.Violation{v, v}, []diag.Violation{v}
			},
			func(d *Draft) bool { return len(d.Report.Rules) == 1 && d.Report.Rules[0].Rule == "object/duplicate" },
		},
		"a rule that only the second configuration has is described": {
			(*Draft).describe,
			func(d *Draft) {
				d.Settings = settings.NewResolver(d.Search.Base, settings.Options{})
				for _, profile := range []string{"recommended", "all"} {
					c := &find.Config{}
					c.Profile = profile
					if _, err := d.Settings.Resolve(c); err != nil {
						t.Fatal(err)
					}
				}
				one, two := d.Settings.Sets()[0], d.Settings.Sets()[1]
				for _, r := range two.Rules() {
					if _, ok := one.Rules().Rule(r.ID); !ok {
						d.Report.Violations = []diag.Violation{at("a.yaml", 1, r.ID)}
					}
				}
			},
			func(d *Draft) bool { return len(d.Report.Violations) == 1 && len(d.Report.Rules) == 1 },
		},
		"findings are sorted by place": {
			(*Draft).sort,
			func(d *Draft) {
				d.Report.Violations = []diag.Violation{at("b.yaml", 1, "x/y"), at("a.yaml", 2, "x/y"), at("a.yaml", 1, "x/y")}
			},
			func(d *Draft) bool {
				v := d.Report.Violations
				return v[0].Place.Start().Line == 1 && v[1].Place.Start().Line == 2 && v[2].Place.File == "b.yaml"
			},
		},
		"one finding stands for several": {
			(*Draft).mergeRepeats,
			func(d *Draft) { d.Report.Violations = []diag.Violation{at("a.yaml", 1, "x/y"), at("a.yaml", 2, "x/y")} },
			func(d *Draft) bool { return len(d.Report.Violations) == 1 },
		},
		"a baseline needs each finding": {
			(*Draft).mergeRepeats,
			func(d *Draft) {
				d.Options.Each = true
				d.Report.Violations = []diag.Violation{at("a.yaml", 1, "x/y"), at("a.yaml", 2, "x/y")}
			},
			func(d *Draft) bool { return len(d.Report.Violations) == 2 },
		},
		"a failure names its file": {
			(*Draft).addFailures,
			func(d *Draft) {
				d.Failures = []error{&fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission}, errors.New("b")}
			},
			func(d *Draft) bool {
				f := d.Report.Failures
				return f[0] == diag.Failure{File: "a", Message: fs.ErrPermission.Error()} && f[1] == diag.Failure{Message: "b"}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := draft(t)
			c.with(d)
			if c.stage(d); !c.want(d) {
				t.Errorf("have %+v", d.Report)
			}
		})
	}
}
