package nearest

import "strings"

// Group returns the candidate of which the name of an API group is almost certainly a misspelling. All labels between
// the dots must be the same, except for one that is spelled differently or is a single edit away. Labels of fewer than
// five letters, and labels that differ in digits, do not count as misspellings of each other: eks and ecs are two
// services, and k8s.io and x-k8s.io are two domains. The first of several equally near candidates wins.
//
// Related groups may differ that little, so pass few candidates: only groups that have the kind in question.
func Group(name string, candidates []string) (string, bool) {
	best := ""
	for _, c := range candidates {
		if strings.EqualFold(c, name) && c != name {
			return c, true
		}
		if best == "" && c != name && differInOneLabel(name, c) {
			best = c
		}
	}
	return best, best != ""
}

func differInOneLabel(a, b string) bool {
	if len(a) > longest || len(b) > longest {
		return false
	}
	labels, others := strings.Split(a, "."), strings.Split(b, ".")
	if len(labels) != len(others) {
		return false
	}
	slips := 0
	for i, label := range labels {
		if label == others[i] {
			continue
		}
		if slips++; slips > 1 || !isLabelSlip(label, others[i]) {
			return false
		}
	}
	return slips == 1
}

// shortestLabelSlip is the minimum number of letters of a label in which one edit counts as a misspelling.
const shortestLabelSlip = 5

func isLabelSlip(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	switch {
	case digitsOf(a) != digitsOf(b):
		return false
	case x == y: // equal except for signs between words
		return x != ""
	}
	return max(len(x), len(y)) >= shortestLabelSlip && distance(x, []byte(y), lettersOf(x), 2) == 1
}

// Kind returns the candidate of which the name of a kind is almost certainly a misspelling: one that differs only in
// case, or by a single edit inside the name. An edit at the start or the end makes another kind, as in Router and
// Route or XMesh and Mesh, and so does any edit of a short name. The first of several equally near candidates wins.
func Kind(name string, candidates []string) (string, bool) {
	lower := strings.ToLower(name)
	best := ""
	for _, c := range candidates {
		other := strings.ToLower(c)
		switch {
		case c == name:
		case other == lower:
			return c, true
		case best == "" && isKindSlip(lower, other):
			best = c
		}
	}
	return best, best != ""
}

// shortestKindSlip is the minimum number of letters of a kind in which one edit counts as a misspelling.
const shortestKindSlip = 7

func isKindSlip(a, b string) bool {
	if max(len(a), len(b)) < shortestKindSlip || min(len(a), len(b)) == 0 || digitsOf(a) != digitsOf(b) {
		return false
	}
	return a[0] == b[0] && a[len(a)-1] == b[len(b)-1] && distance(a, []byte(b), lettersOf(a), 2) == 1
}
