package rule

import "github.com/kindvet/kindvet/internal/manifest"

// Tree holds numbers, such as indexes of rules, by the paths that lead to what the rules are about. The paths form one
// tree, so common parts are walked only once. The zero value is empty.
//
// A tree of pointers with a type parameter was measured: it makes the rules of a small document 2 to 5 percent slower,
// because each step passes the dictionary of the type.
type Tree struct {
	numbers  []int  // of the paths that end here
	names    uint64 // bit set of the hashes, modulo 64, of the names in fields
	fields   []branch
	items    *Tree // after []; nil if no path leads there
	any      *Tree // after *
	anywhere *Tree // after **
}

// branch is the tree after the field with a name.
type branch struct {
	step
	to *Tree
}

// Add adds a number at the end of a path.
func (t *Tree) Add(path Path, number int) {
	if len(path) == 0 {
		t.numbers = append(t.numbers, number)
		return
	}
	t.after(path[0]).Add(path[1:], number)
}

// after returns the tree after a step.
func (t *Tree) after(s step) *Tree {
	next := &t.anywhere
	switch s.kind {
	case stepField:
		return t.field(s)
	case stepItems:
		next = &t.items
	case stepAny:
		next = &t.any
	}
	if *next == nil {
		*next = &Tree{}
	}
	return *next
}

func (t *Tree) field(s step) *Tree {
	for i := range t.fields {
		if t.fields[i].name == s.name {
			return t.fields[i].to
		}
	}
	t.names |= 1 << (s.hash % 64)
	t.fields = append(t.fields, branch{s, &Tree{}})
	return t.fields[len(t.fields)-1].to
}

// Follow calls visit for each number in the tree, with each node that its path leads to from n.
func (t *Tree) Follow(n manifest.Node, visit func(int, manifest.Node)) {
	for _, number := range t.numbers {
		visit(number, n)
	}
	switch n.Type() {
	case manifest.Map:
		if t.names != 0 {
			t.followFields(n, visit)
		}
		if t.any != nil {
			t.any.followAll(n, visit)
		}
	case manifest.List:
		if t.items != nil {
			t.items.followAll(n, visit)
		}
	}
	if t.anywhere != nil {
		t.anywhere.followAnywhere(n, visit)
	}
}

func (t *Tree) followFields(n manifest.Node, visit func(int, manifest.Node)) {
	for child := n.First(); child.Valid(); child = child.Next() {
		hash := child.KeyHash()
		if t.names&(1<<(hash%64)) == 0 {
			continue
		}
		for i := range t.fields {
			if f := &t.fields[i]; f.hash == hash && !child.Shadowed() && f.name == child.Key() {
				f.to.Follow(child, visit)
			}
		}
	}
}

// followAll follows the tree from each field or item of n.
func (t *Tree) followAll(n manifest.Node, visit func(int, manifest.Node)) {
	for child := n.First(); child.Valid(); child = child.Next() {
		t.Follow(child, visit)
	}
}

// followAnywhere follows the tree from n and from every value below it.
func (t *Tree) followAnywhere(n manifest.Node, visit func(int, manifest.Node)) {
	t.Follow(n, visit)
	for child := n.First(); child.Valid(); child = child.Next() {
		if len(t.numbers) > 0 || child.Type() >= manifest.Map { // all other paths end at a scalar
			t.followAnywhere(child, visit)
		}
	}
}
