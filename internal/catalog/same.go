package catalog

import "strings"

// SameKind returns the built-in kind that a platform's kind probably corresponds to: one with the same name, in a
// group with a similar first label. A name that starts with the name of the vendor is compared without it. Decide
// anew if a platform has several such kinds.
func SameKind(group, kind string) (*Entry, bool) {
	if IsKubernetesDomain(group) {
		return nil, false
	}
	for _, e := range Embedded().Entries() {
		isSame := e.Name == kind
		if own, ok := strings.CutPrefix(e.Name, vendorPrefix); ok && !isSame {
			isSame = strings.HasSuffix(kind, own) && len(kind) > len(own)
		}
		isOther := e.Group != group && !IsKubernetesDomain(e.Group)
		if isSame && isOther && areSimilar(firstLabel(e.Group), firstLabel(group)) {
			return e, true
		}
	}
	return nil, false
}

// vendorPrefix stands for the name of the vendor in the names of built-in kinds.
const vendorPrefix = "Vendor"

func areSimilar(a, b string) bool { return strings.Contains(a, b) || strings.Contains(b, a) }

func firstLabel(group string) string {
	label, _, _ := strings.Cut(group, ".")
	return label
}
