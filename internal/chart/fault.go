package chart

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// fault is why a chart cannot be rendered, and where.
type fault struct {
	message, help string
	at            source.Place
	rule          diag.Rule // "" is [diag.InvalidChart]
	related       []diag.Related
	fixes         []diag.Fix
	isInfo        bool
	isIntended    bool // a template called required or fail, or a value that the schema requires is not set
	isCalled      bool // a template called fail
	// order says how far the chart came, if a template failed: the number of the template, and the actions in it.
	order []int
}

func (f fault) Error() string { return f.message }

// faults are several faults of one file.
type faults []fault

func (f faults) Error() string { return f[0].message }

// faultOf returns the fault of templates that cannot be parsed or executed.
func faultOf(err error) error {
	f, ok := err.(engine.Failure)
	if !ok {
		return err
	}
	return fault{message: f.Message, help: f.Help, at: f.At, rule: f.Rule, related: f.Related, isIntended: f.IsIntended,
		order: f.Order, isCalled: f.IsCalled}
}

// violationsOf returns the findings about an error of this package.
func violationsOf(err error) (violations []diag.Violation) {
	switch e := err.(type) {
	case fault:
		return []diag.Violation{e.violation()}
	case faults:
		for _, f := range e {
			violations = append(violations, f.violation())
		}
		return violations
	}
	panic("an error about a chart has a place: " + err.Error())
}

func (f fault) violation() diag.Violation {
	if f.rule == "" {
		f.rule = diag.InvalidChart
	}
	severity := diag.Error
	if f.rule == diag.MissingDependency || f.rule == diag.ChartWarning {
		severity = diag.Warning
	}
	if f.isInfo {
		severity = diag.Info
	}
	return diag.Violation{
		Rule: f.rule, Severity: severity, Message: oneLine(f.message), Help: f.help, Place: f.at, Related: f.related,
		Fixes: f.fixes,
	}
}

// longestMessage is the maximum number of characters of a message that a template wrote. It may fail with a text of
// megabytes, such as a whole file.
const longestMessage = 300

// oneLine returns a message of a template on one line.
func oneLine(message string) string {
	return diag.Cut(strings.Join(strings.Fields(message), " "), longestMessage)
}

// place returns the start of the first source that is not nil.
func place(sources ...*source.Source) source.Place {
	for _, src := range sources {
		if src != nil {
			return src.Place(source.Span{})
		}
	}
	return source.Place{}
}

// lineOf returns the line of a field at the top of a YAML file, or the start of the file.
func lineOf(src *source.Source, key string) source.Span {
	at := 0
	for line := range strings.Lines(src.Text) {
		if strings.HasPrefix(line, key) {
			return source.Span{Start: at, End: at + len(strings.TrimRight(line, "\r\n"))}
		}
		at += len(line)
	}
	return source.Span{}
}

// lineNamed returns the line that an error of the YAML library names, such as "yaml: line 3: ...".
func lineNamed(src *source.Source, message string) source.Span {
	_, rest, _ := strings.Cut(message, "line ")
	digits, _, _ := strings.Cut(rest, ":")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return source.Span{}
	}
	return engine.SpanOfLine(src.Text, number)
}

// cause returns the end of a chain of errors about YAML and JSON.
func cause(err error) string {
	text := err.Error()
	for _, prefix := range []string{
		"error converting YAML to JSON: ", "error unmarshaling JSON: ", "while decoding JSON: ", "json: ", "yaml: ",
	} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
