package reads

import (
	"slices"
	"strings"
	"text/template/parse"
)

// scope is the execution of one template.
type scope struct {
	*analysis
	tree      *parse.Tree
	variables []*variable // the innermost last
	// isAssigned means that a variable got another value since it was reset.
	isAssigned bool
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
	case *parse.ActionNode:
		if v := s.pipe(n.Pipe, dot); len(n.Pipe.Decl) == 0 {
			s.useOne("", v)
			s.readAll(v)
		}
	case *parse.TemplateNode:
		var v value
		if n.Pipe != nil {
			v = s.pipe(n.Pipe, dot)
		}
		s.call(n.Name, v)
	case *parse.IfNode:
		s.block(func() {
			s.now.isExhaustive = s.chain(n)
			v := s.pipe(n.Pipe, dot)
			s.now.isExhaustive = false
			s.useOne("if", v)
			v.test()
			s.branches(&n.BranchNode, dot, dot)
		})
	case *parse.WithNode:
		s.block(func() {
			v := s.pipe(n.Pipe, dot)
			s.useOne("with", v)
			v.test()
			s.branches(&n.BranchNode, v, dot)
		})
	case *parse.RangeNode:
		s.ranged(n, dot)
	}
}

// block executes something and forgets the variables that it declares.
func (s *scope) block(execute func()) {
	before := len(s.variables)
	execute()
	s.variables = s.variables[:before]
}

func (s *scope) branches(b *parse.BranchNode, dot, otherwise value) {
	s.block(func() { s.list(b.List, dot) })
	s.block(func() { s.list(b.ElseList, otherwise) })
}

// ranged executes a loop until no variable changes any more.
func (s *scope) ranged(n *parse.RangeNode, dot value) {
	before := s.isAssigned
	for range maxRounds {
		s.isAssigned = false
		s.block(func() {
			v := s.operands(n.Pipe, dot)
			s.useOne("range", v)
			v.keys()
			v.test()
			items := s.items(v)
			switch decl := n.Pipe.Decl; len(decl) {
			case 1:
				s.bind(n.Pipe, decl[0].Ident[0], items)
			case 2:
				s.bind(n.Pipe, decl[0].Ident[0], computed())
				s.bind(n.Pipe, decl[1].Ident[0], items)
			}
			s.branches(&n.BranchNode, items, dot)
		})
		if !s.isAssigned {
			break
		}
		before = true
	}
	s.isAssigned = before
}

// bind declares or assigns a variable.
func (s *scope) bind(p *parse.PipeNode, name string, v value) {
	if !p.IsAssign {
		s.variables = append(s.variables, &variable{name, v})
		return
	}
	if x := s.variable(name); x != nil {
		if joined, isNew := x.join(v); isNew {
			x.value, s.isAssigned = s.limited(joined), true
		}
	}
}

func (s *scope) variable(name string) *variable {
	for i := len(s.variables) - 1; i >= 0; i-- {
		s.spend(1)
		if s.variables[i].name == name {
			return s.variables[i]
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
	}
	return value{}
}

func (s *scope) fields(v value, names []string) value {
	for _, name := range names {
		v = s.field(v, name)
	}
	return v
}

// function evaluates a call of a function.
func (s *scope) function(name string, c *parse.CommandNode, args []value) value {
	return s.limited(s.result(name, c, args))
}

// result returns what a function returns.
func (s *scope) result(name string, c *parse.CommandNode, args []value) value {
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
			v.test()
		}
		if name == "required" && len(args) > 0 {
			s.readAll(args[0])
			return last()
		}
		return joinAll(args)
	case "not", "empty", "kindIs", "kindOf", "typeIs", "typeOf", "typeIsLike":
		for _, v := range args {
			v.test()
		}
		return computed()
	case "len", "keys":
		for _, v := range args {
			v.keys()
			v.test()
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
		return s.made(c, nil, joinAll(args))
	case "set":
		return s.setField(args)
	case "include":
		if len(args) > 1 {
			for _, name := range s.names(args[0]) {
				s.call(name, args[1])
			}
		}
		return computed()
	case "tpl":
		if len(args) > 1 {
			s.readAll(args[0])
			for _, tree := range s.texts {
				s.execute(tree, args[1])
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
	var key strings.Builder
	key.WriteString(keyOf(c) + item.key())
	for _, name := range sortedKeys(of) {
		key.WriteString(name + "=" + of[name].key() + ";")
	}
	if o := s.objects[key.String()]; o != nil {
		s.object(key.String(), of)
		s.setItem(o, item)
		return value{objects: []*object{o}}
	}
	o := s.object(key.String(), of)
	o.item = item
	return value{objects: []*object{o}}
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
		return joinAll(append([]value{s.made(c, nil, all)}, args[:min(1, len(args))]...))
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
		v.test()
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
			s.spend(len(other.fields))
			for _, name := range sortedKeys(other.fields) {
				s.set(o, name, other.fields[name])
			}
			s.setItem(o, other.item)
		}
		for _, n := range v.nodes() {
			if !slices.Contains(o.bases, n) {
				o.bases, s.isChanged = append(o.bases, n), true
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
	isKnown := func(v value) bool { return !v.isComputed && len(v.refs)+len(v.objects) == 0 && len(v.texts) == 1 }
	begin, end := "", ""
	for i, v := range parts {
		if !isKnown(v) {
			for j := len(parts) - 1; j > i && isKnown(parts[j]); j-- {
				end = parts[j].texts[0] + end
			}
			return value{isComputed: true, prefix: begin, suffix: end}
		}
		begin += v.texts[0]
	}
	return constant(begin)
}
