package policy

import (
	"slices"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Selector selects objects by their labels. The zero value selects all.
type Selector struct{ requirements []requirement }

// requirement is about one label (k8s.io/apimachinery, labels.Requirement).
type requirement struct {
	key, operator string
	values        []string
}

// ReadSelector reads a label selector.
func ReadSelector(n manifest.Node) (s Selector) {
	if !isSet(n) {
		return s
	}
	if labels := n.At("matchLabels"); labels.Valid() && labels.Type() == manifest.Map {
		for l := range labels.Children() {
			s.requirements = append(s.requirements, requirement{l.Key(), "In", []string{l.Text()}})
		}
	}
	for item := range children(n.At("matchExpressions")) {
		s.requirements = append(s.requirements, requirement{item.TextAt("key"), item.TextAt("operator"), texts(item.At("values"))})
	}
	return s
}

// IsEmpty reports whether the selector selects everything.
func (s Selector) IsEmpty() bool { return len(s.requirements) == 0 }

// Labels are those of an object.
type Labels struct {
	Node manifest.Node // a map; not valid for none
	// Added is a label that a server adds; its key is "" for none.
	Added struct{ Key, Value string }
	// AreUnknown means that only the added label is known.
	AreUnknown bool
}

func (l Labels) find(key string) (value string, ok bool) {
	if key == l.Added.Key && key != "" {
		return l.Added.Value, true
	}
	if !l.Node.Valid() || l.Node.Type() != manifest.Map {
		return "", false
	}
	f, ok := l.Node.Field(key)
	if !ok {
		return "", false
	}
	return f.Text(), true
}

// Truth is true, false or unknown.
type Truth uint8

// These are the truths, in an order in which the smaller one decides a conjunction.
const (
	False Truth = iota
	Unknown
	True
)

// TruthOf returns a known truth.
func TruthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Matches reports whether the selector selects an object with labels. A label that is not known may have any value.
func (s Selector) Matches(l Labels) Truth {
	all := True
	for i := range s.requirements {
		all = min(all, s.requirements[i].matches(l))
	}
	return all
}

func (r *requirement) matches(l Labels) Truth {
	value, ok := l.find(r.key)
	if !ok && l.AreUnknown {
		return Unknown
	}
	switch r.operator {
	case "In":
		return TruthOf(ok && slices.Contains(r.values, value))
	case "NotIn":
		return TruthOf(!ok || !slices.Contains(r.values, value))
	case "Exists":
		return TruthOf(ok)
	case "DoesNotExist":
		return TruthOf(!ok)
	}
	return Unknown
}
