// Package reads finds which values the templates of a chart read, from their text alone: branches that no set of values
// takes count as well.
//
// # How
//
// Each expression of a template has a [value]: the places in the values that it may be, and the maps that templates make
// of them. Evaluating a field adds the field to the tree of read values. What a function does with its arguments is in a
// table. A function that is not in it, a name that is computed, or a limit that is reached make everything read that flows
// there, so that a value which is not in the tree is not read for sure, as far as the table is right. Package chart proves
// that by experiment before it reports one.
//
// Executions of templates depend on each other through short constant texts that they write, and through maps that templates
// change. An execution that has looked at one is repeated when it changes. Everything only grows, so this ends.
package reads

import (
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/kindvet/kindvet/internal/chart/engine"
)

// Chart is a chart whose templates are analyzed.
type Chart struct {
	// Name is the key that holds the values of the chart in those of its parent.
	Name string
	// IsLibrary means that only what other templates include is executed.
	IsLibrary bool
	// Templates are the files below templates/. Base is what they see as .Template.BasePath.
	Templates []Template
	Base      string
	// Files are the others, which templates see as .Files. Their names are relative to the chart.
	Files []Template
	// Texts are those in values that may be templates, which 'tpl' executes.
	Texts     []string
	Subcharts []*Chart
}

// Template is a file. One below templates/ has its name in Helm, such as shop/templates/deployment.yaml.
type Template struct{ Name, Text string }

// Node is a value that is read, and which values below it are.
type Node struct {
	// IsAll means that the value is read with all that is below it, and HasKeys that its keys are read.
	IsAll, HasKeys bool
	// IsTested means that templates ask whether the value is empty.
	IsTested bool
	// Fields are the values below that are read by name, and Any is one that may be any of them.
	Fields map[string]*Node
	Any    *Node

	level, number int
}

// Read marks the value at a path, and all that is below it, as read.
func (n *Node) Read(path ...string) {
	for _, name := range path {
		n = n.field(name)
	}
	n.IsAll = true
}

// Below returns what is read at a key.
func (n *Node) Below(name string) *Node { return n.field(name) }

func (n *Node) field(name string) *Node {
	below := n.Fields[name]
	if below == nil {
		if n.Fields == nil {
			n.Fields = map[string]*Node{}
		}
		below = n.below()
		n.Fields[name] = below
	}
	return below
}

func (n *Node) item() *Node {
	if n.Any == nil {
		n.Any = n.below()
	}
	return n.Any
}

// below returns a new node below another one. Templates that descend without end read everything from some level on.
func (n *Node) below() *Node {
	if n.level == maxLevels {
		n.IsAll = true
		return n
	}
	return &Node{level: n.level + 1}
}

// Limits of an analysis. Beyond one of the first two, all values count as read, and the caller is told. Beyond the others, only what
// reaches the limit counts as read.
const (
	maxSteps   = 4_000_000     // a place of a value that is looked at is one
	mostPlaces = 200           // of a value
	maxLevels  = 20            // of a value
	maxRounds  = maxLevels + 5 // of a loop that changes variables
	maxCalls   = 200           // nested; others follow later
)

// Of returns which values the templates of a chart and its subcharts read. isKnown is false if a limit was reached: then all
// count as read.
func Of(c *Chart) (read *Node, isKnown bool) { return newAnalysis().of(c) }

func newAnalysis() *analysis {
	return &analysis{
		root: &Node{}, steps: maxSteps, objects: map[string]*object{}, defines: map[string][]*parse.Tree{},
		done: map[string]*execution{}, known: map[string]bool{},
	}
}

func (a *analysis) of(c *Chart) (read *Node, isKnown bool) {
	a.parse(c)
	a.parseFiles(c)
	if a.steps > 0 {
		a.run(c, a.root, "")
	}
	for len(a.queue) > 0 && a.steps > 0 && !a.root.IsAll {
		e := a.queue[0]
		a.queue = a.queue[1:]
		a.execute(e)
	}
	if a.steps <= 0 {
		a.root.IsAll = true
	}
	return a.root, a.steps > 0
}

// spend subtracts steps.
func (a *analysis) spend(steps int) { a.steps -= steps }

// limited subtracts the places of a value from the steps. A value with too many ends the analysis.
func (a *analysis) limited(v value) value {
	if a.spend(1 + v.size()); v.isTooLarge {
		a.steps = 0
	}
	return v
}

// analysis executes templates with sets of places instead of values.
type analysis struct {
	root    *Node
	objects map[string]*object
	// defines are all definitions of a template. Several charts may define one, and the values may select the charts.
	defines map[string][]*parse.Tree
	texts   []*parse.Tree
	// done holds the executions, by template and data. Those in queue are to come; doing is the one that takes place.
	done    map[string]*execution
	queue   []*execution
	doing   *execution
	calls   int // nested
	steps   int
	actions int             // that have been parsed
	known   map[string]bool // texts that have been parsed
	number  int             // of nodes and objects that have a number
	// files are the beginnings of the names of other files that templates name.
	files     []string
	isMissing bool  // a template is included that is not defined
	uses      *uses // nil if they are not recorded
	now       current
}

// execution is a template with its data.
type execution struct {
	tree *parse.Tree
	dot  value
	// result is what it writes, and seen are the executions that have looked at it.
	result              value
	seen                []*execution
	isQueued, isRunning bool
	caller              Action // the outermost one
}

func (a *analysis) parse(c *Chart) {
	for _, t := range c.Templates {
		a.define(t.Name, t.Text)
	}
	for _, text := range c.Texts {
		a.addText(text)
	}
	for _, sub := range c.Subcharts {
		a.parse(sub)
	}
}

// parseFiles adds the other files that templates name: tpl may execute them.
func (a *analysis) parseFiles(c *Chart) {
	for _, f := range c.Files {
		if slices.ContainsFunc(a.files, func(begin string) bool { return strings.HasPrefix(f.Name, begin) }) {
			a.addText(f.Text)
		}
	}
	for _, sub := range c.Subcharts {
		a.parseFiles(sub)
	}
}

// define parses a template and what it defines. What cannot be parsed is not executed either. Blocks are parsed recursively, so
// the number of actions is limited, as for an execution.
func (a *analysis) define(name, text string) *parse.Tree {
	if a.actions += strings.Count(text, "{{"); a.actions > engine.MaxActions {
		a.steps = 0
		return nil
	}
	tree := parse.New(name)
	tree.ParseName = name
	tree.Mode = parse.SkipFuncCheck
	set := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "", "", set); err != nil {
		return nil
	}
	for of, one := range set {
		if of == name || !a.known[text] { // several charts may have the same library
			a.defines[of] = append(a.defines[of], one)
			a.find(one.Root)
		}
	}
	a.known[text] = true
	return tree
}

// addText adds a text that tpl may execute.
func (a *analysis) addText(text string) {
	if !strings.Contains(text, "{{") || len(a.texts) == maxTexts {
		return
	}
	if tree := a.define(TextName, text); tree != nil {
		a.texts = append(a.texts, tree)
	}
}

// maxTexts is the maximum number of texts that tpl may execute. Charts have tens.
const maxTexts = 2000

// run executes the templates of a chart.
func (a *analysis) run(c *Chart, values *Node, path string) value {
	subcharts := map[string]value{}
	for _, sub := range c.Subcharts {
		subcharts[sub.Name] = a.run(sub, values.field(sub.Name), path+"/"+sub.Name)
	}
	of := func(name string, fields map[string]value) value {
		o := a.object(name+" "+path, fields)
		o.item = computed() // such as .Release and .Chart.Version
		return value{objects: []*object{o}}
	}
	scope := of("scope", map[string]value{
		"Values": {refs: []*Node{values}}, "Subcharts": of("subcharts", subcharts),
		"Chart":    of("chart", map[string]value{"Name": constant(c.Name)}),
		"Template": of("template", map[string]value{"BasePath": constant(c.Base)}),
	})
	for _, t := range c.Templates {
		base := t.Name[strings.LastIndexByte(t.Name, '/')+1:]
		if !strings.HasPrefix(base, "_") && !c.IsLibrary {
			for _, tree := range a.defines[t.Name] {
				a.executeLater(tree, scope)
			}
		}
	}
	return scope
}

// result executes a template if it has not been, and returns what it writes.
func (a *analysis) result(tree *parse.Tree, dot value) value {
	e, isNew := a.execution(tree, dot)
	switch {
	case isNew && a.calls < maxCalls:
		now := a.doing
		a.execute(e)
		a.doing = now
	case isNew:
		e.result = computed()
		a.enqueue(e)
	case e.isRunning:
		e.result, _ = e.result.join(computed())
	}
	if a.doing != nil && !e.result.isComputed && !slices.Contains(e.seen, a.doing) {
		a.spend(len(e.seen))
		e.seen = append(e.seen, a.doing)
	}
	return e.result
}

// execution returns the execution of a template with its data.
func (a *analysis) execution(tree *parse.Tree, dot value) (e *execution, isNew bool) {
	a.spend(1 + dot.size())
	key := a.key(dot, name(tree))
	if e = a.done[key]; e == nil {
		e, isNew = &execution{tree: tree, dot: dot, caller: a.now.caller}, true
		if now := &a.now; now.tree != nil && now.caller == (Action{}) {
			e.caller = Action{now.tree.ParseName, now.offset}
		}
		a.done[key] = e
	}
	return e, isNew
}

// executeLater executes a template if it has not been.
func (a *analysis) executeLater(tree *parse.Tree, dot value) {
	if e, isNew := a.execution(tree, dot); isNew {
		e.result = computed() // which nothing looks at
		a.enqueue(e)
	}
}

func (a *analysis) enqueue(list ...*execution) {
	a.spend(len(list))
	for _, e := range list {
		if !e.isQueued {
			e.isQueued = true
			a.queue = append(a.queue, e)
		}
	}
}

func (a *analysis) execute(e *execution) {
	if a.steps <= 0 {
		return
	}
	a.doing, e.isQueued, e.isRunning = e, false, true
	a.calls++
	before := a.now
	a.now = current{caller: e.caller}
	s := &scope{analysis: a, tree: e.tree, variables: []variable{{"$", e.dot}}, output: []string{""}}
	s.list(e.tree.Root, e.dot)
	result := computed()
	if s.output != nil {
		result = value{texts: s.output}
	}
	if joined, isNew := e.result.join(result); isNew {
		e.result = joined
		a.enqueue(e.seen...)
	}
	a.now = before
	a.calls--
	e.isRunning = false
}

// object returns the map that was made with this key, or a new one.
func (a *analysis) object(key string, fields map[string]value) *object {
	o := a.objects[key]
	if o == nil {
		o = &object{fields: maps.Clone(fields)}
		if o.fields == nil {
			o.fields = map[string]value{}
		}
		a.objects[key] = o
		return o
	}
	for _, name := range sortedKeys(fields) {
		a.set(o, name, fields[name])
	}
	return o
}

// look records that the execution looks at a map.
func (a *analysis) look(o *object) {
	if n := len(o.seen); a.doing != nil && (n == 0 || o.seen[n-1] != a.doing && !slices.Contains(o.seen, a.doing)) {
		a.spend(n)
		o.seen = append(o.seen, a.doing)
	}
}

// set adds what a field of a map may be.
func (a *analysis) set(o *object, name string, v value) {
	if joined, isNew := o.fields[name].join(v); isNew {
		o.fields[name] = a.limited(joined)
		a.enqueue(o.seen...)
	}
}

// setItem adds what any item or field of a map may be.
func (a *analysis) setItem(o *object, v value) {
	if joined, isNew := o.item.join(v); isNew {
		o.item = a.limited(joined)
		a.enqueue(o.seen...)
	}
}

// readAll marks everything below a value as read.
func (a *analysis) readAll(v value) { a.readBelow(v, map[*object]bool{}) }

func (a *analysis) readBelow(v value, seen map[*object]bool) {
	a.spend(1 + v.size())
	for _, n := range v.refs {
		n.IsAll = true
		if a.uses != nil {
			a.record(n, Use{IsWithin: true})
		}
	}
	for _, o := range v.objects {
		if seen[o] {
			continue
		}
		seen[o] = true
		a.look(o)
		for _, below := range o.fields {
			a.readBelow(below, seen)
		}
		a.readBelow(o.item, seen)
		a.readBelow(value{refs: o.bases}, seen)
	}
}

// names returns the templates that a value may name: those of its texts or, if it is computed, all of which the name has
// this beginning and end.
func (a *analysis) names(v value) (names []string) {
	if !v.isComputed && v.size() == 0 {
		return v.texts
	}
	a.spend(len(a.defines))
	for name := range a.defines {
		if strings.HasPrefix(name, v.prefix) && strings.HasSuffix(name, v.suffix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
