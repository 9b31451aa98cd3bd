package schema

import (
	"sync"
	"sync/atomic"
)

// pending makes a schema when it is first needed. A Pod has some hundred types, of which most documents use ten.
type pending struct {
	once sync.Once
	done atomic.Bool
	fill func()
}

// Ready makes the schema if a $ref names it and it has not been needed yet. It must be called before the fields of a
// schema of a kind of Kubernetes are read.
func (s *Schema) Ready() { s.ready() }

// MayHaveRules reports whether a schema of a kind of Kubernetes may have rules, here or below: it is not a scalar
// without rules.
func (s *Schema) MayHaveRules() bool {
	s.ready()
	return !s.decoding.IsScalar() || len(s.Rules)+len(s.Each) > 0
}

// Attached returns what make returned when it was called for the schema first. The type must always be the same.
func (s *Schema) Attached(make func(*Schema) any) any {
	if v := s.attached.Load(); v != nil {
		return v
	}
	s.attached.CompareAndSwap(nil, make(s))
	return s.attached.Load()
}

// ready fills in a schema that a $ref names, unless that has been done.
func (s *Schema) ready() {
	if p := s.pending; p != nil && !p.done.Load() {
		p.once.Do(func() {
			p.fill()
			p.done.Store(true)
		})
	}
}

// fillLater makes the schema with a name, after those that refer to it.
func (c *Compiler) fillLater(s *Schema, key sharedKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.Referred(key.name)
	if !ok {
		panic("each schema of a built-in kind exists: " + key.name)
	}
	before := c.decodeOnly
	c.decodeOnly = key.decodeOnly
	s.Node = n
	c.fill(s, 0)
	c.deriveAll()
	c.decodeOnly = before
}

// Complete makes all schemas below s that have not been needed yet, for readers that use the fields of [Schema].
func (s *Schema) Complete() {
	seen := map[*Schema]bool{}
	var complete func(s *Schema)
	complete = func(s *Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		s.ready()
		for i := range s.Properties {
			complete(s.Properties[i].Schema)
		}
		complete(s.Additional)
		complete(s.Items)
	}
	complete(s)
}
