package render

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// testCase is a document as formats see it that know tests, not findings.
type testCase struct {
	file string
	line int
	// name tells the document from the others of its file.
	name    string
	outcome diag.Outcome
	// violations are those of the document that count, in the order of the report.
	violations []*diag.Violation
	// failure says why the file could not be read; "" where it could.
	failure string
}

// testCases makes a test of each document of a report, by file and place; of what belongs to no document, such as a
// comment that accepts nothing, one test for its file; and of each file that could not be read.
func testCases(r *diag.Report) []testCase {
	type key struct {
		file   string
		object diag.Object
	}
	var cases []testCase
	index := map[key]int{}
	names := map[string]int{}
	add := func(k key, c testCase) int {
		if names[c.file+"\x00"+c.name]++; names[c.file+"\x00"+c.name] > 1 { // readers keep one of each name
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
		add(key{v.Place.File, v.Object}, testCase{file: v.Place.File, line: v.Place.Start().Line, name: caseName(v.Object), outcome: v.Outcome})
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
		add(key{file: f.File}, testCase{file: f.File, line: 1, name: "file", outcome: diag.Invalid, failure: "cannot be read: " + f.Message})
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

// lines writes violations as text, a line each, and help below.
func lines(list []*diag.Violation) string {
	var b strings.Builder
	for _, v := range list {
		b.WriteString(placeText(v.Place) + ": " + v.Severity.String() + ": " + headline(v) + " [" + string(v.Rule) + "]\n")
		if v.Help != "" {
			b.WriteString("  help: " + clean(v.Help) + "\n")
		}
	}
	return b.String()
}
