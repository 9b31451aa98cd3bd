// Package tuple holds lists that can be compared with == and be parts of the keys of maps.
package tuple

// List is a list of values. Two lists are equal if they have equal values in the same order. The zero value is the empty
// list.
type List[T comparable] struct{ tree any }

// pair has the two halves of a list. A chain would need as many stack frames as it has values when it is hashed.
type pair struct{ left, right any }

// Of returns a list of values.
func Of[T comparable](values []T) List[T] { return List[T]{treeOf(values)} }

func treeOf[T comparable](values []T) any {
	switch half := len(values) / 2; len(values) {
	case 0:
		return nil
	case 1:
		return values[0]
	default:
		return pair{treeOf(values[:half]), treeOf(values[half:])}
	}
}
