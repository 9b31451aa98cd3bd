package diag

import (
	"math/bits"
	"strconv"
	"strings"
)

// Minors is a set of minor versions of Kubernetes 1, with a bit for each.
type Minors uint64

// Minor returns the set of one minor version, such as 33.
func Minor(minor int) Minors { return 1 << minor }

// Versions say which versions of Kubernetes a finding is about. The zero value is that of a run with one version.
type Versions struct {
	// Found are the versions that have the finding. Checked are all with which its file was checked.
	Found, Checked Minors
}

// Some returns the versions that have the finding, the oldest first, if others do not have it. Otherwise it returns nil.
func (v Versions) Some() (list []string) {
	if v.Found == v.Checked {
		return nil
	}
	for left := v.Found; left != 0; left &= left - 1 {
		list = append(list, "1."+strconv.Itoa(bits.TrailingZeros64(uint64(left))))
	}
	return list
}

// String returns the versions, such as "in Kubernetes 1.30, 1.31", if others do not have the finding. Otherwise it returns "".
func (v Versions) String() string {
	list := v.Some()
	if list == nil {
		return ""
	}
	return "in Kubernetes " + strings.Join(list, ", ")
}

// Said returns the message, followed by the versions of Kubernetes that have the finding, if others do not have it.
func (v *Violation) Said() string {
	if in := v.Kubernetes.String(); in != "" {
		return v.Message + " (" + in + ")"
	}
	return v.Message
}
