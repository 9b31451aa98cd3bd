// Package catalog holds the known kinds: the built-in kinds, and those of CustomResourceDefinitions (CRDs).
//
// A [Catalog] is an immutable snapshot for one Kubernetes version, made once from [Source] values and shared by every
// check that uses it. A source is a list of entries, one for each kind. An entry holds what is needed to find its
// kind. The schema is read when the first document of the kind is checked, and kept for all catalogs that share the
// entry. So the cost of a run depends on the kinds that its documents have, not on how many are known, and the answers
// of a catalog do not depend on earlier queries.
package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
)

// Source is a set of kinds from one origin, with an entry for each kind.
type Source []*Entry

// Catalog is a snapshot of known kinds. It may be used from several goroutines.
type Catalog struct {
	byName     map[groupKind]*Entry // also by list kind, and by the built-in names of renamed kinds
	own        map[groupKind]*Entry // kinds with platform names, by their built-in names
	index      func() *index        // returns the same index each time
	server     Server
	kubernetes int // the minor version of the server

	replaced []diag.Replaced
	unknown  memo[Unknown]
	secrets  memo[[]*Kind]
}

type groupKind struct{ group, kind string }

// New returns the catalog of the given sources. Of entries with the same group and kind, the last one wins. Kubernetes
// kinds that an API server does not serve are explained for the newest version of Kubernetes.
func New(sources ...Source) *Catalog { return For(Server{}, sources...) }

// For is like New, but for the server that the sources are for.
func For(s Server, sources ...Source) *Catalog {
	c := &Catalog{byName: map[groupKind]*Entry{}, own: map[groupKind]*Entry{}, server: s, kubernetes: s.minor()}
	listed := map[groupKind]*Entry{}
	for _, e := range slices.Concat(sources...) {
		if c.isOfKubernetes(e) {
			continue
		}
		if e.builtIn != nil {
			delete(listed, groupKind{e.builtIn.Group, e.builtIn.Name})
		}
		c.noteReplaced(e)
		if old, ok := listed[groupKind{e.Group, e.Name}]; ok {
			if old.builtIn != nil {
				e = e.like(old)
			}
			delete(c.byName, groupKind{old.Group, old.ListName})
		}
		listed[groupKind{e.Group, e.Name}] = e
		c.byName[groupKind{e.Group, e.Name}] = e
		if e.ListName != "" {
			c.byName[groupKind{e.Group, e.ListName}] = e
		}
		if e.builtIn != nil {
			c.own[groupKind{e.builtIn.Group, e.builtIn.Name}] = e
		}
	}
	c.index = sync.OnceValue(func() *index { return newIndex(slices.Collect(maps.Values(listed))) })
	return c
}

// Kubernetes returns the minor version of Kubernetes 1 that the catalog is for.
func (c *Catalog) Kubernetes() int { return c.kubernetes }

// CEL returns what decides which functions the CEL expressions of the server may use.
func (c *Catalog) CEL() cel.Server { return c.server.CEL() }

// isOfKubernetes reports whether a CRD or a platform's name defines a kind, or a list kind, of Kubernetes. An API
// server never serves such a CRD.
func (c *Catalog) isOfKubernetes(e *Entry) bool {
	if e.Origin != CRD && e.builtIn == nil {
		return false
	}
	for _, name := range []string{e.Name, e.ListName} {
		if known, ok := c.byName[groupKind{e.Group, name}]; ok && known.Origin == Kubernetes {
			return true
		}
	}
	return false
}

// noteReplaced notes which built-in kinds the CRD of an entry replaces: those with the same name as its kind or its
// list kind.
func (c *Catalog) noteReplaced(e *Entry) {
	if e.Origin != CRD {
		return
	}
	for _, name := range []string{e.Name, e.ListName} {
		if old, ok := c.byName[groupKind{e.Group, name}]; ok && old.Origin == BuiltIn && old.Name == name {
			c.replaced = append(c.replaced,
				diag.Replaced{Group: e.Group, Kind: name, File: e.src.Name, Line: e.src.Position(e.start).Line})
		}
	}
}

// Replaced returns the built-in kinds that other kinds in the catalog replace, in the order of the sources.
func (c *Catalog) Replaced() []diag.Replaced { return slices.Clone(c.replaced) }

// index finds kinds by whatever part of its apiVersion and kind a document has right. Documents of known kinds do not
// need it.
type index struct {
	entries []*Entry            // by group and name
	groups  []string            // sorted
	names   map[string][]string // of the kinds of a group, sorted
	byKind  map[string][]*Entry // entries with that kind or list kind
}

func newIndex(entries []*Entry) *index {
	x := &index{entries: entries, names: map[string][]string{}, byKind: map[string][]*Entry{}}
	slices.SortFunc(x.entries, func(a, b *Entry) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
	})
	for _, e := range x.entries {
		if x.names[e.Group] == nil {
			x.groups = append(x.groups, e.Group)
		}
		x.names[e.Group] = append(x.names[e.Group], e.Name)
		for _, name := range []string{e.Name, e.ListName} {
			x.byKind[name] = append(x.byKind[name], e)
		}
	}
	return x
}

// Entries returns the kinds by group and name. The list must not be changed.
func (c *Catalog) Entries() []*Entry { return c.index().entries }

// Entry returns the entry of a kind, given that kind or its list kind.
func (c *Catalog) Entry(group, kind string) (*Entry, bool) {
	e, ok := c.byName[groupKind{group, kind}]
	return e, ok
}

// Lookup returns the kind of a document. isList reports whether the document is a list of that kind.
func (c *Catalog) Lookup(group, version, kind string) (k *Kind, isList, ok bool) {
	e, ok := c.Entry(group, kind)
	if !ok {
		return nil, false, false
	}
	k, ok = e.Kind(version)
	return k, kind == e.ListName, ok
}

// SplitAPIVersion splits the apiVersion of a manifest into group and version. The group of the core API is "".
func SplitAPIVersion(apiVersion string) (group, version string) {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return "", apiVersion
	}
	return group, version
}

// memo caches answers by identity. It may be used from several goroutines.
type memo[T any] struct {
	mu      sync.Mutex
	answers map[identity]T
}

// identity is the group, version and kind that a document states.
type identity struct{ group, version, kind string }

// These are the limits of a memo. Without them, a stream in which every document has a different kind would fill the
// memory. 29 public repositories have at most 309 kinds, and names of 79 bytes. Raise a limit if a repository reaches
// half of it.
const (
	maxAnswers  = 1000
	maxIdentity = 512 // longest identity to cache, in bytes
)

// CacheSize returns how many answers the catalog has cached.
func (c *Catalog) CacheSize() int { return c.unknown.size() + c.secrets.size() }

func (m *memo[T]) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.answers)
}

// of returns the answer for an identity. It calls find only the first time.
func (m *memo[T]) of(id identity, find func() T) T {
	m.mu.Lock()
	answer, ok := m.answers[id]
	m.mu.Unlock()
	if ok {
		return answer
	}
	answer = find()
	if len(id.group)+len(id.version)+len(id.kind) > maxIdentity {
		return answer
	}
	// the text of a document is overwritten
	id = identity{strings.Clone(id.group), strings.Clone(id.version), strings.Clone(id.kind)}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil || len(m.answers) >= maxAnswers {
		m.answers = map[identity]T{}
	}
	m.answers[id] = answer
	return answer
}
