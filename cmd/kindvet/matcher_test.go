package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// matchers are the problem matchers of docs/ci/problem-matcher.json (actions/toolkit, docs/problem-matchers.md).
func matchers(t *testing.T) (all []struct {
	Owner, Severity string
	Pattern         []struct {
		Regexp                                      string
		File, Line, Column, Severity, Message, Code int
	}
}) {
	var file struct {
		ProblemMatcher json.RawMessage `json:"problemMatcher"`
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(repository, "docs", "ci", "problem-matcher.json"))),
		&file); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file.ProblemMatcher, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// One matcher matches each violation that the program prints, with all parts. No matcher matches anything else.
func TestTheProblemMatcherReadsWhatTheProgramPrints(t *testing.T) {
	c := exec.Command(filepath.Join(installed, "kindvet"), "validate", "testdata/demo")
	c.Dir = repository
	report, err := c.Output()
	if c.ProcessState == nil || c.ProcessState.ExitCode() != 1 {
		t.Fatal(err)
	}
	c = exec.Command(filepath.Join(installed, "kindvet"), "validate", "-o", "json", "testdata/demo")
	c.Dir = repository
	text, _ := c.Output()
	var want struct {
		Violations []struct {
			Rule, Severity, File string
			Line, Column         int
		}
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, v := range want.Violations {
		wanted = append(wanted, fmt.Sprint(v.File, " ", v.Line, " ", v.Column, " ", v.Severity, " ", v.Rule))
	}
	if have := matched(t, string(report)); len(have) == 0 || !slices.Equal(have, wanted) {
		t.Errorf("have %q\nwant %q", have, wanted)
	}
}

func TestTheProblemMatcherReadsAllSeveritiesAndFileNames(t *testing.T) {
	have := matched(t,
		"a b.yaml:1:2: warning: spec.a: x: y [z] [open-cidr]\nC:\\a.yaml:3:4: info: m [r]\nnothing:1: error\n")
	if want := []string{"a b.yaml 1 2 warning open-cidr", `C:\a.yaml 3 4 notice r`}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

// The matcher for VS Code on the page about formats matches each finding in one line.
func TestTheMatcherOfTheDocumentationReadsWhatTheProgramPrints(t *testing.T) {
	_, text, ok := strings.Cut(readFile(t, filepath.Join(repository, "docs", "output-formats.md")), "```json\n")
	text, _, ok2 := strings.Cut(text, "```")
	var m struct{ Pattern struct{ Regexp string } }
	if err := json.Unmarshal([]byte(text), &m); err != nil || !ok || !ok2 {
		t.Fatal(err)
	}
	c := exec.Command(filepath.Join(installed, "kindvet"), "validate", "--one-line", "testdata/demo")
	c.Dir = repository
	report, _ := c.Output()
	count, pattern := 0, regexp.MustCompile(m.Pattern.Regexp)
	for line := range strings.Lines(string(report)) {
		if count++; len(pattern.FindStringSubmatch(strings.TrimSuffix(line, "\n"))) != 7 {
			t.Errorf("no match: %s", line)
		}
	}
	if count < 10 {
		t.Errorf("%d findings", count)
	}
}

// matched returns the file, line, column, severity and rule of each match.
func matched(t *testing.T, output string) []string {
	var found []string
	for line := range strings.Lines(output) {
		for _, m := range matchers(t) {
			p := m.Pattern[0]
			if g := regexp.MustCompile(p.Regexp).FindStringSubmatch(strings.TrimSuffix(line, "\n")); g != nil {
				severity := m.Severity
				if p.Severity > 0 {
					severity = g[p.Severity]
				}
				found = append(found, strings.Join([]string{g[p.File], g[p.Line], g[p.Column], severity, g[p.Code]}, " "))
			}
		}
	}
	return found
}
