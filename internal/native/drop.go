package native

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// drop removes items below a decoded object that the server drops.
func drop(n manifest.Node, d *schema.Drop) {
	dropped := map[string]bool{} // by name
	dropItems(n, d.Lists, func(item manifest.Node) bool {
		has := item.At(d.With).Valid()
		if has {
			dropped[item.TextAt(d.Key)] = true
		}
		return has
	})
	if len(dropped) > 0 {
		dropItems(n, d.Naming, func(item manifest.Node) bool { return dropped[item.TextAt(d.Key)] })
	}
}

// dropItems removes the selected items of the lists at paths below a value.
func dropItems(n manifest.Node, paths []schema.EachPath, isDropped func(item manifest.Node) bool) {
	for _, path := range paths {
		lists(n, path.Steps, func(list manifest.Node) {
			var kept manifest.Node
			for item := list.First(); item.Valid(); item = item.Next() {
				if isDropped(item) {
					item.Drop(kept)
					continue
				}
				kept = item
			}
		})
	}
}

// lists visits the lists at a path.
func lists(n manifest.Node, path []schema.EachStep, visit func(list manifest.Node)) {
	switch {
	case len(path) > 0 && path[0].Field != "":
		if f, ok := n.FieldHashed(path[0].Field, path[0].Hash); ok {
			lists(f, path[1:], visit)
		}
	case n.Type() != manifest.List:
	case len(path) == 0:
		visit(n)
	default:
		for item := n.First(); item.Valid(); item = item.Next() {
			lists(item, path[1:], visit)
		}
	}
}
