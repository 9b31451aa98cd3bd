package manifest

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Finding returns v as a finding about n. Where v has no place, path or severity, it gets the place that marks n as a
// whole, the path of n, and the severity Error.
func (n Node) Finding(v diag.Violation) diag.Violation {
	if v.Severity == 0 {
		v.Severity = diag.Error
	}
	if v.Place.IsZero() {
		v.Place = n.Place()
	}
	if v.Path == nil {
		v.Path = n.Path()
	}
	return v
}

// Place returns the place to mark for n as a whole (see [Node.MarkSpan]).
func (n Node) Place() source.Place { return n.tree.Source.Place(n.MarkSpan()) }

// KeyPlace returns the place of the key of n.
func (n Node) KeyPlace() source.Place { return n.tree.Source.Place(n.KeySpan()) }

// HeadPlace returns the place to mark for a map or list, for example one that lacks a field (see [Node.HeadSpan]).
func (n Node) HeadPlace() source.Place { return n.tree.Source.Place(n.HeadSpan()) }
