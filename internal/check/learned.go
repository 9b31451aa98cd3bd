package check

import (
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
)

// Asked is a group of kinds, or a namespace, about which a check asked what the texts of all files say: the CRDs of the
// group, or the level that the Namespace enforces.
type Asked struct {
	IsNamespace bool
	Name        string
}

// Learned is what a memory has learned from the documents that were checked with it.
type Learned struct {
	Used  UsedKinds
	Tally Tally
	Asked map[Asked]bool
}

// Learn makes the memory note what its checks ask for.
func (m *Memory) Learn() { m.asked = map[Asked]bool{} }

// Take returns what the memory has learned, and makes the memory forget it.
func (m *Memory) Take() Learned {
	l := Learned{m.used, m.tally, m.asked}
	m.used, m.tally, m.asked, m.recent = nil, nil, nil, recentKinds{}
	return l
}

// ask notes what the check of a document asks for.
func (m *Memory) ask(d *document) {
	if m.asked == nil {
		return
	}
	group, _ := catalog.SplitAPIVersion(d.APIVersion)
	for _, a := range [...]Asked{{Name: group}, {true, d.Namespace}} {
		if !m.asked[a] {
			m.asked[Asked{a.IsNamespace, strings.Clone(a.Name)}] = true
		}
	}
}
