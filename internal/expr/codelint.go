package expr

import (
	"strings"

	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Lint rules as closures: what they see has no schema, so that the type of each value is its node's own.

// The slots of the variables of lint rules. A member of source is a variable of its own.
const (
	slotObject = slotSelf + 1 + iota
	slotOldObject
	slotObjects
	slotRaw
	slotStyle
	slotTag
	slotKey
	slotBetween
	firstFreeLintSlot
)

// sourceSlots are those of the members of source.
const sourceSlots closure.Slots = 1<<slotRaw | 1<<slotStyle | 1<<slotTag | 1<<slotKey | 1<<slotBetween

var lintVariables = [firstFreeLintSlot]string{
	slotSelf: "self", slotObject: "object", slotOldObject: "oldObject", slotObjects: "objects",
	slotRaw: "source.raw", slotStyle: "source.style", slotTag: "source.tag", slotKey: "source.key", slotBetween: "source.between",
}

// lintSlots are the slots of a variable and its members.
func lintSlots(variable string) (set closure.Slots) {
	for slot, name := range lintVariables {
		if of, _, _ := strings.Cut(name, "."); of == variable {
			set |= 1 << slot
		}
	}
	return set
}

// compileLintFlat makes closures of a lint rule's encoded expression.
func compileLintFlat(text string) (*closure.Code, error) {
	var variables []closure.Variable
	for _, name := range lintVariables {
		variables = append(variables, closure.Variable{Name: name})
	}
	return closure.Compile(text, variables)
}

// verdict runs the closures of an expression.
func (l *Lint) verdict(v *Variables) closure.Outcome {
	l.code.Start(&v.frame)
	v.fill(&v.frame, l.named)
	return l.code.Run(&v.frame)
}

// fill puts variables into their slots. One that is not valid is an error, as it is to cel-go, but for the old object, which is null.
func (v *Variables) fill(f *closure.Frame, named closure.Slots) {
	set := func(slot int, n manifest.Node) {
		if n.Valid() {
			f.SetNode(slot, n, adapter.DynSchema())
		} else {
			f.SetAbsent(slot)
		}
	}
	set(slotSelf, v.Self)
	if named.Has(slotObject) {
		set(slotObject, v.Object)
	}
	if named.Has(slotOldObject) {
		f.SetNull(slotOldObject)
		if v.OldObject.Valid() {
			set(slotOldObject, v.OldObject)
		}
	}
	if named.Has(slotObjects) {
		f.SetList(slotObjects, v.Objects)
	}
	if named&sourceSlots != 0 {
		f.SetString(slotRaw, v.Source.Raw)
		f.SetString(slotStyle, v.Source.Style)
		f.SetString(slotTag, v.Source.Tag)
		f.SetString(slotKey, v.Source.Key)
		f.SetString(slotBetween, v.Source.Between)
	}
}
