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
}

// mostTexts is the maximum number of constants that a value may be. With more, it is computed.
const mostTexts = 8

func constant(text string) value { return value{texts: []string{text}} }

func computed() value { return value{isComputed: true} }

// join returns what either of two values may be, and whether that is more than the first.
func (v value) join(other value) (joined value, isNew bool) {
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

// key identifies a value.
func (v value) key() string {
	if len(v.refs) == 1 && len(v.objects)+len(v.texts) == 0 && !v.isComputed {
		return keyOf(v.refs[0])
	}
	var b strings.Builder
	parts := make([]string, 0, len(v.refs)+len(v.objects)+len(v.texts))
	for _, n := range v.refs {
		parts = append(parts, keyOf(n))
	}
	for _, o := range v.objects {
		parts = append(parts, keyOf(o))
	}
	for _, text := range v.texts {
		parts = append(parts, strconv.Quote(text))
	}
	slices.Sort(parts)
	for _, part := range parts {
		b.WriteString(part + ",")
	}
	if v.isComputed {
		b.WriteString(strconv.Quote(v.prefix) + strconv.Quote(v.suffix))
	}
	return b.String()
}

// keyOf identifies what a pointer refers to.
func keyOf[T any](p *T) string { return strconv.FormatUint(uint64(uintptr(unsafe.Pointer(p))), 36) }

// field returns what a field of a value may be.
func (a *analysis) field(v value, name string) (found value) {
	a.spend(1 + v.size())
	for _, n := range v.refs {
		found.refs = append(found.refs, n.field(name))
	}
	for _, o := range v.objects {
		if below, ok := o.fields[name]; ok {
			found, _ = found.join(below)
		}
		found, _ = found.join(o.item)
		found, _ = found.join(a.ofBases(o, func(n *Node) *Node { return n.field(name) }))
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
		a.spend(len(o.fields))
		for _, below := range o.fields {
			found, _ = found.join(below)
		}
		found, _ = found.join(o.item)
		found, _ = found.join(a.ofBases(o, (*Node).item))
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
	v.keys()
	return a.items(v)
}

// constants returns the texts that a value may be; false if it may be another one.
func (v value) constants() ([]string, bool) {
	return v.texts, !v.isComputed && v.size() == 0 && len(v.texts) > 0
}

// keys marks the keys as read.
func (v value) keys() {
	for _, n := range v.nodes() {
		n.HasKeys = true
	}
}

// nodes returns the places in the values whose fields the value has.
func (v value) nodes() []*Node {
	nodes := slices.Clip(v.refs)
	for _, o := range v.objects {
		nodes = append(nodes, o.bases...)
	}
	return nodes
}

// test marks whether the value is empty as read.
func (v value) test() {
	for _, n := range v.nodes() {
		n.IsTested = true
	}
}

func sortedKeys(of map[string]value) []string { return slices.Sorted(maps.Keys(of)) }

// stringsIn adds the constant texts in a node that have actions.
func stringsIn(list []string, n parse.Node) []string {
	add := func(nodes ...parse.Node) {
		for _, x := range nodes {
			list = stringsIn(list, x)
		}
	}
	branch := func(b *parse.BranchNode) {
		list = stringsIn(list, b.Pipe)
		list = stringsIn(list, b.List)
		if b.ElseList != nil {
			list = stringsIn(list, b.ElseList)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		add(n.Nodes...)
	case *parse.ActionNode:
		add(n.Pipe)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			add(n.Pipe)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			add(c.Args...)
		}
	case *parse.ChainNode:
		add(n.Node)
	case *parse.StringNode:
		if strings.Contains(n.Text, "{{") {
			list = append(list, n.Text)
		}
	}
	return list
}
