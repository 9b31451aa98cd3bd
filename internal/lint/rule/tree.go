package rule

import "github.com/kindvet/kindvet/internal/manifest"

// Tree holds values of type T, such as rules, by the paths that lead to what they are about. The paths form one tree,
// so common parts are walked only once. The zero value is empty.
type Tree[T any] struct {
	values   []T    // of the paths that end here
	names    uint64 // bit set of the hashes, modulo 64, of the names in fields
	fields   []branch[T]
	items    *Tree[T] // after []; nil if no path leads there
	any      *Tree[T] // after *
	anywhere *Tree[T] // after **
}

// branch is the tree after the field with a name.
type branch[T any] struct {
	step
	to *Tree[T]
}

// Add adds a value at the end of a path.
func (t *Tree[T]) Add(path Path, value T) {
	if len(path) == 0 {
		t.values = append(t.values, value)
		return
	}
	t.after(path[0]).Add(path[1:], value)
}

// after returns the tree after a step.
func (t *Tree[T]) after(s step) *Tree[T] {
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
		*next = &Tree[T]{}
	}
	return *next
}

func (t *Tree[T]) field(s step) *Tree[T] {
	for i := range t.fields {
		if t.fields[i].name == s.name {
			return t.fields[i].to
		}
	}
	t.names |= 1 << (s.hash % 64)
	t.fields = append(t.fields, branch[T]{s, &Tree[T]{}})
	return t.fields[len(t.fields)-1].to
}

// Follow calls visit for each value of the tree, with each node that its path leads to from n.
func (t *Tree[T]) Follow(n manifest.Node, visit func(T, manifest.Node)) {
	for _, value := range t.values {
		visit(value, n)
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

func (t *Tree[T]) followFields(n manifest.Node, visit func(T, manifest.Node)) {
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
func (t *Tree[T]) followAll(n manifest.Node, visit func(T, manifest.Node)) {
	for child := n.First(); child.Valid(); child = child.Next() {
		t.Follow(child, visit)
	}
}

// followAnywhere follows the tree from n and from every value below it.
func (t *Tree[T]) followAnywhere(n manifest.Node, visit func(T, manifest.Node)) {
	t.Follow(n, visit)
	for child := n.First(); child.Valid(); child = child.Next() {
		if len(t.values) > 0 || child.Type() >= manifest.Map { // all other paths end at a scalar
			t.followAnywhere(child, visit)
		}
	}
}
