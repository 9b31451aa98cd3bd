package engine

import (
	"reflect"
	"text/template/parse"
)

// fileSizes are the sizes of the files that .Files has. Of a chart and its subcharts, the largest counts.
type fileSizes struct{ count, all, largest int }

func sizesOf(list map[string]Template) (sizes fileSizes) {
	seen := map[string]bool{}
	for _, t := range list {
		if seen[t.Base] {
			continue
		}
		seen[t.Base] = true
		all, own := 0, t.Scope["Files"].(Files)
		for _, text := range own {
			all += len(text)
			sizes.largest = max(sizes.largest, len(text))
		}
		sizes.count, sizes.all = max(sizes.count, len(own)), max(sizes.all, all)
	}
	return sizes
}

// price is what the methods and comparisons of an action cost. They are not functions of [engine.functions], which
// count themselves.
type price struct {
	steps   int
	strings int // how often an action may read the largest string; one reading counts as much as several
}

// bytesPerStep is how many bytes of a string are read in a step, about.
const bytesPerStep = 1 << 13

// How often methods may read the largest string. That of a time compares it with each part of a layout.
const (
	readByMethod     = 32
	readWithoutInput = 2
)

// Comparisons are functions of text/template. Only eq may have more than two arguments.
var (
	comparisons = setOf("eq", "ne", "lt", "le", "gt", "ge")
	// Methods of .Files and .Capabilities, which only look something up.
	lookups = setOf("Get", "GetBytes", "Glob", "Lines", "AsConfig", "AsSecrets", "Has")
	// Methods of versions, times and durations that write text.
	texts = setOf("String", "GoString", "Original", "MarshalText", "MarshalJSON")
)

// methods returns what the methods and comparisons in a pipeline cost. It makes the pipeline count the results of
// methods.
func (e *engine) methods(n parse.Node) (p price) {
	add := func(other price) { p.steps, p.strings = p.steps+other.steps, p.strings+other.strings }
	switch n := n.(type) {
	case *parse.PipeNode:
		if n == nil {
			return price{}
		}
		var commands []*parse.CommandNode
		for i, c := range n.Cmds {
			add(e.methods(c))
			commands = append(commands, c)
			if names := selected(c.Args[0]); len(names) > 0 && (i > 0 || len(c.Args) > 1) {
				if !lookups[names[len(names)-1]] {
					p.strings += readByMethod
				}
				commands = append(commands, command(c.Pos, resultName))
			}
		}
		n.Cmds = commands
	case *parse.CommandNode:
		if name, ok := n.Args[0].(*parse.IdentifierNode); ok && comparisons[name.Ident] {
			p.strings += len(n.Args)
		}
		for _, arg := range n.Args {
			add(e.methods(arg))
		}
	case *parse.FieldNode, *parse.VariableNode:
		return e.sizes.cost(selected(n))
	case *parse.ChainNode:
		add(e.methods(n.Node))
		add(e.sizes.cost(n.Field))
	}
	return p
}

// selected returns the names of the fields or methods that a node selects.
func selected(n parse.Node) []string {
	switch n := n.(type) {
	case *parse.FieldNode:
		return n.Ident
	case *parse.VariableNode:
		return n.Ident[1:]
	case *parse.ChainNode:
		return n.Field
	}
	return nil
}

// result counts what a method returned.
func (e *engine) result(value any) (any, error) {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.String:
		return value, e.budget.text(v.Len())
	case reflect.Slice:
		return value, e.budget.text(v.Len() * int(v.Type().Elem().Size()))
	}
	return value, nil
}

func (s fileSizes) cost(names []string) (p price) {
	for _, name := range names {
		switch {
		case name == "AsConfig", name == "AsSecrets":
			p.steps += s.all / 32
		case name == "Lines":
			p.steps += s.largest / 64
		case name == "Get", name == "GetBytes":
			p.steps += s.largest / 1024
		case name == "Glob":
			p.steps += s.count
		case texts[name]:
			p.strings += readWithoutInput
		}
	}
	return p
}
