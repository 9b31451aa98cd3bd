package diag

// MaxDescribed is the most violations of one document that a check describes. A document of a few megabytes can have
// millions.
const MaxDescribed = 10_000

// Overflow counts the violations of one document beyond MaxDescribed. The zero value is ready for use.
type Overflow struct{ last map[overflowKey]int }

type overflowKey struct {
	rule     Rule
	severity Severity
}

// CountsNotEvaluated reports whether a further rule that was not evaluated on a document is only counted, and counts
// it in the last.
func CountsNotEvaluated(list []NotEvaluated) bool {
	if len(list) < MaxDescribed {
		return false
	}
	list[len(list)-1].More++
	return true
}

// Counts reports whether a violation is only counted, and counts it: where the list of those before is full, in the
// last one of the same rule and severity. The first violation of a rule is described in any case.
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
