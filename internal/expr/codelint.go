package expr

import (
	"strings"

	"github.com/google/cel-go/common/types"

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
const sourceSlots slotSet = 1<<slotRaw | 1<<slotStyle | 1<<slotTag | 1<<slotKey | 1<<slotBetween

var lintVariables = [firstFreeLintSlot]string{
	slotSelf: "self", slotObject: "object", slotOldObject: "oldObject", slotObjects: "objects",
	slotRaw: "source.raw", slotStyle: "source.style", slotTag: "source.tag", slotKey: "source.key", slotBetween: "source.between",
}

// lintSlots are the slots of a variable and its members.
func lintSlots(variable string) (set slotSet) {
	for slot, name := range lintVariables {
		if of, _, _ := strings.Cut(name, "."); of == variable {
			set |= 1 << slot
		}
	}
	return set
}

// compileLintFlat makes closures of a lint rule's expression in the flat form.
func compileLintFlat(text string) (*compiledCode, error) {
	e, err := parseFlat(text)
	if err != nil {
		return nil, err
	}
	c := &compiler{slots: firstFreeLintSlot, most: firstFreeLintSlot}
	for slot, name := range lintVariables {
		c.scope = &binding{name: name, slot: slot, up: c.scope}
	}
	return c.compile(e)
}

// verdict says what becomes of an expression: true, false or an error, and whether that is certain.
func (l *Lint) verdict(v *Variables) (t truth, sure bool) {
	f := &v.frame
	l.code.start(f)
	v.fill(f, l.named)
	t = l.code.run(f)
	return t, !f.unsure
}

// fill puts variables into their slots. One that is not valid is an error, as it is to cel-go, but for the old object, which is null.
func (v *Variables) fill(f *frame, named slotSet) {
	f.slots[slotSelf] = undeclaredIfValid(v.Self)
	if named.has(slotObject) {
		f.slots[slotObject] = undeclaredIfValid(v.Object)
	}
	if named.has(slotOldObject) {
		f.slots[slotOldObject] = value{kind: kindNull}
		if v.OldObject.Valid() {
			f.slots[slotOldObject] = undeclared(v.OldObject)
		}
	}
	if named.has(slotObjects) {
		f.slots[slotObjects] = f.from(types.DefaultTypeAdapter.NativeToValue(v.Objects))
	}
	if named&sourceSlots != 0 {
		f.slots[slotRaw], f.slots[slotStyle] = stringOf(v.Source.Raw), stringOf(v.Source.Style)
		f.slots[slotTag], f.slots[slotKey], f.slots[slotBetween] = stringOf(v.Source.Tag), stringOf(v.Source.Key), stringOf(v.Source.Between)
	}
}

func undeclaredIfValid(n manifest.Node) value {
	if !n.Valid() {
		return value{}
	}
	return undeclared(n)
}
