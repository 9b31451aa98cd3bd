// Package planted writes objects in many styles with faults in them, to test what fixes them.
//
// A case starts with an object that an API server accepts. It is written in a style that is drawn: in blocks, flow
// collections or JSON, with comments, anchors, other documents and the like. A fault replaces some bytes. What was there
// before, or what the fault says, is the text that a fix must make, so the bytes outside of the fault need no other
// comparison.
package planted

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/source"
)

// Case is a text with faults.
type Case struct {
	// Name is the file, with the extension of its format. Styles says what its style has.
	Name, Styles string
	// Bad is the text with faults, Want that without them.
	Bad, Want string
	Faults    []Fault
	// IsSingle means that the text is one document.
	IsSingle bool
	// parts is the text between the faults.
	parts []string
}

// Fault is one that was planted.
type Fault struct {
	Kind string
	// IsUnsafe means that a fix guesses. IsShared means that an alias stands for the part with the fault, so it may have no
	// fix.
	IsUnsafe, IsShared bool
	bad, want          string
}

// Draw draws a case from an object, a third of them with one fault. It returns false if the drawn fault has no place in it. Without
// isUnsafe, no fault has a fix that guesses.
func Draw(r *rand.Rand, object map[string]any, isUnsafe bool) (Case, bool) {
	t := write(object, drawStyle(r))
	c := Case{Name: "a.yaml", Styles: t.style.String(), IsSingle: len(t.style.before)+len(t.style.after) == 0}
	if t.isJSON() {
		c.Name = "a.json"
	}
	var changes []change
	for range 1 + r.IntN(3)*r.IntN(80) {
		kind := kinds[r.IntN(len(kinds))]
		if kind.isUnsafe && !isUnsafe || kind.isAlone && len(changes) > 0 {
			continue
		}
		made, at, ok := kind.plant(r, &t)
		if made.covers.End == 0 {
			made.covers = made.at
		}
		if !ok || made.bad == made.want || slices.ContainsFunc(changes, made.overlaps) {
			continue
		}
		made.fault = Fault{kind.name, kind.isUnsafe, at.isShared, made.bad, made.want}
		changes = append(changes, made)
		if kind.isAlone {
			break
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return a.at.Start - b.at.Start })
	at := 0
	for _, made := range changes {
		part := t.text[at:made.at.Start]
		c.parts, c.Faults, at = append(c.parts, part), append(c.Faults, made.fault), made.at.End
		c.Bad, c.Want = c.Bad+part+made.bad, c.Want+part+made.want
	}
	c.parts = append(c.parts, t.text[at:])
	c.Bad, c.Want = c.Bad+t.text[at:], c.Want+t.text[at:]
	return c, len(changes) > 0
}

// Fixed returns which faults are gone from a text. It returns false if the text differs from the others anywhere else.
func (c *Case) Fixed(text string) (fixed []bool, ok bool) {
	fixed = make([]bool, len(c.Faults))
	return fixed, c.isText(text, 0, fixed)
}

func (c *Case) isText(text string, i int, fixed []bool) bool {
	rest, ok := strings.CutPrefix(text, c.parts[i])
	if !ok || i == len(c.Faults) {
		return ok && rest == ""
	}
	for _, isFixed := range []bool{true, false} {
		written := c.Faults[i].bad
		if isFixed {
			written = c.Faults[i].want
		}
		if after, ok := strings.CutPrefix(rest, written); ok && c.isText(after, i+1, fixed) {
			fixed[i] = isFixed
			return true
		}
	}
	return false
}

// change replaces a part of a text without faults: by the fault in one text, by what a fix must make of it in the other.
type change struct {
	at source.Span
	// covers is what no other fault may change.
	covers    source.Span
	bad, want string
	fault     Fault
}

func (c change) overlaps(other change) bool {
	return c.covers.Start <= other.covers.End && other.covers.Start <= c.covers.End
}

// Read returns the object that a text holds, if it is one that can be written.
func Read(text string) (map[string]any, bool) {
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, false
	}
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(asJSON))
	d.UseNumber()
	if d.Decode(&object) != nil || len(object) == 0 || strings.ContainsRune(string(asJSON), '\ufffd') {
		return nil, false
	}
	return object, true
}
