package reads

import (
	"slices"
	"text/template/parse"
)

// Use is an action that uses a value.
type Use struct {
	// Template is the name of the template that has the action, at a byte offset. It is [TextName] for a text that is a value.
	Template string
	Offset   int
	// Function is the first function that gets the value, such as toYaml; "" if it is printed as it is. Words such as if and
	// range stand for themselves. Argument is the index of the value among the arguments.
	Function string
	Argument int
	// Constants are the texts that eq and similar functions compare the value with.
	Constants []string
	// IsExhaustive means that eq compares the value in the conditions of branches which have no other one, or one that fails.
	IsExhaustive bool
	// IsWithin means that the value is a part of what is used, such as a field of a map that the template makes.
	IsWithin bool
	// Caller is the outermost action that includes the template; the zero value if none does.
	Caller Action
}

// Action is an action of a template.
type Action struct {
	Template string
	Offset   int
}

// TextName is the name of a template that is a text among the values or in another template.
const TextName = "text"

// maxUses is the maximum number of uses of all values of a chart. The largest public chart has 30,000.
const maxUses = 500_000

// uses records the uses of values.
type uses struct {
	of    map[*Node][]Use
	known map[useKey]bool
	// chains are the ifs of exhaustive chains.
	chains map[*parse.IfNode]bool
}

type useKey struct {
	node     *Node
	tree     *parse.Tree
	offset   int
	function string
}

// current is what is being executed.
type current struct {
	tree     *parse.Tree
	offset   int
	caller   Action
	function string
	// isExhaustive means that a condition of an exhaustive chain of branches is evaluated.
	isExhaustive bool
}

// UsesOf is [Of] with the uses of each value. isKnown is false if they are not all known, either, such as those of a template that
// is not defined.
func UsesOf(c *Chart) (read *Node, of map[*Node][]Use, isKnown bool) {
	a := newAnalysis()
	a.uses = &uses{map[*Node][]Use{}, map[useKey]bool{}, map[*parse.IfNode]bool{}}
	read, isKnown = a.of(c)
	return read, a.uses.of, isKnown && !a.isMissing && len(a.uses.known) < maxUses
}

// use records that the current function uses a value as one of its arguments.
func (a *analysis) use(v value, argument int, constants []string) {
	for _, n := range v.refs {
		a.record(n, Use{Argument: argument, Constants: constants})
	}
	for _, o := range v.objects {
		for _, n := range o.bases {
			a.record(n, Use{Argument: argument, IsWithin: true})
		}
	}
}

func (a *analysis) record(n *Node, use Use) {
	now := &a.now
	key := useKey{n, now.tree, now.offset, now.function}
	if now.tree == nil || a.uses.known[key] || len(a.uses.known) >= maxUses {
		return
	}
	a.uses.known[key] = true
	use.IsExhaustive = now.isExhaustive && now.function == "eq"
	use.Template, use.Offset, use.Function, use.Caller = now.tree.ParseName, now.offset, now.function, now.caller
	a.uses.of[n] = append(a.uses.of[n], use)
}

// executing notes the action that is executed next.
func (a *analysis) executing(tree *parse.Tree, n parse.Node) {
	if a.uses != nil {
		a.now.tree, a.now.offset, a.now.function = tree, int(n.Position()), ""
	}
}

// useOne records that an action uses a value.
func (a *analysis) useOne(name string, v value) {
	if a.uses != nil {
		a.useAll(name, []value{v})
	}
}

// useAll records that a function gets values. It is only called if uses are recorded.
func (a *analysis) useAll(name string, args []value) {
	a.now.function = name
	for i, v := range args {
		var constants []string
		if name == "eq" || name == "ne" || name == "has" {
			for j, other := range args {
				if i != j && other.size() == 0 && !other.isComputed {
					constants = append(constants, other.texts...)
				}
			}
		}
		a.use(v, i, slices.Clip(constants))
	}
}
