// Package engine executes the templates of Helm charts within a budget, and knows for every byte of the output where
// it was written.
//
// Helm's engine is not used, because it brings the client of a cluster: it adds 36 MB to the program, and its output
// has no places. text/template is the same, and package sprig has the functions of github.com/Masterminds/sprig.
// Decide anew if Helm offers its engine without the client, and text/template tells which node wrote a byte.
//
// # Places
//
// Before each node of a parsed template that may write something, an action is inserted that calls a function. It
// writes nothing. The function records how much has been written so far, so each byte of the output belongs to a node.
// A literal text is exact to the byte. The output of an action that includes another template is compared line by line
// with what that template wrote, and so leads to the line of the helper.
//
// # Limits
//
// Templates are programs of strangers. Each recorded node, each call and each byte that a function returns counts
// towards a budget, which does not depend on the machine. See [Budget].
//
// # Speed
//
// In a repository with hundreds of versions of the same charts, parsing takes a quarter of the time of a render.
// Templates that are equal in two versions are parsed twice: a tree belongs to the files of its chart, because the
// recorded nodes refer to them. If parsing becomes a larger part, nodes can refer to files by number instead.
package engine

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/kindvet/kindvet/internal/source"
)

// engine renders the templates of a chart (Helm's pkg/engine/engine.go), and records where their output was written.
type engine struct {
	budget *Budget
	// nodes are the nodes of all templates that are recorded, and done the trees that record theirs.
	nodes []node
	done  map[*parse.Tree]bool
	// files are the files of templates, by name. A text that is not from a file is not among them.
	files map[string]*File
	// sizes are the bytes of the other files of the chart, which templates read.
	sizes fileSizes

	open     []*output // the outputs that are being written, from the outermost
	calls    []int     // the nodes whose calls of other templates have not returned
	stack    int       // nested calls and blocks
	included map[string]int
	tpls     int    // nested calls of tpl
	message  string // of required or fail
	isFailed bool   // a template called fail
	isHelm4  bool
}

func newEngine(b *Budget) *engine {
	return &engine{budget: b, done: map[*parse.Tree]bool{}, files: map[string]*File{}, included: map[string]int{}}
}

// Functions that are inserted into templates. A template cannot call them: its own functions have other names.
const (
	recordName = "__at"
	leaveName  = "__left"
	printName  = "__print"
	resultName = "__result"
)

// NamesInOrder returns the names of templates in the order in which Helm parses them: a template that is parsed
// later replaces definitions of others.
func NamesInOrder(list map[string]Template) []string {
	names := make([]string, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if n := strings.Count(b, "/") - strings.Count(a, "/"); n != 0 {
			return n
		}
		return strings.Compare(b, a)
	})
	return names
}

// parse parses the templates.
func (e *engine) parse(list map[string]Template) (*template.Template, []string, error) {
	names := NamesInOrder(list)
	e.sizes = sizesOf(list)
	root := template.New(rootName).Option("missingkey=zero").Funcs(e.functions())
	e.late(root)
	for _, name := range names {
		e.files[name] = list[name].File
		if err := e.budget.parse(list[name].File.Source.Text); err != nil {
			return nil, nil, e.parseFault(list[name].File, err)
		}
		if _, err := root.New(name).Parse(list[name].File.Source.Text); err != nil {
			return nil, nil, e.parseFault(list[name].File, err)
		}
	}
	return root, names, e.instrument(root)
}

const rootName = "gotpl" // as in Helm, because messages contain it

// functions returns all functions that do not depend on the template that calls them.
func (e *engine) functions() template.FuncMap {
	list := Functions()
	if e.isHelm4 {
		maps.Copy(list, functionsOfHelm4())
	}
	for name, function := range list {
		list[name] = e.budget.counted(name, function)
	}
	list["required"] = e.required
	list["fail"] = func(message string) (string, error) {
		e.message, e.isFailed = message, true
		return "", errors.New(message)
	}
	list[recordName], list[leaveName], list[printName], list[resultName] = e.record, e.leave, e.printed, e.result
	return list
}

// late sets the functions that run other templates. They see the definitions of the template that calls them.
func (e *engine) late(t *template.Template) {
	t.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) { return e.include(t, name, data) },
		"tpl":     func(text string, data any) (string, error) { return e.tpl(t, text, data) },
	})
}

func (e *engine) required(message string, value any) (any, error) {
	if value == nil || value == "" {
		e.message = message
		return value, errors.New(message)
	}
	return value, nil
}

func (e *engine) include(t *template.Template, name string, data any) (string, error) {
	if e.included[name] > maxNested {
		return "", fmt.Errorf("rendering template has a nested reference name: %s", name)
	}
	if err := e.budget.work(includeSteps); err != nil {
		return "", err
	}
	e.included[name]++
	defer func() { e.included[name]-- }()
	return e.nested(func(w io.Writer) error { return t.ExecuteTemplate(w, name, data) })
}

// tpl renders a text. Definitions in it are visible only to what it includes.
func (e *engine) tpl(parent *template.Template, text string, data any) (string, error) {
	if !strings.Contains(text, "{{") {
		return strings.ReplaceAll(text, noValue, ""), e.budget.text(len(text))
	}
	if err := e.budget.text(len(text)); err != nil {
		return "", err
	}
	if e.tpls++; e.tpls > MaxNestedTpl {
		return "", errStack
	}
	defer func() { e.tpls-- }()
	err := e.budget.parse(text)
	defer e.budget.release(text)
	if err != nil {
		return "", err
	}
	// A clone copies all functions and templates.
	if err := e.budget.work(cloneSteps + len(e.done)/2 + parseSteps*strings.Count(text, "{{")); err != nil {
		return "", err
	}
	t, err := parent.Clone()
	if err != nil {
		return "", fmt.Errorf("cannot clone template: %w", err)
	}
	t.Option("missingkey=zero")
	e.late(t)
	if t, err = t.New(parent.Name()).Parse(text); err != nil {
		return "", fmt.Errorf("cannot parse template: %w", err)
	}
	if err := e.instrument(t); err != nil {
		return "", err
	}
	written, err := e.nested(func(w io.Writer) error { return t.Execute(w, data) })
	return strings.ReplaceAll(written, noValue, ""), err
}

// noValue is what text/template writes for a missing value.
const noValue = "<no value>"

// nested returns what a template writes. If it fails, the open outputs show where.
func (e *engine) nested(execute func(io.Writer) error) (string, error) {
	out := &output{engine: e, owner: e.top()}
	if err := e.enter(out); err != nil {
		return "", err
	}
	if err := execute(out); err != nil {
		return "", err
	}
	e.open = e.open[:len(e.open)-1]
	if _, err := e.leave(); err != nil {
		return "", err
	}
	e.end(out)
	return out.text, nil
}

func (e *engine) top() *output { return e.open[len(e.open)-1] }

// run renders one template.
func (e *engine) run(t *template.Template, name string, scope map[string]any) (out *output, err error) {
	out = &output{engine: e}
	e.open, e.calls, e.stack = []*output{out}, nil, 0
	defer func() { // text/template panics for some values that a template can make
		if r, ok := recover().(runtime.Error); ok {
			err = e.executionFault(name, r)
		}
	}()
	if err := t.ExecuteTemplate(out, name, scope); err != nil {
		return nil, e.executionFault(name, err)
	}
	out.text = out.buffer.String()
	return out, nil
}

// File is a file below templates. Its name is relative to its chart.
type File struct {
	Name   string
	Source *source.Source
}

// Template is the file of a template, and what the template sees at its top.
type Template struct {
	File  *File
	Scope map[string]any
	Base  string
}
