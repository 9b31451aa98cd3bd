package engine

import (
	"errors"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Failure is why templates cannot be parsed or executed, and where.
type Failure struct {
	Message, Help string
	At            source.Place
	Rule          diag.Rule
	Related       []diag.Related
	IsIntended    bool // a template called required or fail
	IsCalled      bool // a template called fail
	// Order says how far the template came: the offsets of the actions that were executed, from the outermost.
	Order []int
}

func (f Failure) Error() string { return f.Message }

// parseFault returns the failure of a template that cannot be parsed.
func (e *engine) parseFault(file *File, err error) error {
	if f, ok := asLimit(err, file.Source.Place(source.Span{})); ok {
		return f
	}
	message, line := strings.TrimPrefix(err.Error(), "template: "), 0
	if rest, ok := cutTo(message, file.Source.Name, e.nameOf(file)); ok {
		digits, after, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(digits); err == nil {
			line, message = n, strings.TrimSpace(after)
		}
	}
	return Failure{Message: message, At: file.Source.Place(SpanOfLine(file.Source.Text, line)), Rule: diag.TemplateError}
}

// cutTo returns what follows the name of a template and a colon.
func cutTo(message string, names ...string) (string, bool) {
	for _, name := range names {
		if rest, ok := strings.CutPrefix(message, name+":"); ok {
			return rest, true
		}
	}
	return "", false
}

func (e *engine) nameOf(file *File) string {
	for name, f := range e.files {
		if f == file {
			return name
		}
	}
	return ""
}

// mostCalls is the maximum number of calls that a finding lists. Templates may call each other a thousand times, and
// the innermost calls say the most.
const mostCalls = 5

// executionFault returns the failure of a template that failed. The open outputs show which actions were being executed;
// the innermost one in a file is the place of the finding.
func (e *engine) executionFault(name string, err error) error {
	f, ok := asLimit(err, source.Place{})
	if !ok {
		f = Failure{Message: e.reason(err), Rule: diag.TemplateError, IsIntended: e.message != "", IsCalled: e.isFailed}
	}
	var chain []source.Place
	for _, number := range e.active() {
		if n := &e.nodes[number]; n.file != nil {
			chain = append(chain, n.file.Source.Place(n.span))
		}
	}
	if len(chain) == 0 {
		chain = []source.Place{e.files[name].Source.Place(source.Span{})}
	}
	for _, at := range chain {
		f.Order = append(f.Order, at.Span.Start)
	}
	last := len(chain) - 1
	f.At = chain[last]
	for i := last - 1; i >= max(0, last-mostCalls); i-- {
		if !chain[i].IsSame(f.At) {
			f.Related = append(f.Related, diag.Related{Place: chain[i], Message: "called here"})
		}
	}
	return f
}

// active returns the nodes that were being executed, from the outermost.
func (e *engine) active() (numbers []int) {
	numbers = append(numbers, e.calls...)
	if marks := e.top().marks; len(marks) > 0 {
		numbers = append(numbers, marks[len(marks)-1].node)
	}
	return numbers
}

// reason returns why a template failed, without the chain of places that text/template puts before it.
func (e *engine) reason(err error) string {
	if errors.Is(err, errCycle) {
		return errCycle.Error()
	}
	if e.message != "" {
		return e.message
	}
	message := err.Error()
	for _, mark := range []string{"error calling include: ", "error calling tpl: "} {
		if i := strings.LastIndex(message, mark); i >= 0 {
			message = message[i+len(mark):]
		}
	}
	if i := strings.LastIndex(message, ">: "); i >= 0 && strings.HasPrefix(message, "template: ") {
		message = message[i+len(">: "):]
	}
	return strings.TrimPrefix(message, "template: ")
}

// SpanOfLine returns the span of a line, counted from 1, without its indentation.
func SpanOfLine(text string, number int) source.Span {
	at := 0
	for line := range strings.Lines(text) {
		if number--; number <= 0 {
			start := at + len(line) - len(strings.TrimLeft(line, " \t"))
			return source.Span{Start: start, End: max(start, at+len(strings.TrimRight(line, " \t\r\n")))}
		}
		at += len(line)
	}
	return source.Span{Start: at, End: at}
}
