package diag

// MaxDescribed is the maximum number of violations of one document that are described. A document of a few megabytes
// can have millions.
const MaxDescribed = 10_000

// Overflow counts the violations of one document beyond [MaxDescribed]. The zero value is ready to use.
type Overflow struct{ last map[overflowKey]int }

type overflowKey struct {
	rule     Rule
	severity Severity
}

// CountsNotEvaluated reports whether list is full. If so, it counts one more rule that was not evaluated on the
// document in the last element, and the caller must not append it.
func CountsNotEvaluated(list []NotEvaluated) bool {
	if len(list) < MaxDescribed {
		return false
	}
	list[len(list)-1].More++
	return true
}

// Counts reports whether a violation is only to be counted, not described. If so, it counts the violation in the last
// element of list with the same rule and severity. That happens once list is full. The first violation of a rule is
// always described.
func (o *Overflow) Counts(list []Violation, rule Rule, severity Severity) bool {
	if len(list) < MaxDescribed {
		return false
	}
	key := overflowKey{rule, severity}
	at, ok := o.last[key]
	if !ok {
		for at = len(list) - 1; at >= 0 && (list[at].Rule != rule || list[at].Severity != severity); at-- {
		}
		if at < 0 {
			return false
		}
		if o.last == nil {
			o.last = map[overflowKey]int{}
		}
		o.last[key] = at
	}
	list[at].More++
	return true
}
