// Package catalog holds the known kinds, by group, kind and version, from CustomResourceDefinition files.
//
// The embedded files are found by an index, and each is parsed when a document of its kind shows up; files that the user gives are
// parsed at once, and win over the embedded ones.
package catalog

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/expr"
	"github.com/kindvet/kindvet/internal/schema"
)

// Kind is one version of one kind.
type Kind struct {
	Group, Version, Name string
	// Plural is the name of the resource; ListName is the kind of its lists.
	Plural, ListName string
	// Deprecated versions are served, with DeprecationWarning for those who use them.
	Deprecated         bool
	DeprecationWarning string
	// Resource is what the check needs beside the schema.
	Resource schema.Resource
	// Schema is the structural schema.
	Schema *schema.Schema
	// Rules are the CEL rules of the schema.
	Rules *expr.Rules

	secrets     []secretMember
	embedded    bool
	translation *translation // nil for a kind that is called as it is embedded
}

// APIVersion returns the kind's group and version as a manifest writes them.
func (k *Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// Entry is one CustomResourceDefinition of the registry, before it is parsed.
type Entry struct {
	Group, Name, Plural, ListName string
	Namespaced                    bool
	// Versions are the served versions, as the file orders them.
	Versions []string

	once  sync.Once
	load  func() ([]*Kind, []diag.Violation)
	kinds []*Kind
}

// Kind returns one version of the entry's kind, parsing its file on first use.
func (e *Entry) Kind(version string) (*Kind, bool) {
	e.once.Do(func() { e.kinds, _ = e.load() })
	for _, k := range e.kinds {
		if k.Version == version {
			return k, true
		}
	}
	return nil, false
}

// Scope returns "Namespaced" or "Cluster".
func (e *Entry) Scope() string {
	if e.Namespaced {
		return "Namespaced"
	}
	return "Cluster"
}

// Catalog holds the known kinds. Its zero value knows none. Once all is loaded it may be used from several goroutines.
type Catalog struct {
	entries []*Entry
	byName  map[groupKind]*Entry  // also under the names of their lists
	indexed atomic.Pointer[index] // nil until it is first asked for
}

type groupKind struct{ group, kind string }

// Entries returns the kinds by group and name. The list must not be changed.
func (r *Catalog) Entries() []*Entry { return r.index().sorted }

// index returns the index of the entries, making it on first use.
func (r *Catalog) index() *index {
	if x := r.indexed.Load(); x != nil {
		return x
	}
	r.indexed.CompareAndSwap(nil, newIndex(r.entries))
	return r.indexed.Load()
}

// add puts an entry in; one of the same group and kind is replaced.
func (r *Catalog) add(e *Entry) {
	if r.byName == nil {
		r.byName = map[groupKind]*Entry{}
	}
	if old, ok := r.byName[groupKind{e.Group, e.Name}]; ok && old.Name == e.Name {
		r.entries = slices.DeleteFunc(r.entries, func(x *Entry) bool { return x == old })
		delete(r.byName, groupKind{old.Group, old.ListName})
	}
	r.indexed.Store(nil)
	r.entries = append(r.entries, e)
	r.byName[groupKind{e.Group, e.Name}] = e
	r.byName[groupKind{e.Group, e.ListName}] = e
}

// Lookup returns the kind of a document. isList says that the document is a list of that kind.
func (r *Catalog) Lookup(group, version, kind string) (k *Kind, isList, ok bool) {
	e, ok := r.byName[groupKind{group, kind}]
	if !ok {
		return nil, false, false
	}
	k, ok = e.Kind(version)
	return k, kind == e.ListName, ok
}

// Broken returns a violation for each rule that does not compile, of the kinds that documents have called for.
func (r *Catalog) Broken() []diag.Violation {
	var violations []diag.Violation
	for _, e := range r.Entries() {
		for _, k := range e.kinds {
			violations = append(violations, k.Rules.Broken()...)
		}
	}
	return violations
}

// SplitAPIVersion splits the apiVersion of a manifest; the group of the core API is "".
func SplitAPIVersion(apiVersion string) (group, version string) {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return "", apiVersion
	}
	return group, version
}
