package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// Names are a platform's own words for the neutral ones of the embedded kinds. The zero value changes nothing.
type Names struct {
	// Groups and Kinds are renamed wherever they stand.
	Groups, Kinds []Rename
	// Members are named by themselves, as objectStore, which means each member of that name, or by a path, as Browser.spec.recording.
	// Paths are in neutral words; the items of a list and the values of a map are passed through.
	Members []Rename
	// Words close sets that a schema leaves open.
	Words []Words
}

// Rename gives a new name to what is called From.
type Rename struct{ From, To source.Word }

// Words are the words of a place that a schema leaves open: for a string its values, for an object its further members.
type Words struct {
	Path  source.Word
	Words []source.Word
}

// IsZero says that the names change nothing.
func (n Names) IsZero() bool {
	return len(n.Groups)+len(n.Kinds)+len(n.Members)+len(n.Words) == 0
}

// Extend returns n on top of base: where both speak of the same, n wins.
func (n Names) Extend(base Names) Names {
	return Names{
		Groups:  extend(base.Groups, n.Groups, Rename.from),
		Kinds:   extend(base.Kinds, n.Kinds, Rename.from),
		Members: extend(base.Members, n.Members, Rename.from),
		Words:   extend(base.Words, n.Words, Words.path),
	}
}

func (r Rename) from() string { return r.From.Text }
func (w Words) path() string  { return w.Path.Text }

// extend returns what base says of things that top does not speak of, and then top.
func extend[T any](base, top []T, subject func(T) string) []T {
	if len(top) == 0 {
		return slices.Clip(base)
	}
	replaced := map[string]bool{}
	for _, t := range top {
		replaced[subject(t)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(base), func(b T) bool { return replaced[subject(b)] })
	return append(kept, top...)
}

// Key tells names apart: those with equal keys change the same.
func (n Names) Key() string {
	var key strings.Builder
	part := func(words ...string) { fmt.Fprintf(&key, "%q", words) }
	for _, renames := range [][]Rename{n.Groups, n.Kinds, n.Members} {
		for _, r := range renames {
			part(r.From.Text, r.To.Text)
		}
		part()
	}
	for _, w := range n.Words {
		part(w.Path.Text)
		for _, word := range w.Words {
			part(word.Text)
		}
	}
	return key.String()
}
