package render

import (
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// JUnitDialect says which extensions of JUnit XML the reader of a report supports. The format has no specification.
type JUnitDialect string

// The dialects. GitLab reads the file of a test, the reporters for GitHub also read its line, and Jenkins rejects
// both.
const (
	JUnitGitLab  JUnitDialect = "gitlab"
	JUnitGitHub  JUnitDialect = "github"
	JUnitJenkins JUnitDialect = "jenkins"
)

// JUnitDialects lists all dialects.
var JUnitDialects = []JUnitDialect{JUnitGitLab, JUnitGitHub, JUnitJenkins}

// writeJUnit writes a report as JUnit XML, with one suite per file and one test per document, so that documents
// without a fault count as passed tests. All times are 0, because a report depends only on what was checked.
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

// Test is the result of a test that is not about a manifest.
type Test struct {
	Class, Name string
	// Failures are the reasons for which the test failed. It passed if there are none.
	Failures []string
}

// JUnitTests writes tests as JUnit XML, in one suite with the given name.
func JUnitTests(w io.Writer, name string, tests []Test) error {
	suite := junitSuite{Name: name, Time: junitTime}
	for _, t := range tests {
		c := junitCase{Name: clean(t.Name), Classname: clean(t.Class), Time: junitTime}
		if len(t.Failures) > 0 {
			c.Failure = &junitFault{
				Type: "failure", Message: clean(t.Failures[0]), Text: CleanLines(strings.Join(t.Failures, "\n")),
			}
		}
		suite.add(c)
	}
	return writeJUnitSuites(w, []junitSuite{suite})
}

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

// junitCaseOf makes the test of a document. Some readers cannot handle several failures in a test, so there is one: it
// has the type of the first violation and describes all of them.
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
