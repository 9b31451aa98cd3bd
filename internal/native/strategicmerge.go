package native

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// kubectl apply sends an update as a strategic merge patch, which pairs the items of some lists by one of their
// fields, the merge key. Items with the same key become one: of two ports 53 for TCP and UDP that change, only one
// remains. The server validates the result, so such lists are edited into it here (k8s.io/apimachinery,
// pkg/util/strategicpatch: CreateThreeWayMergePatch, StrategicMergePatch). Without repeated keys the result is the new
// list.

// mergeRepeated edits the lists at and below a value in which the new or the old value repeats a merge key. The old
// value has its defaults. The new one has not been decoded: what another item replaces does not reach the server's
// decoder.
func (c *checker) mergeRepeated(n, old manifest.Node, s *schema.Schema) {
	s.Ready()
	switch {
	case n.Type() != old.Type():
	case n.Type() == manifest.Map:
		for f := n.First(); f.Valid(); f = f.Next() {
			if was, ok := old.FieldHashed(f.Key(), f.KeyHash()); ok && !f.Shadowed() && !isUnwritten(s, was) {
				if below := s.Field(f); below != nil {
					c.mergeRepeated(f, was, below)
				}
			}
		}
	case s.PatchMergeKey == "" || s.Items == nil || !areKeyed(n, s) || !areKeyed(old, s):
	case repeatsKey(n, s) || repeatsKey(old, s):
		result := applied(n, old, s)
		c.noteLost(n, result, s)
		rewriter{}.items(n, result, s)
	default:
		byKey := make(map[string]manifest.Node, old.Len())
		for was := range old.Children() {
			byKey[mergeKeyOf(was, s)] = was
		}
		for item := n.First(); item.Valid(); item = item.Next() {
			if was, ok := byKey[mergeKeyOf(item, s)]; ok {
				c.mergeRepeated(item, was, s.Items)
			}
		}
	}
}

// noteLost records which items of the new list the result of the update does not have. It must be called before the
// list is edited. If the merge key alone tells the items of a list apart, the server does not want others, either, so
// none is lost.
func (c *checker) noteLost(n manifest.Node, result *patched, s *schema.Schema) {
	if len(s.ListMapKeys) < 2 {
		return
	}
	result.open(s)
	left := map[string]int{}
	for _, item := range result.parts {
		if !item.isRemoved && !item.isDeleted {
			left[item.key]++
		}
	}
	first := map[string]manifest.Node{}
	for item := range n.Children() {
		key := mergeKeyOf(item, s)
		other, isRepeated := first[key]
		if !isRepeated {
			first[key] = item
		}
		if left[key]--; left[key] >= 0 || isRepeated && manifest.Equal(item, other) || len(c.lost) == diag.MaxDescribed {
			continue
		}
		c.lost = append(c.lost, lostItem(item, other, s))
	}
}

// lostItem is the warning about an item that an update with kubectl apply loses. other is the item that it is merged
// with, unless that is an old one.
func lostItem(item, other manifest.Node, s *schema.Schema) diag.Violation {
	v := diag.Violation{
		Rule: diag.LostItem, Severity: diag.Warning,
		Message: "kubectl apply loses this item, because it merges all items with the same " + s.PatchMergeKey,
		Help:    "use kubectl apply --server-side, or another " + s.PatchMergeKey + " for one of the items",
	}
	if other.Valid() {
		v.Related = []diag.Related{{Place: other.At(s.PatchMergeKey).Place(), Message: "merged with this item"}}
	}
	return item.At(s.PatchMergeKey).Finding(v)
}

func repeatsKey(list manifest.Node, s *schema.Schema) bool {
	known := make(map[string]bool, list.Len())
	for item := range list.Children() {
		known[mergeKeyOf(item, s)] = true
	}
	return len(known) < list.Len()
}

// applied returns the list that an update with kubectl apply makes.
func applied(now, old manifest.Node, s *schema.Schema) *patched {
	patch, changes := difference{onlyRemovals: true}.items(old, now, s), difference{}.items(old, now, s)
	switch {
	case patch == nil:
		patch = changes
	case changes != nil:
		merging{}.items(patch, changes, s)
	}
	result := &patched{node: old, isOld: true}
	result.open(s)
	if patch != nil {
		merging{toObject: true}.items(result, patch, s)
	}
	return result
}

// rewriter edits values of the new document into patched ones. What the user wrote keeps its place.
type rewriter struct {
	others []manifest.Node // the values that the patch has merged, of which the edited one is the first
}

// below returns the rewriter for a field.
func (r rewriter) below(key string) rewriter {
	var fields []manifest.Node
	for _, n := range r.others {
		if f, ok := n.Field(key); ok {
			fields = append(fields, f)
		}
	}
	return rewriter{fields}
}

// items edits a list. Each item takes the place of one with the same key.
func (r rewriter) items(n manifest.Node, to *patched, s *schema.Schema) {
	to.open(s)
	withKey, used := map[string][]manifest.Node{}, map[string]int{}
	for item := range n.Children() {
		key := mergeKeyOf(item, s)
		withKey[key] = append(withKey[key], item)
	}
	for _, item := range to.parts {
		if item.isRemoved || item.isDeleted {
			continue
		}
		same, i := withKey[item.key], used[item.key]
		used[item.key]++
		switch {
		case i < len(same):
			rewriter{same[i:]}.object(same[i], item, s.Items)
		case item.isOld:
			rewriter{}.object(n.AddDefaultItem(zero(schema.AsObject)), item, s.Items)
		default:
			rewriter{}.object(n.AddCopy(item.node), item, s.Items)
		}
	}
	var kept manifest.Node
	seen := map[string]int{}
	for item := n.First(); item.Valid(); item = item.Next() {
		key := mergeKeyOf(item, s)
		if seen[key]++; seen[key] > used[key] {
			item.Drop(kept)
			continue
		}
		kept = item
	}
}

// object edits an object.
func (r rewriter) object(n manifest.Node, to *patched, s *schema.Schema) {
	s.Ready()
	to.open(s)
	var kept manifest.Node
	for f := n.First(); f.Valid(); f = f.Next() {
		if i, ok := to.fields[f.Key()]; !ok || to.parts[i].isRemoved || f.Shadowed() {
			f.Drop(kept)
			continue
		}
		kept = f
	}
	for _, f := range to.parts {
		if !f.isRemoved {
			r.field(n, f, s)
		}
	}
}

// field sets a field of an object.
func (r rewriter) field(n manifest.Node, to *patched, s *schema.Schema) {
	f, ok := n.Field(to.key)
	switch {
	case ok && to.isOpen && f.Type() == to.node.Type():
		r.below(to.key).parts(f, to, s.Field(f))
		return
	case ok && !to.isOpen && (f == to.node || manifest.Equal(f, to.node)):
		return
	case ok:
		n.DropField(f)
	}
	switch {
	case !to.isOld:
		f = n.AddCopy(to.node)
	case to.isOpen && to.node.Type() == manifest.Map:
		f = n.AddDefault(to.key, zero(schema.AsObject))
	case to.isOpen:
		f = n.AddDefault(to.key, zero(schema.AsList))
	default:
		f = r.addOld(n, to)
	}
	if to.isOpen {
		r.below(to.key).parts(f, to, s.Field(f))
	}
}

// parts edits an object or a list.
func (r rewriter) parts(n manifest.Node, to *patched, s *schema.Schema) {
	if n.Type() == manifest.List {
		r.items(n, to, s)
	} else {
		r.object(n, to, s)
	}
}

// addOld adds a field that has its old value. If a merged value states it, too, that is its place.
func (r rewriter) addOld(n manifest.Node, to *patched) manifest.Node {
	for _, f := range r.below(to.key).others {
		if manifest.Equal(f, to.node) {
			return n.AddCopy(f)
		}
	}
	return n.AddDefault(to.key, to.node)
}
