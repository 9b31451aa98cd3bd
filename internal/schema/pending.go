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
