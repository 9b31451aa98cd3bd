package closure

import "github.com/kindvet/kindvet/internal/manifest"

// matchesLabels(selector, labels) reports whether a label selector selects labels (apimachinery,
// meta/v1.LabelSelectorAsSelector). A selector that is not valid selects nothing. matchesLabelsWith(selector, labels,
// more) adds labels, as keys each followed by its value, for the keys that labels does not have.
func matchesLabels(f *Frame, args []value) value {
	if args[0].kind != kindObject {
		return booleanOf(true)
	}
	l := labels{of: args[1]}
	if len(args) > 2 && args[2].kind == kindItems {
		l.more = f.lists[args[2].bits]
	}
	selector := args[0].node
	f.spend(selector.Len())
	for want := range selector.At("matchLabels").Children() {
		if have, ok := l.find(want.Key()); !ok || have != want.Text() {
			return booleanOf(false)
		}
	}
	for e := range selector.At("matchExpressions").Children() {
		if !f.selects(e, l) {
			return booleanOf(false)
		}
	}
	return booleanOf(true)
}

// selects reports whether an expression of a label selector holds for labels.
func (f *Frame) selects(e manifest.Node, l labels) bool {
	have, ok := l.find(e.TextAt("key"))
	isIn := false
	for v := range e.At("values").Children() {
		f.spend(1)
		isIn = isIn || ok && v.Text() == have
	}
	switch e.TextAt("operator") {
	case "In":
		return isIn
	case "NotIn":
		return !isIn
	case "Exists":
		return ok
	case "DoesNotExist":
		return !ok
	}
	return false
}

// labels are the labels in an object, and others: keys, each followed by its value.
type labels struct {
	of   value
	more []value
}

func (l labels) find(key string) (string, bool) {
	if l.of.kind == kindObject {
		if n, ok := l.of.node.Field(key); ok {
			return n.Text(), true
		}
	}
	for i := 0; i+1 < len(l.more); i += 2 {
		if l.more[i].text == key {
			return l.more[i+1].orText().text, true
		}
	}
	return "", false
}
