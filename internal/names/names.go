// Package names calls kinds by a platform's own names.
//
// Built-in kinds and lint rules are written with built-in names. A [Vocabulary] states what a platform
// calls them. [New] finds out what it means for some CRDs; these are rewritten, so that all that is made of them
// speaks the platform's names. Documents never are: what is written in built-in names sees them through a [View],
// which gives fields their built-in names.
package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/source"
)

// Vocabulary is a platform's own names for the built-in ones. The zero value changes nothing.
type Vocabulary struct {
	// Groups and Kinds are renamed wherever they are.
	Groups, Kinds []Rename
	// Fields are given by a bare name, such as objectStore, which renames each field of that name, or by a path, such
	// as Browser.spec.recording. Paths consist of built-in names, without list items and map keys.
	Fields []Rename
	// Words restrict what a schema leaves open.
	Words []Words
	// Deprecated are the deprecated keys of configuration files that hold some of these names.
	Deprecated []source.Word
}

// Rename gives a new name to what is called From.
type Rename struct{ From, To source.Word }

// Words are the words of a place that a schema leaves open: for a string its values, for an object its further
// fields.
type Words struct {
	Path  source.Word
	Words []source.Word
}

// IsZero means that the names change nothing.
func (v Vocabulary) IsZero() bool {
	return len(v.Groups)+len(v.Kinds)+len(v.Fields)+len(v.Words) == 0
}

// Extend returns v on top of base: where both speak of the same, v wins.
func (v Vocabulary) Extend(base Vocabulary) Vocabulary {
	return Vocabulary{
		Groups: extend(base.Groups, v.Groups, Rename.from),
		Kinds:  extend(base.Kinds, v.Kinds, Rename.from),
		Fields: extend(base.Fields, v.Fields, Rename.from),
		Words:  extend(base.Words, v.Words, Words.path),

		Deprecated: slices.Concat(base.Deprecated, v.Deprecated),
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
func (v Vocabulary) Key() string {
	var key strings.Builder
	part := func(words ...string) { fmt.Fprintf(&key, "%q", words) }
	for _, renames := range [][]Rename{v.Groups, v.Kinds, v.Fields} {
		for _, r := range renames {
			part(r.From.Text, r.To.Text)
		}
		part()
	}
	for _, w := range v.Words {
		part(w.Path.Text)
		for _, word := range w.Words {
			part(word.Text)
		}
	}
	return key.String()
}
