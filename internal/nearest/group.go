package nearest

import "strings"

// Group returns the candidate that the name of an API group is almost certainly a slip of: one with the same labels,
// between the dots, but for one that is another spelling, or a single edit away. Labels below five letters, and those
// that differ in digits, are not slips of each other: eks and ecs are two services, k8s.io and x-k8s.io two domains.
// Of equals, the first wins.
//
// Sibling groups may differ as little as that, so candidates should be few: groups that have the kind in question.
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

// shortestLabelSlip is the least number of letters of a label that one edit may turn into another.
const shortestLabelSlip = 5

func isLabelSlip(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	switch {
	case digitsOf(a) != digitsOf(b):
		return false
	case x == y: // but for signs between words
		return x != ""
	}
	return max(len(x), len(y)) >= shortestLabelSlip && distance(x, []byte(y), lettersOf(x), 2) == 1
}

// Kind returns the candidate that the name of a kind is almost certainly a slip of: one that differs in case, or is a
// single edit away inside the name. Another letter at the start or the end makes another kind, such as Router of
// Route and XMesh of Mesh, and so does any letter of a short name. Of equals, the first wins.
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

// shortestKindSlip is the least number of letters of a kind that one edit may turn into another.
const shortestKindSlip = 7

func isKindSlip(a, b string) bool {
	if max(len(a), len(b)) < shortestKindSlip || min(len(a), len(b)) == 0 || digitsOf(a) != digitsOf(b) {
		return false
	}
	return a[0] == b[0] && a[len(a)-1] == b[len(b)-1] && distance(a, []byte(b), lettersOf(a), 2) == 1
}
