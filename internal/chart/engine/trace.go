package engine

import (
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/kindvet/kindvet/internal/source"
)

// node is a recorded node of a template.
type node struct {
	file *File // nil if the text is a value
	kind nodeKind
	span source.Span // of the literal text, or of the action with its braces
	// hasVariable reports whether the action uses a variable. nesting is the number of blocks around the node.
	hasVariable bool
	nesting     int
	price       price // of the node, apart from its calls of functions
}

type nodeKind uint8

const (
	literal nodeKind = iota
	action
	call  // {{template}}
	block // {{if}}, {{with}} and {{range}}
)

// output is what one template writes, with the nodes that wrote it.
type output struct {
	engine *engine
	buffer strings.Builder
	text   string // set at the end
	marks  []mark
	inner  []*output // of include and tpl
	owner  *output   // nil for the file itself
	// ended is the number of outputs of the file that ended earlier. earlier are all of them, and set for the file
	// itself.
	ended   int
	earlier []*output
}

// root returns the output of the file.
func (o *output) root() *output {
	for o.owner != nil {
		o = o.owner
	}
	return o
}

// mark is a node that wrote the bytes from an offset on. The outputs inner[first:last] belong to it.
type mark struct {
	at, node    int
	first, last int
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	if err := o.engine.budget.text(len(p)); err != nil {
		return 0, err
	}
	if o.buffer.Len()+len(p) > maxString {
		return 0, errBytes
	}
	return o.buffer.Write(p)
}

// instrument inserts the recording actions into the templates that have none.
func (e *engine) instrument(t *template.Template) error {
	for _, one := range t.Templates() {
		if one.Tree == nil || one.Tree.Root == nil || e.done[one.Tree] {
			continue
		}
		e.done[one.Tree] = true
		if err := e.list(one.Tree.Root, e.files[one.Tree.ParseName], 0); err != nil {
			return err
		}
	}
	return nil
}

// list inserts a recording action before each node of a list, and at least one.
func (e *engine) list(l *parse.ListNode, file *File, nesting int) error {
	if l == nil {
		return nil
	}
	if nesting > maxNested && file == nil {
		return errStack
	}
	if nesting > maxNested {
		f, _ := asLimit(errStack, file.Source.Place(source.Span{}))
		return f
	}
	nodes := make([]parse.Node, 0, 2*len(l.Nodes)+1)
	if len(l.Nodes) == 0 {
		nodes = append(nodes, e.recording(node{file: file, kind: block, nesting: nesting}))
	}
	for _, n := range l.Nodes {
		recorded := node{file: file, nesting: nesting}
		var inner [2]*parse.ListNode
		switch n := n.(type) {
		case *parse.TextNode:
			recorded.span = source.Span{Start: int(n.Pos), End: int(n.Pos) + len(n.Text)}
		case *parse.ActionNode:
			recorded.kind, recorded.hasVariable, recorded.price = action, hasVariable(n.Pipe), e.methods(n.Pipe)
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, command(n.Pos, printName))
			}
		case *parse.TemplateNode:
			recorded.kind, recorded.price = call, e.methods(n.Pipe)
		case *parse.IfNode:
			recorded.kind, recorded.price, inner = block, e.methods(n.Pipe), [2]*parse.ListNode{n.List, n.ElseList}
		case *parse.RangeNode:
			recorded.kind, recorded.price, inner = block, e.methods(n.Pipe), [2]*parse.ListNode{n.List, n.ElseList}
		case *parse.WithNode:
			recorded.kind, recorded.price, inner = block, e.methods(n.Pipe), [2]*parse.ListNode{n.List, n.ElseList}
		default: // {{break}} and {{continue}}
			recorded.kind = block
		}
		if recorded.kind != literal && file != nil {
			recorded.span = Braces(file.Source.Text, int(n.Position()))
		}
		nodes = append(nodes, e.recording(recorded), n)
		if recorded.kind == call {
			nodes = append(nodes, insertedAction(n.Position(), leaveName))
		}
		for _, l := range inner {
			if err := e.list(l, file, nesting+1); err != nil {
				return err
			}
		}
	}
	l.Nodes = nodes
	return nil
}

// recording returns an action that records a node.
func (e *engine) recording(n node) parse.Node {
	number := len(e.nodes)
	e.nodes = append(e.nodes, n)
	text := strconv.Itoa(number)
	argument := &parse.NumberNode{
		NodeType: parse.NodeNumber, Pos: parse.Pos(n.span.Start), IsInt: true, Int64: int64(number), Text: text,
	}
	return insertedAction(parse.Pos(n.span.Start), recordName, argument)
}

func insertedAction(at parse.Pos, name string, args ...parse.Node) parse.Node {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: at, Line: 1, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: at, Line: 1, Cmds: []*parse.CommandNode{command(at, name, args...)},
	}}
}

func command(at parse.Pos, name string, args ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{
		NodeType: parse.NodeCommand, Pos: at, Args: append([]parse.Node{parse.NewIdentifier(name).SetPos(at)}, args...),
	}
}

func hasVariable(n parse.Node) bool {
	switch n := n.(type) {
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			if hasVariable(c) {
				return true
			}
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			if hasVariable(arg) {
				return true
			}
		}
	case *parse.VariableNode:
		return n.Ident[0] != "$"
	}
	return false
}

// Braces returns the span of the action around an offset, with its braces.
func Braces(text string, at int) source.Span {
	start := strings.LastIndex(text[:at], "{{")
	if start < 0 {
		start = at
	}
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '"', '\'', '`':
			i = endOfQuote(text, i)
		case '}':
			if strings.HasPrefix(text[i:], "}}") {
				return source.Span{Start: start, End: i + 2}
			}
		}
	}
	return source.Span{Start: start, End: len(text)}
}

// endOfQuote returns the offset of the quote that ends a string or character.
func endOfQuote(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch {
		case text[i] == text[start]:
			return i
		case text[i] == '\\' && text[start] != '`':
			i++
		}
	}
	return len(text)
}

// record notes that a node writes next. It writes nothing.
func (e *engine) record(number int) (string, error) {
	if err := e.budget.step(); err != nil {
		return "", err
	}
	of := e.nodes[number].price
	if err := e.budget.work(of.steps + of.strings*(e.budget.longest/bytesPerStep)); err != nil {
		return "", err
	}
	out := e.top()
	at, inner := out.buffer.Len(), len(out.inner)
	if last := len(out.marks) - 1; last >= 0 {
		out.marks[last].last = inner
		if out.marks[last].at == at { // the node wrote nothing
			out.marks = out.marks[:last]
		}
	}
	out.marks = append(out.marks, mark{at: at, node: number, first: inner})
	if e.nodes[number].kind == call {
		return "", e.push(number)
	}
	return "", nil
}

// push notes that a node calls a template.
func (e *engine) push(number int) error {
	e.calls = append(e.calls, number)
	if e.stack += 1 + e.nodes[number].nesting; e.stack > maxStack {
		return errStack
	}
	return nil
}

// leave notes that the last called template has returned. It writes nothing.
func (e *engine) leave() (string, error) {
	last := len(e.calls) - 1
	e.stack -= 1 + e.nodes[e.calls[last]].nesting
	e.calls = e.calls[:last]
	return "", nil
}

// enter starts the output of an include or tpl.
func (e *engine) enter(out *output) error {
	marks := out.owner.marks
	e.open = append(e.open, out)
	return e.push(marks[len(marks)-1].node)
}

// end ends the output of an include or tpl.
func (e *engine) end(out *output) {
	out.text = out.buffer.String()
	root := e.open[0]
	out.ended = len(root.earlier)
	root.earlier = append(root.earlier, out)
	out.owner.inner = append(out.owner.inner, out)
}

// printed returns a value that is about to be written, after its size has been counted.
func (e *engine) printed(value any) (any, error) {
	if _, ok := value.(string); ok {
		return value, nil
	}
	e.budget.size(reflectValue(value), 0, false)
	return value, nil
}
