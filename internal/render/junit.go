package render

import (
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// JUnitDialect says what the reader of a JUnit report knows beyond the core of the format, which has no specification.
type JUnitDialect string

// The dialects: GitLab reads the file of a test, the reporters for GitHub its line as well, and Jenkins rejects both.
const (
	JUnitGitLab  JUnitDialect = "gitlab"
	JUnitGitHub  JUnitDialect = "github"
	JUnitJenkins JUnitDialect = "jenkins"
)

// JUnitDialects are all dialects.
var JUnitDialects = []JUnitDialect{JUnitGitLab, JUnitGitHub, JUnitJenkins}

// writeJUnit writes a report as JUnit XML: a suite for each file and a test for each document, so that documents
// without a fault count as tests that pass. Times are 0: a report depends on nothing but what was checked.
func writeJUnit(w io.Writer, r *diag.Report, o Options) error {
	var suites []junitSuite
	cases := testCases(r)
	slices.SortStableFunc(cases, func(a, b testCase) int { return strings.Compare(a.file, b.file) })
	for i := range cases {
		file := clean(o.path(cases[i].file))
		if n := len(suites); n == 0 || suites[n-1].Name != file {
			suites = append(suites, junitSuite{Name: file, Time: junitTime})
		}
		suites[len(suites)-1].add(junitCaseOf(&cases[i], file, &o))
	}
	return writeJUnitSuites(w, suites)
}

// Test is the result of one test that is not of a manifest.
type Test struct {
	Class, Name string
	// Failures say why it failed; a test without any passes.
	Failures []string
}

// JUnitTests writes tests as JUnit XML, as one suite with a name.
func JUnitTests(w io.Writer, name string, tests []Test) error {
	suite := junitSuite{Name: name, Time: junitTime}
	for _, t := range tests {
		c := junitCase{Name: clean(t.Name), Classname: clean(t.Class), Time: junitTime}
		if len(t.Failures) > 0 {
			c.Failure = &junitFault{Type: "failure", Message: clean(t.Failures[0]), Text: CleanLines(strings.Join(t.Failures, "\n"))}
		}
		suite.add(c)
	}
	return writeJUnitSuites(w, []junitSuite{suite})
}

// writeJUnitSuites writes suites and their totals.
func writeJUnitSuites(w io.Writer, suites []junitSuite) error {
	report := junitReport{Name: "kindvet", Suites: suites}
	for i := range suites {
		report.Tests += suites[i].Tests
		report.Failures += suites[i].Failures
		report.Errors += suites[i].Errors
	}
	return writeXML(w, report)
}

const junitTime = "0.000"

type junitReport struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string      `xml:"name,attr"`
	Classname string      `xml:"classname,attr"`
	Time      string      `xml:"time,attr"`
	File      string      `xml:"file,attr,omitempty"`
	Line      int         `xml:"line,attr,omitempty"`
	Skipped   *junitText  `xml:"skipped"`
	Error     *junitFault `xml:"error"`
	Failure   *junitFault `xml:"failure"`
	SystemOut *junitText  `xml:"system-out"`
}

type junitText struct {
	Text string `xml:",chardata"`
}

type junitFault struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Error != nil:
		s.Errors++
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// junitCaseOf makes a test of a document. Several failures break some readers: there is one, of the first violation,
// that tells of all.
func junitCaseOf(c *testCase, file string, o *Options) junitCase {
	test := junitCase{Name: c.name, Classname: strings.TrimSuffix(file, path.Ext(file)), Time: junitTime}
	if o.JUnit != JUnitJenkins {
		test.File = file
	}
	if o.JUnit == JUnitGitHub {
		test.Line = c.line
	}
	switch failing := c.failing(o.FailOn); {
	case c.failure != "":
		test.Error = &junitFault{Type: "unreadable", Message: clean(c.failure), Text: clean(c.failure)}
	case len(failing) > 0:
		first := failing[0]
		fault := &junitFault{Type: string(first.Rule), Message: headline(first), Text: lines(c.violations)}
		if isUnreadable(first) {
			test.Error = fault
		} else {
			test.Failure = fault
		}
	case c.outcome == diag.Skipped:
		test.Skipped = &junitText{"no schema for this kind"}
	case c.outcome == diag.Unchanged:
		test.Skipped = &junitText{"not changed"}
	}
	if test.Error == nil && test.Failure == nil && len(c.violations) > 0 {
		test.SystemOut = &junitText{lines(c.violations)}
	}
	return test
}
