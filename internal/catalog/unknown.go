package catalog

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/nearest"
)

// Unknown says why there is no kind for a document.
type Unknown struct {
	// Rule is UnknownVersion, UnknownKind or UnknownGroup.
	Rule diag.Rule
	// Near says that the group is a known one, or was probably meant to be one.
	Near          bool
	Message, Help string
}

// index finds entries by what a document may have right of its identity.
type index struct {
	sorted  []*Entry            // by group and name
	groups  []string            // sorted
	names   map[string][]string // of the kinds of a group, sorted
	byKind  map[string]*Entry   // the first of sorted with that name or that name of its lists
	unknown memo[Unknown]
	secrets memo[[]*Kind]
}

func newIndex(entries []*Entry) *index {
	x := &index{sorted: slices.Clone(entries), names: map[string][]string{}, byKind: map[string]*Entry{}}
	slices.SortFunc(x.sorted, func(a, b *Entry) int {
		if a.Group != b.Group {
			return strings.Compare(a.Group, b.Group)
		}
		return strings.Compare(a.Name, b.Name)
	})
	for _, e := range x.sorted {
		if x.names[e.Group] == nil {
			x.groups = append(x.groups, e.Group)
		}
		x.names[e.Group] = append(x.names[e.Group], e.Name)
		for _, name := range []string{e.Name, e.ListName} {
			if x.byKind[name] == nil {
				x.byKind[name] = e
			}
		}
	}
	return x
}

// identity is what a document says of its kind.
type identity struct{ group, version, kind string }

// memo remembers answers about identities. It may be used from several goroutines.
type memo[T any] struct {
	mu      sync.Mutex
	answers map[identity]T
}

// What a memo may hold: a stream in which every document has another kind must not fill the memory.
const (
	maxAnswers  = 1000
	maxIdentity = 512 // bytes of one that is remembered
)

// of returns the answer about an identity, which make gives the first time.
func (m *memo[T]) of(id identity, make func() T) T {
	m.mu.Lock()
	answer, ok := m.answers[id]
	m.mu.Unlock()
	if ok {
		return answer
	}
	answer = make()
	if len(id.group)+len(id.version)+len(id.kind) > maxIdentity {
		return answer
	}
	id = identity{strings.Clone(id.group), strings.Clone(id.version), strings.Clone(id.kind)} // the text of a document is overwritten
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil || len(m.answers) >= maxAnswers {
		m.answers = map[identity]T{}
	}
	m.answers[id] = answer
	return answer
}

// Explain says why Lookup finds nothing, with the nearest known name. It is quick also where many documents are of few unknown kinds.
func (r *Catalog) Explain(group, version, kind string) Unknown {
	x := r.index()
	return x.unknown.of(identity{group, version, kind}, func() Unknown { return r.explain(x, group, version, kind) })
}

func (r *Catalog) explain(x *index, group, version, kind string) Unknown {
	if e, ok := r.byName[groupKind{group, kind}]; ok {
		return Unknown{
			Rule: diag.UnknownVersion, Near: true,
			Message: "kind " + e.Name + " has no version " + strconv.Quote(version) + " in group " + group,
			Help:    "known versions: " + strings.Join(e.Versions, ", "),
		}
	}
	names := x.names[group]
	if len(names) > 0 {
		u := Unknown{
			Rule: diag.UnknownKind, Near: true,
			Message: "there is no kind " + strconv.Quote(kind) + " in group " + group,
			Help:    "known kinds of the group: " + strings.Join(names, ", "),
		}
		if near, ok := nearest.Name(kind, names); ok {
			u.Help = "the nearest known kind is " + near
		} else if e, ok := x.byKind[kind]; ok {
			u.Help = "there is a kind " + e.Name + " in group " + e.Group
		}
		return u
	}
	return r.explainGroup(x, group, version, kind)
}

func (r *Catalog) explainGroup(x *index, group, version, kind string) Unknown {
	u := Unknown{Rule: diag.UnknownGroup, Message: "there is no group " + strconv.Quote(group)}
	if near, ok := nearest.Name(group, x.groups); ok {
		u.Near, u.Help = true, "the nearest known group is "+near
		return u
	}
	if group == "" && len(x.names[version]) > 0 {
		u.Rule, u.Near = diag.UnknownVersion, true
		u.Message = "the version is missing in apiVersion " + strconv.Quote(version)
		u.Help = "write the group, a slash and the version"
		if e, ok := r.byName[groupKind{version, kind}]; ok {
			u.Help = "write " + version + "/" + e.Versions[0]
		}
		return u
	}
	if group == "" {
		u.Rule, u.Message = diag.UnknownKind, "there is no kind "+strconv.Quote(kind)+" in the core group"
	}
	if e, ok := x.byKind[kind]; ok {
		u.Help = "there is a kind " + e.Name + " in group " + e.Group
	}
	return u
}
