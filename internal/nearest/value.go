package nearest

import "strings"

// shortestStart is the minimum number of letters that may stand for the name that starts with them.
const shortestStart = 3

// Value returns the allowed value that another value almost certainly means: one that differs only in case or in the
// signs between words, otherwise one that is a single edit away, or otherwise the only one that starts with it. It returns false if two are a single edit away. Values
// are often opposites, such as internal and external or ipv4 and ipv6. So digits and the first letter must not differ.
func (w *Work) Value(value string, allowed []string) (string, bool) {
	if value == "" || len(value) > longest {
		return "", false
	}
	letters, digits := wordsOf(value), digitsOf(value)
	near, longer, count, slips := "", "", 0, 0
	for _, c := range allowed {
		if w.Left--; w.Left < 0 {
			return "", false
		}
		if c == value || c == "" || len(c) > longest || small(c[0]) != small(value[0]) {
			continue
		}
		w.Left -= len(c) / cellsOfComparison
		other := wordsOf(c)
		switch {
		case digitsOf(c) != digits || letters == "":
		case other == letters:
			return c, true
		case isValueSlip(letters, other):
			near = c
			slips++
		case len(letters) >= shortestStart && strings.HasPrefix(other, letters):
			longer = c
			count++
		}
	}
	switch {
	case slips > 1:
		return "", false
	case near == "" && count == 1:
		near = longer
	}
	return near, near != ""
}

func isValueSlip(a, b string) bool {
	return min(len(a), len(b)) >= shortestSlip && distance(a, []byte(b), lettersOf(a), 2) == 1 && !areOpposite(a, b)
}
