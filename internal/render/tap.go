package render

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// writeTAP writes a report as TAP version 14 (testanything.org), with one test per document. Its violations are in a
// YAML block below the test.
func writeTAP(w io.Writer, r *diag.Report, o Options) error {
	out := bufio.NewWriter(w)
	cases := testCases(r)
	out.WriteString("TAP version 14\n")
	if len(cases) == 0 {
		out.WriteString("1..0 # SKIP nothing to check\n")
		return out.Flush()
	}
	fmt.Fprintf(out, "1..%d\n", len(cases))
	for i := range cases {
		c := &cases[i]
		status, directive := "ok", ""
		switch {
		case c.failure != "" || len(c.failing(o.FailOn)) > 0:
			status = "not ok"
		case c.outcome == diag.Skipped:
			directive = " # SKIP no schema for this kind"
		case c.outcome == diag.Unchanged:
			directive = " # SKIP not changed"
		}
		fmt.Fprintf(out, "%s %d - %s%s\n", status, i+1, tapEscapes.Replace(clean(o.path(c.file))+": "+c.name), directive)
		writeBlock(out, c, &o)
	}
	return out.Flush()
}

// tapEscapes keeps the name of a test from starting a directive.
var tapEscapes = strings.NewReplacer(`\`, `\\`, `#`, `\#`)

// writeBlock writes the YAML block of a test: the first violation in the fields that readers know, and a list of all
// violations. Values are double-quoted as in JSON, which is also valid YAML.
func writeBlock(w io.Writer, c *testCase, o *Options) {
	switch {
	case c.failure != "":
		fmt.Fprintf(w, "  ---\n  message: %s\n  severity: \"error\"\n  ...\n", quoted(c.failure))
	case len(c.violations) > 0:
		first := c.violations[0]
		if failing := c.failing(o.FailOn); len(failing) > 0 {
			first = failing[0]
		}
		fmt.Fprint(w, "  ---\n")
		writeMembers(w, "  ", "  ", first, o)
		fmt.Fprint(w, "  violations:\n")
		for _, v := range c.violations {
			writeMembers(w, "    - ", "      ", v, o)
		}
		fmt.Fprint(w, "  ...\n")
	}
}

func writeMembers(w io.Writer, lead, indent string, v *diag.Violation, o *Options) {
	fmt.Fprintf(w, "%smessage: %s\n", lead, quoted(onOneLine(v)))
	fmt.Fprintf(w, "%sseverity: %s\n", indent, quoted(v.Severity.String()))
	fmt.Fprintf(w, "%srule: %s\n", indent, quoted(string(v.Rule)))
	if v.Help != "" {
		fmt.Fprintf(w, "%shelp: %s\n", indent, quoted(v.Help))
	}
	fmt.Fprintf(w, "%sat: {\"file\": %s, \"line\": %d, \"column\": %d}\n",
		indent, quoted(o.path(v.Place.File)), v.Place.Start().Line, v.Place.Start().Column)
}

// quoted returns a cleaned text in double quotes.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(clean(text)); err != nil {
		panic("a string can be written as JSON: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
