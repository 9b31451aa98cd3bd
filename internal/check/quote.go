package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// quoteIt starts help that cites the value to quote.
const quoteIt = "quote it: "

// quoteWritten changes help that cites a value of a rendered text, which may be written otherwise where it comes from:
// a template prints the number 10000000 as 1e+07. raw is the value, written the text that wrote it, and from what
// supplied it.
func quoteWritten(v *diag.Violation, raw, written string, from []diag.Related) {
	if !strings.HasPrefix(v.Help, quoteIt) || raw == written || strings.HasPrefix(v.Help, quoteIt+diag.Quote(written)) {
		return
	}
	isAction := strings.Contains(written, "{{")
	isWhole := printsStructure(written)
	var set string
	if len(from) > 0 {
		set = strings.Trim(from[0].Place.Text(), `"'`)
	}
	switch {
	case isWhole && set == raw:
	case isWhole || !isAction:
		v.Help = "quote it where it is set"
	case set == "" || set == raw:
		v.Help = "quote the output of the action, for example with quote"
	default: // it would be printed as it is here
		v.Help = "quote it where it is set and print it with quote, or use int64 before quote"
	}
}

// printsStructure reports whether an action of a template prints a value as YAML or JSON.
func printsStructure(action string) bool {
	return strings.Contains(action, "toYaml") || strings.Contains(action, "toJson")
}
