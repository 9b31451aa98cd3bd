package reads

import (
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
)

// scope is the execution of one template.
type scope struct {
	*analysis
	tree      *parse.Tree
	variables []variable // the innermost last
	// escapes are the values of variables where a loop ends early.
	escapes [][]value
	// output are the texts that have been written; nil if they are not known.
	output []string
}

type variable struct {
	name string
	value
}

func (s *scope) list(n *parse.ListNode, dot value) {
	if n == nil {
		return
	}
	for _, x := range n.Nodes {
		s.node(x, dot)
	}
}

func (s *scope) node(n parse.Node, dot value) {
	if s.steps--; s.steps <= 0 {
		return
	}
	s.executing(s.tree, n)
	switch n := n.(type) {
	case *parse.TextNode:
		s.write(constant(string(n.Text)))
	case *parse.ActionNode:
		if v := s.pipe(n.Pipe, dot); len(n.Pipe.Decl) == 0 {
			s.useOne("", v)
			s.readAll(v)
			s.write(v)
		}
	case *parse.TemplateNode:
		var v value
		if n.Pipe != nil {
			v = s.pipe(n.Pipe, dot)
		}
		s.write(s.included(constant(n.Name), v))
	case *parse.IfNode:
		s.block(func() {
			s.now.isExhaustive = s.chain(n)
			v := s.pipe(n.Pipe, dot)
			s.now.isExhaustive = false
			s.useOne("if", v)
			s.test(v)
			s.branches(&n.BranchNode, v, dot, dot)
		})
	case *parse.WithNode:
		s.block(func() {
			v := s.pipe(n.Pipe, dot)
			s.useOne("with", v)
			s.test(v)
			s.branches(&n.BranchNode, v, v, dot)
		})
	case *parse.RangeNode:
		s.block(func() { s.ranged(n, dot) })
	case *parse.BreakNode, *parse.ContinueNode:
		s.escapes, s.output = append(s.escapes, s.state()), nil
	}
}

// write adds a text to the output.
func (s *scope) write(v value) {
	texts, ok := v.constants()
	if s.output == nil {
		return
	}
	if !ok || len(s.output)*len(texts) > mostTexts {
		s.output = nil
		return
	}
	var all []string
	for _, before := range s.output {
		for _, text := range texts {
			if len(before)+len(text) > longestOutput {
				s.output = nil
				return
			}
			all = append(all, before+text)
		}
	}
	s.output = all
}

// longestOutput is the maximum length of an output that is followed: it may be a name or a key.
const longestOutput = 200

// joinOutput adds what may have been written instead.
func (s *scope) joinOutput(texts []string) {
	if s.output == nil || texts == nil {
		s.output = nil
		return
	}
	s.output = slices.Clip(s.output)
	for _, text := range texts {
		if !slices.Contains(s.output, text) {
			s.output = append(s.output, text)
		}
	}
	if len(s.output) > mostTexts {
		s.output = nil
	}
}

// block executes something and forgets the variables that it declares.
func (s *scope) block(execute func()) {
	before := len(s.variables)
	execute()
	s.variables = s.variables[:before]
}

// branches executes both branches, the first with dot, unless the condition is never true.
func (s *scope) branches(b *parse.BranchNode, condition, dot, otherwise value) {
	if condition.isAbsent {
		s.block(func() { s.list(b.ElseList, otherwise) })
		return
	}
	before, written := s.state(), s.output
	s.block(func() { s.list(b.List, dot) })
	after, output := s.state(), s.output
	s.restore(before)
	s.output = written
	s.block(func() { s.list(b.ElseList, otherwise) })
	s.join(after)
	s.joinOutput(output)
}

// state returns the values of all variables.
func (s *scope) state() []value {
	s.spend(len(s.variables))
	values := make([]value, len(s.variables))
	for i := range values {
		values[i] = s.variables[i].value
	}
	return values
}

func (s *scope) restore(values []value) {
	for i := range values {
		s.variables[i].value = values[i]
	}
}

// join adds what the variables may be instead. It returns those that may be more.
func (s *scope) join(values []value) (changed []int) {
	s.spend(len(values))
	for i := range min(len(values), len(s.variables)) {
		if joined, isNew := s.variables[i].join(values[i]); isNew {
			s.variables[i].value = s.limited(joined)
			changed = append(changed, i)
		}
	}
	return changed
}

// ranged executes a loop: once for each item if these are known, otherwise until no variable changes any more.
func (s *scope) ranged(n *parse.RangeNode, dot value) {
	v := s.operands(n.Pipe, dot)
	s.useOne("range", v)
	s.keysOf(v)
	s.test(v)
	before, escapes, output := s.state(), s.escapes, s.output
	s.escapes = nil
	var after [][]value
	var outputs [][]string
	end := func() {
		after, outputs = append(after, s.state()), append(outputs, s.output)
		s.restore(before)
		s.output = output
	}
	lists, isKnown := s.lists(v)
	for _, items := range lists {
		for _, item := range items {
			s.round(n, item)
		}
		if len(items) > 0 {
			end()
		}
	}
	if !isKnown && !v.isAbsent {
		s.rounds(n, s.items(v))
		end()
	}
	if !isKnown || slices.ContainsFunc(lists, func(items []value) bool { return len(items) == 0 }) {
		s.block(func() { s.list(n.ElseList, dot) })
		end()
	}
	s.restore(after[0])
	s.output = outputs[0]
	for i := range after[1:] {
		s.join(after[i+1])
		s.joinOutput(outputs[i+1])
	}
	for _, one := range s.escapes {
		s.join(one)
	}
	s.escapes = escapes
}

// rounds executes a loop until no variable changes any more. If that takes too many rounds, all that these may be is read.
func (s *scope) rounds(n *parse.RangeNode, items value) {
	for round := 0; ; round++ {
		before, output := s.state(), s.output
		s.round(n, items)
		after := s.state()
		if !slices.Equal(s.output, output) {
			s.output = nil
		}
		s.restore(before)
		changed := s.join(after)
		if len(changed) == 0 || s.steps <= 0 {
			return
		}
		if round == maxRounds {
			for _, i := range changed {
				s.readAll(s.variables[i].value)
			}
			return
		}
	}
}

// round executes a loop for an item.
func (s *scope) round(n *parse.RangeNode, item value) {
	s.block(func() {
		switch decl := n.Pipe.Decl; len(decl) {
		case 1:
			s.bind(n.Pipe, decl[0].Ident[0], item)
		case 2:
			s.bind(n.Pipe, decl[0].Ident[0], computed())
			s.bind(n.Pipe, decl[1].Ident[0], item)
		}
		s.list(n.List, item)
	})
}

// bind declares or assigns a variable.
func (s *scope) bind(p *parse.PipeNode, name string, v value) {
	if !p.IsAssign {
		s.variables = append(s.variables, variable{name, v})
	} else if x := s.variable(name); x != nil {
		x.value = v
	}
}

func (s *scope) variable(name string) *variable {
	for i := len(s.variables) - 1; i >= 0; i-- {
		s.spend(1)
		if s.variables[i].name == name {
			return &s.variables[i]
		}
	}
	return nil
}

// pipe evaluates a pipeline and sets its variable.
func (s *scope) pipe(p *parse.PipeNode, dot value) value {
	v := s.operands(p, dot)
	for _, decl := range p.Decl {
		s.bind(p, decl.Ident[0], v)
	}
	return v
}

// operands evaluates the commands of a pipeline, each with the result of the one before as its last argument.
func (s *scope) operands(p *parse.PipeNode, dot value) (v value) {
	for i, c := range p.Cmds {
		var before []value
		if i > 0 {
			before = []value{v}
		}
		v = s.command(c, dot, before)
	}
	return v
}

// command evaluates a command with further arguments.
func (s *scope) command(c *parse.CommandNode, dot value, more []value) value {
	if s.steps--; s.steps <= 0 {
		return value{}
	}
	if name, ok := c.Args[0].(*parse.IdentifierNode); ok {
		var args []value
		for _, arg := range c.Args[1:] {
			args = append(args, s.operand(arg, dot))
		}
		return s.function(name.Ident, c, append(args, more...))
	}
	v := s.operand(c.Args[0], dot)
	if len(c.Args) == 1 && len(more) == 0 {
		return v
	}
	for _, arg := range c.Args[1:] { // the arguments of a method
		s.readAll(s.operand(arg, dot))
	}
	s.readAll(joinAll(more))
	return computed()
}

// operand evaluates an argument.
func (s *scope) operand(n parse.Node, dot value) value {
	if s.steps--; s.steps <= 0 {
		return value{}
	}
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return s.fields(dot, n.Ident)
	case *parse.VariableNode:
		if x := s.variable(n.Ident[0]); x != nil {
			return s.fields(x.value, n.Ident[1:])
		}
	case *parse.ChainNode:
		return s.fields(s.operand(n.Node, dot), n.Field)
	case *parse.PipeNode:
		return s.pipe(n, dot)
	case *parse.IdentifierNode:
		return s.function(n.Ident, nil, nil)
	case *parse.StringNode:
		return constant(n.Text)
	case *parse.NumberNode:
		return constant(n.Text)
	case *parse.NilNode:
		return value{isAbsent: true}
	}
	return computed()
}

func (s *scope) fields(v value, names []string) value {
	for _, name := range names {
		v = s.field(v, name)
	}
	return v
}

// function evaluates a call of a function.
func (s *scope) function(name string, c *parse.CommandNode, args []value) value {
	return s.limited(s.called(name, c, args))
}

// called returns what a function returns.
func (s *scope) called(name string, c *parse.CommandNode, args []value) value {
	if s.uses != nil {
		s.useAll(name, args)
	}
	name = strings.TrimPrefix(name, "must")
	if name != "" {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	last := func() value {
		if len(args) == 0 {
			return value{}
		}
		return args[len(args)-1]
	}
	switch name {
	case "default", "coalesce", "ternary", "required", "and", "or":
		for _, v := range args {
			s.test(v)
		}
		if name == "ternary" && len(args) == 3 {
			return joinAll(args[:2])
		}
		if name == "required" && len(args) > 0 {
			s.readAll(args[0])
			return last()
		}
		return joinAll(args)
	case "not", "empty", "kindIs", "kindOf", "typeIs", "typeOf", "typeIsLike":
		for _, v := range args {
			s.test(v)
		}
		return computed()
	case "len", "keys":
		for _, v := range args {
			s.keysOf(v)
			s.test(v)
		}
		return computed()
	case "hasKey":
		if len(args) == 2 {
			s.at(args[0], args[1])
		}
		return computed()
	case "index", "get":
		if len(args) == 0 {
			return value{}
		}
		v := args[0]
		for _, key := range args[1:] {
			s.readAll(value{refs: key.refs})
			v = s.at(v, key)
		}
		return v
	case "dig": // keys, the default, the map
		if len(args) < 3 {
			return value{}
		}
		v := last()
		for _, key := range args[:len(args)-2] {
			s.readAll(value{refs: key.refs})
			v = s.at(v, key)
		}
		return joinAll([]value{v, args[len(args)-2]})
	case "pluck":
		if len(args) == 0 {
			return value{}
		}
		found := value{}
		for _, v := range args[1:] {
			found, _ = found.join(s.at(v, args[0]))
		}
		return s.made(c, nil, found)
	case "pick":
		return s.picked(c, args)
	case "deepCopy", "merge", "mergeOverwrite", "omit", "unset", "concat", "append", "prepend", "push", "initial", "rest",
		"reverse", "uniq", "compact", "slice", "without", "sortAlpha", "chunk":
		return s.combined(name, c, args)
	case "first", "last":
		return s.items(last())
	case "dict":
		return s.dict(c, args)
	case "list", "tuple":
		return s.listed(c, args)
	case "split", "splitList":
		return s.split(name, c, args)
	case "set":
		return s.setField(args)
	case "include":
		if len(args) > 1 {
			return s.included(args[0], args[1])
		}
		return computed()
	case "tpl":
		if len(args) > 1 {
			s.readAll(args[0])
			for _, tree := range s.texts {
				s.executeLater(tree, args[1])
			}
		}
		return computed()
	case "printf", "print":
		return s.printed(name, args)
	}
	for _, v := range args {
		s.readAll(v)
	}
	return computed()
}

// made returns a map or list that a call makes. The same call makes the same one of the same arguments.
func (s *scope) made(c *parse.CommandNode, of map[string]value, item value) value {
	s.spend(len(of))
	key := s.key(item, name(c))
	for _, name := range sortedKeys(of) {
		key = s.key(of[name], key+name+"=")
	}
	o := s.object(key, of)
	s.setItem(o, item)
	return value{objects: []*object{o}}
}

// listed evaluates list.
func (s *scope) listed(c *parse.CommandNode, args []value) value {
	made := s.made(c, nil, joinAll(args))
	s.setList(made.objects[0], append([]value{}, args...))
	return made
}

// split evaluates split and splitList, of constants.
func (s *scope) split(name string, c *parse.CommandNode, args []value) value {
	all := joinAll(args)
	s.readAll(all)
	if len(args) != 2 {
		return computed()
	}
	separators, isKnown := args[0].constants()
	texts, ok := args[1].constants()
	if !ok || !isKnown || len(separators) != 1 {
		return computed()
	}
	var lists value
	for _, text := range texts {
		var items []value
		fields := map[string]value{}
		for i, part := range strings.Split(text, separators[0]) {
			items = append(items, constant(part))
			if name == "split" {
				fields["_"+strconv.Itoa(i)] = constant(part)
			}
		}
		item := joinAll(items)
		if name == "split" {
			item = value{}
		}
		made := s.made(c, fields, item)
		s.setList(made.objects[0], items)
		lists, _ = lists.join(made)
	}
	return lists
}

// included evaluates include and template.
func (s *scope) included(name, dot value) (result value) {
	for _, one := range s.names(name) {
		if len(s.defines[one]) == 0 {
			s.isMissing = true
		}
		for _, tree := range s.defines[one] {
			result, _ = result.join(s.result(tree, dot))
		}
	}
	if result.isNothing() {
		return computed()
	}
	return result
}

func (s *scope) dict(c *parse.CommandNode, args []value) value {
	of, item := map[string]value{}, value{}
	for i := 0; i+1 < len(args); i += 2 {
		names, ok := args[i].constants()
		if !ok {
			s.readAll(args[i])
			item, _ = item.join(args[i+1])
		}
		for _, name := range names {
			of[name], _ = of[name].join(args[i+1])
		}
	}
	return s.made(c, of, item)
}

// setField evaluates set: a map of values, or one that a template made, gets a field.
func (s *scope) setField(args []value) value {
	if len(args) != 3 {
		return value{}
	}
	m, key, v := args[0], args[1], args[2]
	names, ok := key.constants()
	for _, o := range m.objects {
		if !ok {
			s.readAll(key)
			s.setItem(o, v)
		}
		for _, name := range names {
			s.set(o, name, v)
		}
	}
	if len(m.refs) > 0 { // what is set is somewhere in the values, where it is not followed
		s.readAll(v)
		s.readAll(key)
	}
	return m
}

// picked evaluates pick: only the named fields are read.
func (s *scope) picked(c *parse.CommandNode, args []value) value {
	if len(args) == 0 {
		return value{}
	}
	of := map[string]value{}
	for _, key := range args[1:] {
		names, ok := key.constants()
		if !ok {
			s.readAll(joinAll(args))
			return args[0]
		}
		for _, name := range names {
			of[name] = s.field(args[0], name)
		}
	}
	return s.made(c, of, value{})
}

// combined evaluates the functions whose result has fields or items of their arguments. merge and unset change their first
// argument, which is the result.
func (s *scope) combined(name string, c *parse.CommandNode, args []value) value {
	switch name {
	case "omit", "unset", "slice", "deepCopy", "without", "chunk":
		if len(args) == 0 {
			return value{}
		}
		first := args[0]
		if name == "chunk" || name == "slice" {
			first = joinAll(args)
		}
		if len(args) > 1 {
			for _, v := range args[1:] {
				s.readAll(value{refs: v.refs})
			}
		}
		return first
	case "append", "prepend", "push":
		all := value{}
		if len(args) > 0 {
			all = s.items(args[0])
		}
		for _, v := range args[min(1, len(args)):] {
			all, _ = all.join(v)
		}
		made := s.made(c, nil, all)
		if lists, ok := s.lists(joinAll(args[:min(1, len(args))])); ok && len(lists) == 1 && name == "append" && len(args) == 2 {
			s.setList(made.objects[0], append(slices.Clip(lists[0]), args[1]))
		} else {
			s.setList(made.objects[0], nil)
		}
		if len(args) > 0 {
			made, _ = made.join(value{refs: args[0].refs}) // its keys are read as it is
		}
		return made
	case "merge", "mergeOverwrite":
		all := joinAll(args)
		if len(args) > 0 {
			for _, o := range args[0].objects {
				s.mergeInto(o, args[1:])
			}
			if len(args[0].refs) > 0 { // the values themselves are changed: what is merged is read where they are
				for _, v := range args[1:] {
					s.readAll(value{objects: v.objects})
				}
			}
		}
		return all
	}
	for _, v := range args {
		s.test(v)
	}
	return joinAll(args)
}

// mergeInto adds the fields of maps to one that a template made.
func (s *scope) mergeInto(o *object, from []value) {
	for _, v := range from {
		for _, other := range v.objects {
			if other == o {
				continue
			}
			s.look(other)
			s.spend(len(other.fields))
			for _, name := range sortedKeys(other.fields) {
				s.set(o, name, other.fields[name])
			}
			s.setItem(o, other.item)
		}
		for _, n := range s.nodes(v) {
			if !slices.Contains(o.bases, n) {
				o.bases = append(o.bases, n)
				s.enqueue(o.seen...)
				if s.spend(len(o.bases)); len(o.bases) > mostPlaces {
					s.steps = 0
				}
			}
		}
	}
}

// printed evaluates print and printf: a constant, or a text with a known beginning and end.
func (s *scope) printed(name string, args []value) value {
	for _, v := range args {
		s.readAll(v)
	}
	var parts []value
	if name == "print" {
		parts = args
	} else if len(args) > 0 && len(args[0].texts) == 1 {
		left := args[1:]
		for i, text := range strings.Split(args[0].texts[0], "%s") {
			if strings.Contains(text, "%") {
				return computed()
			}
			if i > 0 {
				if len(left) == 0 {
					return computed()
				}
				parts, left = append(parts, left[0]), left[1:]
			}
			parts = append(parts, constant(text))
		}
	}
	begin, end := []string{""}, ""
	for i, v := range parts {
		texts, ok := v.constants()
		if !ok || len(begin)*len(texts) > mostTexts {
			for j := len(parts) - 1; j > i; j-- {
				texts, ok := parts[j].constants()
				if !ok || len(texts) > 1 {
					break
				}
				end = texts[0] + end
			}
			if len(begin) > 1 {
				begin[0] = ""
			}
			return value{isComputed: true, prefix: begin[0], suffix: end}
		}
		var all []string
		for _, before := range begin {
			for _, text := range texts {
				all = append(all, before+text)
			}
		}
		begin = all
	}
	return value{texts: begin}
}
