package policy

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Set is what the admission of a request depends on: policies, their bindings, the objects that may be parameters, and the
// Namespaces. It does not change.
type Set struct {
	// Policies are sorted by name.
	Policies []*Policy
	// Invalid are the policies and bindings that an API server does not store. They take no part.
	Invalid []Invalid

	bindings   map[string][]*Binding
	objects    map[objectKey][]manifest.Node
	namespaces map[string]manifest.Node
	kinds      Kinds
}

// Invalid is a policy or a binding that an API server does not store.
type Invalid struct {
	Node   manifest.Node
	Reason string
}

// Kinds are the kinds that a set needs to know.
type Kinds interface {
	Lookup(group, version, kind string) (k *catalog.Kind, isList, ok bool)
	Entries() []*catalog.Entry
}

// Object is an object of a set.
type Object struct {
	manifest.Node
	// Below is the directory with a slash at its end to whose files a policy or binding is limited, or "".
	Below string
}

// ObjectsOf returns objects that are not limited to a directory.
func ObjectsOf(nodes ...manifest.Node) (list []Object) {
	for _, n := range nodes {
		list = append(list, Object{Node: n})
	}
	return list
}

// objectKey is the kind of parameters.
type objectKey struct{ group, version, kind string }

// NewSet returns the set of some objects, as a server stores them. It does not edit the objects.
//
// If several policies have the same name, as those of several clusters or of several tests, each is limited to the files below
// its directory.
func NewSet(objects []Object, kinds Kinds) *Set {
	s := &Set{
		bindings: map[string][]*Binding{}, objects: map[objectKey][]manifest.Node{}, namespaces: map[string]manifest.Node{},
		kinds: kinds,
	}
	for _, o := range objects {
		s.add(o.Copied(), o.Below) // others may use the objects with other kinds
	}
	s.limitRepeated()
	slices.SortStableFunc(s.Policies, func(a, b *Policy) int { return cmp.Compare(a.Name, b.Name) })
	for _, list := range s.bindings {
		slices.SortStableFunc(list, func(a, b *Binding) int { return cmp.Compare(a.Name, b.Name) })
	}
	return s
}

// limitRepeated limits policies of the same name to the directories of their files.
func (s *Set) limitRepeated() {
	count := map[string]int{}
	for _, p := range s.Policies {
		count[p.Name]++
	}
	for _, p := range s.Policies {
		if count[p.Name] > 1 && p.Below == "" {
			p.Below = path.Dir(filepath.ToSlash(p.Node.Tree().Source.Name)) + "/"
		}
	}
}

func (s *Set) add(n manifest.Node, below string) {
	group, version := catalog.SplitAPIVersion(n.TextAt("apiVersion"))
	kind := n.TextAt("kind")
	switch {
	case group == Group && kind == ValidatingKind:
		if s.isValid(n, kind) {
			p := Read(n)
			p.Below = below
			s.Policies = append(s.Policies, p)
		}
		return
	case group == Group && kind == ValidatingBindingKind:
		if s.isValid(n, kind) {
			b := ReadBinding(n)
			b.Below = below
			s.bindings[b.Policy] = append(s.bindings[b.Policy], b)
		}
		return
	}
	if k, _, ok := s.kinds.Lookup(group, version, kind); ok {
		k.Prepare(n)
	}
	if group == "" && kind == "Namespace" {
		s.namespaces[n.At("metadata").TextAt("name")] = n
	}
	key := objectKey{group, version, kind}
	s.objects[key] = append(s.objects[key], n)
}

// isValid reports whether an API server stores a policy or binding. Of its expressions, it does not check anything. A
// prerelease version has the rules of v1.
func (s *Set) isValid(n manifest.Node, kind string) bool {
	k, _, ok := s.kinds.Lookup(Group, "v1", kind)
	if !ok {
		s.Invalid = append(s.Invalid, Invalid{n, "the API server does not have " + kind})
		return false
	}
	violations := k.Check(n, manifest.Node{})
	violations = append(violations, k.Rules.Check(nil, n, manifest.Node{}).Violations...)
	for i := range violations {
		if violations[i].Severity == diag.Error {
			s.Invalid = append(s.Invalid, Invalid{n, violations[i].Message})
			return false
		}
	}
	k.Prepare(n)
	return true
}

// Bindings returns all bindings, sorted by the names of their policies.
func (s *Set) Bindings() (all []*Binding) {
	for _, name := range slices.Sorted(maps.Keys(s.bindings)) {
		all = append(all, s.bindings[name]...)
	}
	return all
}

// Entries returns all known kinds.
func (s *Set) Entries() []*catalog.Entry { return s.kinds.Entries() }

// BindingsOf returns the bindings of a policy, sorted by name.
func (s *Set) BindingsOf(policy string) []*Binding { return s.bindings[policy] }

// Namespace returns a Namespace.
func (s *Set) Namespace(name string) (n manifest.Node, ok bool) {
	n, ok = s.namespaces[name]
	return n, ok
}

// ObjectsOf returns the objects of a kind, in the order in which they were added.
func (s *Set) ObjectsOf(k ParamKind) []manifest.Node {
	return s.objects[objectKey{k.Group, k.Version, k.Kind}]
}

// Scope reports whether the objects of a kind are in namespaces. It returns false if the kind is not known.
func (s *Set) Scope(k ParamKind) (isNamespaced, ok bool) {
	kind, _, ok := s.kinds.Lookup(k.Group, k.Version, k.Kind)
	return ok && kind.Resource.Namespaced, ok
}
