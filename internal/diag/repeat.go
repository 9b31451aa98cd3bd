package diag

import (
	"cmp"
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// maxRepeatsShown is the maximum number of further places that a finding with repeats lists. The others are counted.
// Raise it if people ask where they are.
const maxRepeatsShown = 5

// repeatKey is what the repeats of a finding have in common.
type repeatKey struct {
	file          string
	object        Object
	rule          Rule
	severity      Severity
	message, help string
	kubernetes    Versions
}

// MergeRepeats makes one finding of all that state the same fault of a lint rule in the same object, that are only
// about keys that override others in it, that say of several charts that they lack the same dependency or have the same mistake
// that Helm ignores, that the same is not known of several texts, that several objects may be of another version than the newest
// CRDs, or that say of several objects that they are too large for kubectl apply. It stands at the first place, counts the places,
// and lists others as related places. Call it when the report is sorted and suppressions have been applied: a suppressed finding must
// not stand for others.
func (r *Report) MergeRepeats() {
	first := map[repeatKey]int{}
	kept := r.Violations[:0]
	for i := range r.Violations {
		v := &r.Violations[i]
		key := repeatKey{v.Place.File, v.Object, v.Rule, v.Severity, v.Message, v.Help, Versions{}}
		isMergeable := v.Object.Document != 0 && (!v.Rule.IsStructural() || v.Rule == DuplicateKey && v.Severity < Error)
		switch v.Rule {
		case MissingDependency:
			key.file, key.object, isMergeable = "", Object{}, true
		case ChartWarning:
			key = repeatKey{rule: v.Rule, severity: v.Severity, message: v.Path.String() + ": " + v.Message, help: v.Help}
			isMergeable = v.Severity < Error
		case UnknownContext:
			key, isMergeable = repeatKey{rule: v.Rule, message: cmp.Or(v.Common, v.Message)}, true
		case UnreadValue: // values.yaml of a chart may have many
			key, isMergeable = repeatKey{file: v.Place.File, rule: v.Rule, severity: v.Severity}, v.Severity == Info
		case TooLargeToApply: // its message has the size
			key, isMergeable = repeatKey{rule: v.Rule, severity: v.Severity, help: v.Help}, true
		default:
			if v.Common != "" && v.Severity < Error {
				key, isMergeable = repeatKey{rule: v.Rule, severity: v.Severity, message: v.Common}, true
			}
		}
		if !isMergeable {
			kept = append(kept, *v)
			continue
		}
		key.kubernetes = v.Kubernetes
		at, isRepeat := first[key]
		if !isRepeat {
			first[key] = len(kept)
			kept = append(kept, *v)
			continue
		}
		kept[at].repeat(v)
		r.Summary.discount(v.Severity)
	}
	clear(r.Violations[len(kept):])
	r.Violations = kept
}

// AddPlace counts a further place with the same fault, and lists it if there are few.
func (v *Violation) AddPlace(at source.Place, message string) {
	v.Places = max(v.Places, 1) + 1
	if v.Places <= maxRepeatsShown+1 {
		v.Related = append(v.Related, Related{Place: at, Message: message})
	}
}

// repeat adds a further place.
func (v *Violation) repeat(other *Violation) {
	v.Places = max(v.Places, 1) + 1
	v.More += other.More
	switch {
	case v.Rule == MissingDependency: // each place says what is not checked
		v.Related = append(v.Related, Related{Place: other.Place, Message: "also missing here"})
	case v.Rule == TooLargeToApply: // each place has a size
		message := "also " + strings.TrimPrefix(other.Object.String()+": "+other.Message, ": ")
		v.Related = append(v.Related, Related{Place: other.Place, Message: message, IsRepeat: true})
	case v.Rule == UnknownContext || v.Rule == ChartWarning || v.Rule == UnreadValue || v.Common != "":
		message := "also here"
		if other.Message != v.Message {
			message = "also " + other.Message
		}
		v.Related = append(v.Related, Related{Place: other.Place, Message: message, IsRepeat: true})
	case v.Places <= maxRepeatsShown+1:
		v.Related = append(v.Related, Related{Place: other.Place, Message: "also " + other.Path.String()})
	}
}
