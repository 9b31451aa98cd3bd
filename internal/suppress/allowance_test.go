package suppress

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestARunHasALimitOfSuppressions(t *testing.T) {
	src := &source.Source{Name: "a.yaml", Text: "# kindvet:ignore-file[a] r\n"}
	list := make([]Suppression, maxSuppressions)
	for i := range list {
		list[i].Place = src.Place(source.Span{Start: 23, End: 24})
	}
	var a Allowance
	for _, c := range []struct{ size, want, faults int }{
		{0, 0, 0}, {maxSuppressions - 1, maxSuppressions - 1, 0}, {1, 1, 0}, {0, 0, 0}, {1, 0, 1}, {2, 0, 1},
	} {
		kept, faults := a.Limit(list[:c.size])
		if len(kept) != c.want || len(faults) != c.faults {
			t.Errorf("of %d: have %d and %d faults, want %d and %d", c.size, len(kept), len(faults), c.want, c.faults)
		}
	}
	var b Allowance
	b.Limit(list[:1])
	if kept, faults := b.Limit(list); len(kept) != maxSuppressions-1 || len(faults) != 1 {
		t.Errorf("at the limit: have %d and %d faults", len(kept), len(faults))
	}
}
