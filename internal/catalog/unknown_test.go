package catalog

import (
	"strconv"
	"strings"
	"testing"
)

// manyKinds is a registry of n kinds, each in a group of its own.
func manyKinds(n int) *Catalog {
	var kinds Source
	for i := range n {
		name := "Kind" + strconv.Itoa(i)
		kinds = append(kinds, &Entry{Group: "g" + strconv.Itoa(i) + ".example.com", Name: name, ListName: name + "List", Versions: []string{"v1"}})
	}
	return New(kinds)
}

// A stream of 40,000 documents of one unknown kind pays for its search once, however many kinds are known.
func TestOneUnknownKindIsExplainedOnce(t *testing.T) {
	r := manyKinds(1000)
	want := r.Explain("apps", "v1", "Deployment")
	allocations := testing.AllocsPerRun(100, func() {
		if r.Explain("apps", "v1", "Deployment") != want {
			t.Error("the second answer is another one")
		}
	})
	if allocations > 1 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestAnswersAboutUnknownKindsAreBounded(t *testing.T) {
	r := manyKinds(3)
	most := 0
	for i := range 3 * maxAnswers {
		r.Explain("apps", "v1", "Deployment"+strconv.Itoa(i))
		most = max(most, len(r.unknown.answers))
	}
	if most != maxAnswers {
		t.Errorf("%d answers are kept, want %d", most, maxAnswers)
	}
	for _, c := range []struct{ length, kept int }{{maxIdentity, 1}, {maxIdentity + 1, 0}} {
		r := manyKinds(3)
		r.Explain("", "", strings.Repeat("x", c.length))
		if have := len(r.unknown.answers); have != c.kept {
			t.Errorf("of an identity of %d bytes %d are kept, want %d", c.length, have, c.kept)
		}
	}
}
