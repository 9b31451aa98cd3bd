package reads

import (
	"slices"
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
