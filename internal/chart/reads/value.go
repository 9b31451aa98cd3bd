package reads

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
	"unsafe"
)

// value is what an expression may be.
type value struct {
	refs    []*Node   // places in the values
	objects []*object // maps and lists that templates make
	texts   []string  // constants
	// isComputed means that it may be a text that is not known. It begins with prefix and ends with suffix.
	isComputed     bool
	prefix, suffix string
	// isAbsent means that it is nil, or a field that a map made by a template does not have. It is nothing else then.
	isAbsent bool
	// isTooLarge means that it may be more than mostPlaces, which are not all listed.
	isTooLarge bool
}

// size returns how many places and objects a value may be.
func (v value) size() int { return len(v.refs) + len(v.objects) }

// object is a map or list that a template makes. item is what its items, or values with computed keys, may be, and bases are
// the places of values whose fields it has, too.
type object struct {
	fields map[string]value
	item   value
	bases  []*Node
	// items are those of a list, in order, if these are known. isMixed means that they are not the same each time.
	items   []value
	isMixed bool
	// seen are the executions that have looked at it.
	seen   []*execution
	number int
}

// mostTexts is the maximum number of constants that a value may be. With more, it is computed.
const mostTexts = 40

func constant(text string) value { return value{texts: []string{text}} }

func computed() value { return value{isComputed: true} }

// join returns what either of two values may be, and whether that is more than the first.
func (v value) join(other value) (joined value, isNew bool) {
	switch {
	case other.isNothing() || other.isAbsent && !v.isNothing():
		return v, false
	case v.isNothing() || v.isAbsent:
		return other, true
	}
	joined = v
	if joined.size()+other.size() > mostPlaces {
		joined.isTooLarge = true
		return joined, !v.isTooLarge
	}
	joined.isTooLarge = v.isTooLarge || other.isTooLarge
	for _, n := range other.refs {
		if !slices.Contains(joined.refs, n) {
			joined.refs, isNew = append(slices.Clip(joined.refs), n), true
		}
	}
	for _, o := range other.objects {
		if !slices.Contains(joined.objects, o) {
			joined.objects, isNew = append(slices.Clip(joined.objects), o), true
		}
	}
	if v.isComputed && other.isComputed && (v.prefix != other.prefix || v.suffix != other.suffix) {
		if v.prefix != "" || v.suffix != "" {
			joined.prefix, joined.suffix, isNew = "", "", true
		}
	} else if other.isComputed && !v.isComputed {
		joined.isComputed, joined.prefix, joined.suffix, isNew = true, other.prefix, other.suffix, true
		if len(v.texts) > 0 {
			joined.prefix, joined.suffix = "", ""
		}
	}
	for _, text := range other.texts {
		if slices.Contains(joined.texts, text) {
			continue
		}
		isNew = true
		if len(joined.texts) == mostTexts {
			joined.texts, joined.isComputed, joined.prefix, joined.suffix = nil, true, "", ""
			break
		}
		joined.texts = append(slices.Clip(joined.texts), text)
	}
	if joined.isComputed && joined.prefix == "" && joined.suffix == "" && len(joined.texts) > 0 {
		joined.texts = nil
		isNew = isNew && (!v.isComputed || v.prefix != "" || v.suffix != "" || len(other.refs)+len(other.objects) > 0)
	}
	return joined, isNew
}

func joinAll(values []value) (all value) {
	for _, v := range values {
		all, _ = all.join(v)
	}
	return all
}

// isNothing reports whether nothing is known to be the value yet.
func (v value) isNothing() bool {
	return v.size() == 0 && len(v.texts) == 0 && !v.isComputed && !v.isAbsent && !v.isTooLarge
}

// key adds what identifies a value to a text.
func (a *analysis) key(v value, before string) string {
	b := append(make([]byte, 0, len(before)+8*v.size()+8), before...)
	var numbers []int
	for _, n := range v.refs {
		numbers = append(numbers, a.numberOf(&n.number))
	}
	for _, o := range v.objects {
		numbers = append(numbers, a.numberOf(&o.number))
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		b = append(strconv.AppendInt(b, int64(number), 36), ',')
	}
	for _, text := range slices.Sorted(slices.Values(v.texts)) {
		b = strconv.AppendQuote(b, text)
	}
	if v.isComputed {
		b = strconv.AppendQuote(strconv.AppendQuote(append(b, '~'), v.prefix), v.suffix)
	}
	return string(append(b, ';'))
}

// numberOf returns the number of a node or an object, which may get it now.
func (a *analysis) numberOf(number *int) int {
	if *number == 0 {
		a.number++
		*number = a.number
	}
	return *number
}

// name identifies what a pointer refers to.
func name[T any](p *T) string {
	return strconv.FormatUint(uint64(uintptr(unsafe.Pointer(p))), 36) + ":"
}

// field returns what a field of a value may be.
func (a *analysis) field(v value, name string) (found value) {
	a.spend(1 + v.size())
	for _, n := range v.refs {
		found.refs = append(found.refs, n.field(name))
	}
	for _, o := range v.objects {
		a.look(o)
		below, ok := o.fields[name]
		if ok {
			found, _ = found.join(below)
		}
		found, _ = found.join(o.item)
		found, _ = found.join(a.ofBases(o, func(n *Node) *Node { return n.field(name) }))
		if !ok && o.item.isNothing() && len(o.bases) == 0 {
			found, _ = found.join(value{isAbsent: true})
		}
	}
	if v.isComputed || len(v.texts) > 0 {
		found, _ = found.join(computed())
	}
	return a.limited(found)
}

// items returns what an item of a list, or a value of a map, may be.
func (a *analysis) items(v value) (found value) {
	a.spend(1 + v.size())
	for _, n := range v.refs {
		found.refs = append(found.refs, n.item())
	}
	for _, o := range v.objects {
		a.look(o)
		a.spend(len(o.fields))
		for _, below := range o.fields {
			found, _ = found.join(below)
		}
		found, _ = found.join(o.item)
		found, _ = found.join(a.ofBases(o, (*Node).item))
	}
	if v.isComputed || len(v.texts) > 0 {
		found, _ = found.join(computed())
	}
	return a.limited(found)
}

// ofBases returns what is below the bases of a map.
func (a *analysis) ofBases(o *object, below func(*Node) *Node) (found value) {
	a.spend(len(o.bases))
	for _, n := range o.bases {
		found.refs = append(found.refs, below(n))
	}
	return found
}

// at returns what a field or an item with a name that an expression computes may be.
func (a *analysis) at(v, name value) (found value) {
	if names, ok := name.constants(); ok {
		for _, text := range names {
			found, _ = found.join(a.field(v, text))
		}
		return a.limited(found)
	}
	a.keysOf(v)
	return a.items(v)
}

// constants returns the texts that a value may be; false if it may be another one.
func (v value) constants() ([]string, bool) {
	return v.texts, !v.isComputed && v.size() == 0 && len(v.texts) > 0
}

// keysOf marks the keys of a value as read.
func (a *analysis) keysOf(v value) {
	for _, n := range a.nodes(v) {
		n.HasKeys = true
	}
}

// nodes returns the places in the values whose fields a value has.
func (a *analysis) nodes(v value) []*Node {
	nodes := slices.Clip(v.refs)
	for _, o := range v.objects {
		a.look(o)
		nodes = append(nodes, o.bases...)
	}
	return nodes
}

// test marks whether a value is empty as read.
func (a *analysis) test(v value) {
	for _, n := range a.nodes(v) {
		n.IsTested = true
	}
}

func sortedKeys(of map[string]value) []string { return slices.Sorted(maps.Keys(of)) }

// lists returns the lists that a value may be; false if the items of one are not known.
func (a *analysis) lists(v value) (lists [][]value, ok bool) {
	if v.isComputed || v.isTooLarge || len(v.refs)+len(v.texts) > 0 || len(v.objects) == 0 {
		return nil, false
	}
	for _, o := range v.objects {
		a.look(o)
		a.spend(1 + len(o.items))
		if o.items == nil || o.isMixed {
			return nil, false
		}
		lists = append(lists, o.items)
	}
	return lists, true
}

// setList sets the items of a list; nil if they are not known.
func (a *analysis) setList(o *object, items []value) {
	switch {
	case o.isMixed:
	case items == nil || len(items) > mostItems || o.items != nil && len(o.items) != len(items):
		o.isMixed = true
		a.enqueue(o.seen...)
	case o.items == nil:
		o.items = slices.Clone(items)
		if len(items) > 0 {
			a.enqueue(o.seen...)
		}
	default:
		for i := range items {
			if joined, isNew := o.items[i].join(items[i]); isNew {
				o.items[i] = a.limited(joined)
				a.enqueue(o.seen...)
			}
		}
	}
}

// mostItems is the maximum number of items of a list whose order is known.
const mostItems = 100

// find finds what templates name: texts that tpl may execute, and files.
func (a *analysis) find(n parse.Node) {
	branch := func(b *parse.BranchNode) {
		a.find(b.Pipe)
		a.find(b.List)
		if b.ElseList != nil {
			a.find(b.ElseList)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, x := range n.Nodes {
			a.find(x)
		}
	case *parse.ActionNode:
		a.find(n.Pipe)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			a.find(n.Pipe)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			a.findFiles(c)
			for _, x := range c.Args {
				a.find(x)
			}
		}
	case *parse.ChainNode:
		a.find(n.Node)
	case *parse.StringNode:
		a.addText(n.Text)
	}
}

// findFiles finds the names of files that a command names: all, or those that begin with the constant part of a pattern.
func (a *analysis) findFiles(c *parse.CommandNode) {
	for _, x := range c.Args {
		var names []string
		switch n := x.(type) {
		case *parse.FieldNode:
			names = n.Ident
		case *parse.VariableNode:
			names = n.Ident
		case *parse.ChainNode:
			names = n.Field
		}
		if !slices.Contains(names, "Files") {
			continue
		}
		begin := ""
		if len(c.Args) == 2 && names[len(names)-1] != "Files" {
			if text, ok := c.Args[1].(*parse.StringNode); ok {
				begin = text.Text[:len(text.Text)-len(strings.TrimLeftFunc(text.Text, isConstant))]
			}
		}
		a.files = append(a.files, begin)
	}
}

// isConstant reports whether a character of a pattern stands for itself.
func isConstant(r rune) bool { return !strings.ContainsRune(`*?[{\!`, r) }
