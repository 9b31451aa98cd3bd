package render

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// testCase is a document as seen by formats that report tests instead of findings.
type testCase struct {
	file string
	line int
	// name distinguishes the document from the others of its file.
	name    string
	outcome diag.Outcome
	// violations are the violations of the document that are not suppressed, in the order of the report.
	violations []*diag.Violation
	// failure says why the file could not be read; "" if it could.
	failure string
}

// testCases makes one test per document of a report, sorted by file and place. Findings that do not belong to a
// document, such as an unused suppression comment, go into one test for their file. Each file that could not be read
// is a test as well.
func testCases(r *diag.Report) []testCase {
	type key struct {
		file   string
		object diag.Object
	}
	var cases []testCase
	index := map[key]int{}
	names := map[string]int{}
	add := func(k key, c testCase) int {
		if names[c.file+"\x00"+c.name]++; names[c.file+"\x00"+c.name] > 1 { // readers keep only one test per name
			c.name += " (" + strconv.Itoa(names[c.file+"\x00"+c.name]) + ")"
		}
		cases = append(cases, c)
		if _, ok := index[k]; !ok {
			index[k] = len(cases) - 1
		}
		return len(cases) - 1
	}
	for i := range r.Objects {
		v := &r.Objects[i]
		add(key{v.Place.File, v.Object},
			testCase{file: v.Place.File, line: v.Place.Start().Line, name: caseName(v.Object), outcome: v.Outcome})
	}
	for i := range r.Violations {
		v := &r.Violations[i]
		k := key{v.Place.File, v.Object}
		at, ok := index[k]
		if !ok {
			at = add(k, testCase{file: v.Place.File, line: v.Place.Start().Line, name: caseName(v.Object), outcome: diag.Valid})
		}
		cases[at].violations = append(cases[at].violations, v)
	}
	for _, f := range r.Failures {
		add(key{file: f.File},
			testCase{file: f.File, line: 1, name: "file", outcome: diag.Invalid, failure: "cannot be read: " + f.Message})
	}
	return cases
}

func caseName(o diag.Object) string {
	name := clean(o.String())
	switch {
	case o.Document == 0:
		return "file"
	case name == "":
		return "document " + strconv.Itoa(o.Document)
	}
	return name + " [document " + strconv.Itoa(o.Document) + "]"
}

// failing returns the violations that make the test fail.
func (c *testCase) failing(floor diag.Severity) []*diag.Violation {
	var list []*diag.Violation
	for _, v := range c.violations {
		if floor > 0 && v.Severity >= floor {
			list = append(list, v)
		}
	}
	return list
}

// lines formats violations as text: one line for each, with its help below.
func lines(list []*diag.Violation) string {
	var b strings.Builder
	for _, v := range list {
		b.WriteString(placeText(v.Place) + ": " + v.Severity.String() + ": " + headline(v) + " [" + string(v.Rule) + "]\n")
		if v.Help != "" {
			b.WriteString("  help: " + clean(v.Help) + "\n")
		}
		for _, note := range causeNotes(v) {
			b.WriteString("  " + note + "\n")
		}
	}
	return b.String()
}
