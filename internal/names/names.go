// Package names gives kinds and fields a platform's own names.
//
// Built-in kinds and lint rules use built-in names. A [Vocabulary] states what a platform calls them. [New] determines
// what it means for a set of CRDs. These are rewritten, so everything derived from them uses the platform's names.
// Documents are never rewritten: code and rules in built-in names see them through a [View], which gives fields their
// built-in names.
package names

import (
	"slices"

	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/tuple"
)

// Vocabulary maps built-in names to a platform's own names. The zero value changes nothing.
type Vocabulary struct {
	// Groups and Kinds are renameKey wherever they occur.
	Groups, Kinds []Rename
	// Fields are given by a bare name, such as objectStore, which renames every field with that name, or by a path,
	// such as Browser.spec.recording. Paths consist of built-in names, and omit list items and map keys.
	Fields []Rename
	// Words restrict what a schema leaves open.
	Words []Words
	// Deprecated holds the deprecated keys of configuration files that contain some of these names.
	Deprecated []source.Word
}

// Rename gives a new name to what is called From.
type Rename struct{ From, To source.Word }

// Words are the names allowed at a place that a schema leaves open: the values of a string, or the further fields of
// an object.
type Words struct {
	Path  source.Word
	Words []source.Word
}

// IsZero reports whether the names change nothing.
func (v Vocabulary) IsZero() bool {
	return len(v.Groups)+len(v.Kinds)+len(v.Fields)+len(v.Words) == 0
}

// Extend returns v merged with base. If both rename the same thing, v takes precedence.
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

// extend returns the entries of base whose subjects top does not contain, followed by top.
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

// Key identifies the names: vocabularies with equal keys make the same changes.
type Key struct {
	groups, kinds, fields tuple.List[renameKey]
	words                 tuple.List[wordsKey]
}

type renameKey struct{ from, to string }

type wordsKey struct {
	path  string
	words tuple.List[string]
}

// Key returns the key of a vocabulary.
func (v Vocabulary) Key() Key {
	list := func(renames []Rename) tuple.List[renameKey] {
		var texts []renameKey
		for _, r := range renames {
			texts = append(texts, renameKey{r.From.Text, r.To.Text})
		}
		return tuple.Of(texts)
	}
	var words []wordsKey
	for _, w := range v.Words {
		var texts []string
		for _, word := range w.Words {
			texts = append(texts, word.Text)
		}
		words = append(words, wordsKey{w.Path.Text, tuple.Of(texts)})
	}
	return Key{list(v.Groups), list(v.Kinds), list(v.Fields), tuple.Of(words)}
}
