package schema

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Compile makes a schema from an openAPIV3Schema node. It reports whatever it cannot use, at its place in the file,
// and leaves it out. The patterns of a trusted schema are known to be valid and are compiled when a document first
// needs them.
func Compile(n manifest.Node, trusted bool) (*Schema, []diag.Violation) {
	c := Compiler{Trusted: trusted}
	return c.Compile(n)
}

// Compiler makes schemas that refer to each other by $ref, such as those of an OpenAPI document. A schema that others
// refer to is made only once, and may refer to itself.
type Compiler struct {
	// Trusted means that the patterns are known to be valid. They are compiled when a document first needs them.
	Trusted bool
	// Referred returns the node of the schema that a $ref names. It is nil for CRDs, in which $ref has no meaning.
	Referred func(ref string) (manifest.Node, bool)
	// RulesOf returns a node whose rules are added to those of a schema. It may be nil.
	RulesOf func(schema manifest.Node) (manifest.Node, bool)
	// Native means that the schemas are those of kinds of Kubernetes; see [Resource]. Their fields may have the
	// keywords since, until, gate, decodeOnly and keptOnUpdate, and their values enumSince, enumUntil and enumGates.
	Native bool
	// Kubernetes is the minor version of Kubernetes 1 whose fields and values are declared. 0 is the newest version.
	Kubernetes int
	// Describe returns the description of a field of a type that a $ref names, or "". It is called when a description is
	// shown. It may be nil.
	Describe func(owner, field string) string
	// IsOff reports whether a feature gate is off in that version. If it is nil, all gates are on.
	IsOff func(gate string) bool

	mu         sync.Mutex            // held while schemas are made
	decodeOnly bool                  // the keywords that restrict decoded values are left out
	shared     map[sharedKey]*Schema // schemas that a $ref names
	simple     map[simpleKey]*Schema
	json       []byte    // reused
	made       []*Schema // since Compile was called, if there are references
	violations []diag.Violation
}

// sharedKey identifies a schema that a $ref names.
type sharedKey struct {
	name       string
	decodeOnly bool
}

// simpleKey identifies a schema without references by its text.
type simpleKey struct {
	json       string
	decodeOnly bool
}

// Compile makes a schema from a node. It reports whatever it cannot use, at its place in the file, and leaves it out.
// A fault in a shared schema is reported once.
func (c *Compiler) Compile(n manifest.Node) (*Schema, []diag.Violation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.violations = nil
	s := c.schema(n, 0)
	c.deriveAll()
	return s, c.violations
}

// CompileNamed makes the schema that a $ref with the given name would refer to.
func (c *Compiler) CompileNamed(name string) (*Schema, []diag.Violation) {
	c.mu.Lock()
	n, _ := c.Referred(name)
	c.mu.Unlock()
	return c.Compile(n)
}

// deriveAll completes the schemas that have been made since the last call. A schema that refers to itself was finished
// before it was complete.
func (c *Compiler) deriveAll() {
	for changed := true; changed; {
		changed = false
		for _, m := range c.made {
			changed = m.derive() || changed
		}
	}
	c.made = nil
}

// referred returns the schema that a $ref names.
func (c *Compiler) referred(ref manifest.Node) *Schema {
	key := sharedKey{c.text(ref), c.decodeOnly}
	if s, ok := c.shared[key]; ok {
		return s
	}
	if c.shared == nil {
		c.shared = map[sharedKey]*Schema{}
	}
	if c.Native {
		s := &Schema{Native: true}
		s.pending = &pending{fill: func() { c.fillLater(s, key) }}
		c.shared[key] = s
		return s
	}
	n, ok := c.Referred(key.name)
	if !ok {
		c.reject(ref, diag.UnknownField, "unknown schema %q", ref.Text())
		return &Schema{Node: ref}
	}
	s := &Schema{Node: n}
	c.shared[key] = s
	c.fill(s, 0)
	return s
}

func (c *Compiler) reject(n manifest.Node, rule diag.Rule, format string, args ...any) {
	c.violations = append(c.violations, n.Finding(diag.Violation{Rule: rule, Message: fmt.Sprintf(format, args...)}))
}

// A schema nested deeper than this is rejected. The limits of the API server are far lower. In 29 public repositories,
// schemas have at most 24 levels.
const maxSchemaDepth = 500

func (c *Compiler) schema(n manifest.Node, depth int) *Schema {
	ref := n.At("$ref")
	switch {
	case c.Referred == nil || !ref.Valid() && !c.Native:
	case !ref.Valid():
		return c.nativeSchema(n, depth)
	case !c.Native || !restrictsReferred(n):
		return c.referred(ref)
	default:
		s := &Schema{Node: n}
		c.referredKeywords(s, ref, depth)
		c.fill(s, depth)
		return s
	}
	s := &Schema{Node: n}
	c.fill(s, depth)
	return s
}

// nativeSchema makes a schema of a kind of Kubernetes. Most fields have one of a few simple schemas, such as
// {type: string}, which are made only once.
func (c *Compiler) nativeSchema(n manifest.Node, depth int) *Schema {
	c.json = n.AppendJSON(c.json[:0])
	isSimple := len(c.json) <= longestSimple && !bytes.Contains(c.json, []byte(`"$ref"`))
	if s, ok := c.simple[simpleKey{string(c.json), c.decodeOnly}]; ok {
		return s
	}
	s := &Schema{Node: n}
	if isSimple {
		if c.simple == nil {
			c.simple = map[simpleKey]*Schema{}
		}
		c.simple[simpleKey{string(c.json), c.decodeOnly}] = s
	}
	c.fill(s, depth)
	return s
}

// longestSimple is the maximum size of a simple schema as JSON, in bytes. The text of each is kept as a key. Raise it
// if larger schemas are often equal.
const longestSimple = 120

// fill makes a schema from its node.
func (c *Compiler) fill(s *Schema, depth int) {
	n := s.Node
	s.Native = c.Native
	if n.Type() != manifest.Map {
		c.reject(n, diag.WrongType, "a schema must be an object, got %s", n.Type())
		return
	}
	if !c.keywords(s, n, depth) {
		return
	}
	c.finish(s)
	if c.Referred != nil {
		c.made = append(c.made, s)
	}
}
