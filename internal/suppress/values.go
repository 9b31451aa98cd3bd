package suppress

import (
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// FindInValues returns the suppressions in the comments of a file of values for charts. They suppress findings about
// values that are set there.
func FindInValues(src *source.Source) ([]Suppression, []diag.Violation) {
	if !Mentioned(src.Text) {
		return nil, nil
	}
	list, faults := Find(src)
	list = slices.DeleteFunc(list, func(s Suppression) bool { return s.By != diag.ByComment })
	for i := range list {
		list[i].isForSuppliers = true
	}
	return list, faults
}
