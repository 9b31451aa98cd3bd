package schema

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Schemas of the kinds of Kubernetes are the union of those of several versions. The keywords since and until of a
// property, and enumSince and enumUntil next to an enum, name the versions that have a field or a value. The compiler
// leaves out what the selected version does not have, and remembers it for messages.

// lifetime is the first and the last minor version of Kubernetes 1 that has something. 0 is an open end.
type lifetime struct{ since, until int }

// includes reports whether a minor version is in the lifetime. 0 is the newest version.
func (l lifetime) includes(minor int) bool {
	if minor == 0 {
		return l.until == 0
	}
	return l.since <= minor && (l.until == 0 || minor <= l.until)
}

// Absent is the name of a field, or an allowed value, that another version of Kubernetes has, or a server with a feature gate.
type Absent struct {
	name     string
	gate     string
	lifetime lifetime
	selected int // the minor version, or 0
}

func findAbsent(list []Absent, name string) (Absent, bool) {
	for _, a := range list {
		if a.name == name {
			return a, true
		}
	}
	return Absent{}, false
}

// AbsentField returns the field of a name that only other versions of Kubernetes have. It returns false for any other
// field.
func (s *Schema) AbsentField(name string) (Absent, bool) { return findAbsent(s.absentFields, name) }

// Help describes which versions have it.
func (a Absent) Help() string {
	if a.gate != "" {
		return GateHelp(a.gate)
	}
	if a.lifetime.since > 0 && (a.selected > 0 && a.selected < a.lifetime.since || a.lifetime.until == 0) {
		return "it is new in " + release(a.lifetime.since)
	}
	return "it was removed in " + release(a.lifetime.until+1)
}

// Reason is the end of a message about the selected version, which does not have it.
func (a Absent) Reason() string {
	if a.selected == 0 {
		return ""
	}
	return ": Kubernetes " + release(a.selected) + " does not have it"
}

func release(minor int) string { return "1." + strconv.Itoa(minor) }

// minor reads a version such as "1.33".
func (c *Compiler) minor(n manifest.Node) int {
	if !n.Valid() {
		return 0
	}
	text, ok := strings.CutPrefix(n.Text(), "1.")
	minor, err := strconv.Atoi(text)
	if !ok || err != nil || minor <= 0 {
		c.reject(n, diag.BadFormat, "must be a version of Kubernetes such as \"1.33\"")
		return 0
	}
	return minor
}

// offGate is the keyword of a rule that a server applies only while a feature gate is off; onGate that of one which it
// applies only while the gate is on.
const offGate, onGate = "offGate", "onGate"

// has reports whether the selected server has a rule with the keywords since, until, offGate and onGate.
func (c *Compiler) has(rule manifest.Node) bool {
	if !c.Native {
		return true
	}
	off, on := rule.TextAt(offGate), rule.TextAt(onGate)
	return lifetime{c.minor(rule.At("since")), c.minor(rule.At("until"))}.includes(c.Kubernetes) &&
		(off == "" || c.isOff(off)) && (on == "" || !c.isOff(on))
}

func (c *Compiler) isOff(gate string) bool { return c.IsOff != nil && c.IsOff(gate) }

// GateHelp is the help of a finding that a server with a feature gate does not have.
func GateHelp(gate string) string {
	return "if your cluster has turned on " + gate + ", set featureGates: {" + gate + ": true} in .kindvet.yaml"
}

// WithGate returns a violation that a server with a feature gate does not have; "" is none.
func WithGate(v diag.Violation, gate string) diag.Violation {
	if gate != "" {
		v.Gate, v.Help = gate, GateHelp(gate)
	}
	return v
}

// enum adds the allowed values that the selected version has.
func (c *Compiler) enum(s *Schema, n manifest.Node) {
	for v := range n.Children() {
		if c.Native {
			if v.Type() == manifest.String && v.Text() == "" {
				s.AllowsEmpty = true // the same as an absent value, see package native
				continue
			}
			of := n.Parent()
			l := lifetime{c.minor(of.At("enumSince", v.Text())), c.minor(of.At("enumUntil", v.Text()))}
			if !l.includes(c.Kubernetes) {
				s.absentValues = append(s.absentValues, Absent{name: v.Text(), lifetime: l, selected: c.Kubernetes})
				continue
			}
			if gate := of.At("enumGates", v.Text()).Text(); gate != "" && c.isOff(gate) {
				s.absentValues = append(s.absentValues, Absent{name: v.Text(), gate: gate})
				continue
			}
		}
		s.Enum = append(s.Enum, v)
	}
	if len(s.Enum) > mostCompared {
		s.allowed = indexEnum(s.Enum)
	}
}

// nativeProperty adds a property of a kind of Kubernetes. A status, of the document or of an object in it, the fields
// behind a gate that is off, and those with the keyword decodeOnly do not reach validation, so their values are only
// decoded.
func (c *Compiler) nativeProperty(s *Schema, f manifest.Node, depth int) {
	l := lifetime{c.minor(f.At("since")), c.minor(f.At("until"))}
	if !l.includes(c.Kubernetes) {
		s.absentFields = append(s.absentFields, Absent{name: f.Key(), lifetime: l, selected: c.Kubernetes})
		return
	}
	p := Property{Name: f.Key(), Since: l.since, Until: l.until}
	if (lifetime{since: c.minor(f.At("gateSince"))}).includes(c.Kubernetes) {
		p.Gate = f.TextAt("gate")
	}
	if c.Describe != nil {
		p.compiler, p.owner = c, f.Parent().Parent().Key()
	}
	if f.At("$ref").Valid() {
		p.Description = f.TextAt("description")
	}
	p.Kept = f.At("keptOnUpdate").Valid()
	p.IsOff = p.Gate != "" && c.isOff(p.Gate)
	p.IsSeen = f.At("seenIfOff").Valid()
	if seen := f.At("seenIfOff"); p.IsSeen && seen.Type() != manifest.Boolean {
		p.SeenAs = seen
	}
	p.IsWritten = f.At("writtenIfEmpty").Valid()
	p.OffIn, p.OffOnCreate = f.At("gateOf").TextAt("kind"), f.At("gateOf", "create").Boolean()
	p.DropsObject = f.At("dropsObject").Valid()
	before := c.decodeOnly
	c.decodeOnly = before || p.IsOff && !f.At("gateOf").Valid() || c.decodesOnly(f.At("decodeOnly")) || p.Name == "status" && f.At("$ref").Valid()
	p.Schema = c.schema(f, depth+1)
	c.decodeOnly = before
	s.Properties = append(s.Properties, p)
}

// decodesOnly reports whether the keyword decodeOnly holds: it is true, or says for which servers it is, as a rule does.
func (c *Compiler) decodesOnly(n manifest.Node) bool {
	return n.Valid() && (n.Type() != manifest.Map || c.has(n))
}

// ofProperty are the keywords next to a $ref that describe the property and not its schema.
var ofProperty = map[string]bool{
	"$ref": true, "description": true, "since": true, "until": true, "gate": true, "gateOf": true, "decodeOnly": true,
	"seenIfOff": true, "dropsObject": true, "keptOnUpdate": true, "writtenIfEmpty": true,
}

// restrictsReferred reports whether a $ref has keywords next to it, which change the schema for this place only.
func restrictsReferred(n manifest.Node) bool {
	for f := range n.Children() {
		if !ofProperty[f.Key()] {
			return true
		}
	}
	return false
}

// referredKeywords copies the keywords of the schema that a $ref names.
func (c *Compiler) referredKeywords(s *Schema, ref manifest.Node, depth int) {
	n, ok := c.Referred(c.text(ref))
	if !ok {
		c.reject(ref, diag.UnknownField, "unknown schema %q", ref.Text())
		return
	}
	c.keywords(s, n, depth)
}

// restrictions are the keywords that do not matter for decoding.
var restrictions = map[string]bool{
	"default": true, "required": true, "enum": true, "pattern": true, "minLength": true, "maxLength": true,
	"minItems": true, "maxItems": true, "minProperties": true, "maxProperties": true, "minimum": true, "maximum": true,
	"exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true, "x-kubernetes-validations": true,
	"x-kindvet-each": true, "allOf": true, "anyOf": true, "oneOf": true, "not": true,
}
