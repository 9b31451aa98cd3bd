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
	// Texts are those of other files and in values that may be templates, which 'tpl' executes.
	Texts     []string
	Subcharts []*Chart
}

// Template is a file below templates/, with its name in Helm, such as shop/templates/deployment.yaml.
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
		below = &Node{}
		n.Fields[name] = below
	}
	return below
}

func (n *Node) item() *Node {
	if n.Any == nil {
		n.Any = &Node{}
	}
	return n.Any
}

// Limits of an analysis. Beyond one, all values are read. The chart kube-prometheus-stack takes 286,000 steps.
const (
	maxSteps   = 4_000_000 // a place of a value that is looked at is one
	maxRounds  = 8         // until no map changes any more
	maxCalls   = 200       // nested
	mostPlaces = 200       // of a value
)

// Of returns which values the templates of a chart and its subcharts read. isKnown is false if a limit was reached: then all
// count as read.
func Of(c *Chart) (read *Node, isKnown bool) { return newAnalysis().of(c) }

func newAnalysis() *analysis {
	return &analysis{root: &Node{}, steps: maxSteps, objects: map[string]*object{}, defines: map[string][]*parse.Tree{}}
}

func (a *analysis) of(c *Chart) (read *Node, isKnown bool) {
	a.parse(c)
	for round := 0; ; round++ {
		a.done, a.isChanged = map[string]bool{}, false
		if a.steps > 0 {
			a.run(c, a.root, "")
		}
		if a.steps <= 0 || a.isChanged && round == maxRounds {
			a.root.IsAll = true
			return a.root, false
		}
		if !a.isChanged || a.root.IsAll {
			return a.root, true
		}
	}
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
	// done holds what has been executed in this round, with what data.
	done    map[string]bool
	calls   int
	steps   int
	actions int // that have been parsed
	// isChanged means that a map got a field in this round.
	isChanged bool
	isMissing bool  // a template is included that is not defined
	uses      *uses // nil if they are not recorded
	now       current
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
	for name, one := range set {
		a.defines[name] = append(a.defines[name], one)
	}
	a.addTextsIn(tree.Root)
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

// addTextsIn adds the texts in a template that tpl may execute.
func (a *analysis) addTextsIn(n parse.Node) {
	for _, text := range stringsIn(nil, n) {
		a.addText(text)
	}
}

// run executes the templates of a chart.
func (a *analysis) run(c *Chart, values *Node, path string) value {
	subcharts := map[string]value{}
	for _, sub := range c.Subcharts {
		subcharts[sub.Name] = a.run(sub, values.field(sub.Name), path+"/"+sub.Name)
	}
	of := func(name string, fields map[string]value) value {
		return value{objects: []*object{a.object(name+" "+path, fields)}}
	}
	scope := of("scope", map[string]value{
		"Values": {refs: []*Node{values}}, "Subcharts": of("subcharts", subcharts),
		"Chart":    of("chart", map[string]value{"Name": constant(c.Name)}),
		"Template": of("template", map[string]value{"BasePath": constant(c.Base)}),
	})
	for _, t := range c.Templates {
		base := t.Name[strings.LastIndexByte(t.Name, '/')+1:]
		if !strings.HasPrefix(base, "_") && !c.IsLibrary {
			a.call(t.Name, scope)
		}
	}
	return scope
}

// call executes a template, and returns what it writes: nothing that can be followed.
func (a *analysis) call(name string, dot value) {
	if len(a.defines[name]) == 0 {
		a.isMissing = true
	}
	for _, tree := range a.defines[name] {
		a.execute(tree, dot)
	}
}

func (a *analysis) execute(tree *parse.Tree, dot value) {
	a.spend(1 + dot.size())
	key := keyOf(tree) + dot.key()
	if a.done[key] || tree.Root == nil {
		return
	}
	if a.calls++; a.calls > maxCalls {
		a.steps = 0
	}
	a.done[key] = true
	before := a.now
	if before.tree != nil && a.now.caller == (Action{}) {
		a.now.caller = Action{before.tree.ParseName, before.offset}
	}
	s := &scope{analysis: a, tree: tree, variables: []*variable{{"$", dot}}}
	s.list(tree.Root, dot)
	a.calls--
	a.now = before
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
	for name, v := range fields {
		a.set(o, name, v)
	}
	return o
}

// set adds what a field of a map may be.
func (a *analysis) set(o *object, name string, v value) {
	if joined, isNew := o.fields[name].join(v); isNew {
		o.fields[name], a.isChanged = a.limited(joined), true
	}
}

// setItem adds what any item or field of a map may be.
func (a *analysis) setItem(o *object, v value) {
	if joined, isNew := o.item.join(v); isNew {
		o.item, a.isChanged = a.limited(joined), true
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
	if !v.isComputed {
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
