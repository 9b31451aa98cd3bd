package native

import "github.com/kindvet/kindvet/internal/manifest"

// matchesLabels(selector, labels) reports whether a label selector selects labels (apimachinery,
// meta/v1.LabelSelectorAsSelector). A selector that is not valid selects nothing. matchesLabelsWith(selector, labels,
// more) adds labels, as keys each followed by its value, for the keys that labels does not have.
func matchesLabels(m *Meter, args []Value) Value {
	if args[0].Kind != Object {
		return Bool(true)
	}
	l := labels{of: args[1]}
	if len(args) > 2 && args[2].Kind == Strings {
		l.more = args[2].Strings
	}
	selector := args[0].Node
	m.spend(selector.Len())
	for want := range selector.At("matchLabels").Children() {
		if have, ok := l.find(want.Key()); !ok || have != want.Text() {
			return Bool(false)
		}
	}
	for e := range selector.At("matchExpressions").Children() {
		if !m.selects(e, l) {
			return Bool(false)
		}
	}
	return Bool(true)
}

// selects reports whether an expression of a label selector holds for labels.
func (m *Meter) selects(e manifest.Node, l labels) bool {
	have, ok := l.find(e.TextAt("key"))
	isIn := false
	for v := range e.At("values").Children() {
		m.spend(1)
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
	of   Value
	more []string
}

func (l labels) find(key string) (string, bool) {
	if l.of.Kind == Object {
		if n, ok := l.of.Node.Field(key); ok {
			return n.Text(), true
		}
	}
	for i := 0; i+1 < len(l.more); i += 2 {
		if l.more[i] == key {
			return l.more[i+1], true
		}
	}
	return "", false
}
