package rule

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/rules"
)

// typesFile lists where the values of a type are, one place per line: the type, the kind or the type that holds it,
// and the path from there. The path is empty if the object itself has the type's fields.
const typesFile = "lint/types.tsv"

// typePlace is a place of a type: the pattern of a kind, and the path of the value in its objects.
type typePlace struct{ kind, path string }

// types returns the places of each type, in the order of the file.
var types = sync.OnceValue(func() map[string][]typePlace {
	text, err := fs.ReadFile(rules.Lint, typesFile)
	if err != nil {
		panic("the places of types are embedded: " + err.Error())
	}
	places := map[string][]typePlace{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			panic("the places of types have a line without three columns: " + line)
		}
		within, isType := places[f[1]]
		if !isType {
			within = []typePlace{{kind: f[1]}}
		}
		for _, outer := range within {
			places[f[0]] = append(places[f[0]], typePlace{outer.kind, joinPath(outer.path, f[2])})
		}
	}
	return places
})

func joinPath(path, rest string) string {
	if path == "" || rest == "" {
		return path + rest
	}
	return path + "." + rest
}

// AppliesTo reports whether the rule applies to documents of a kind.
func (h *Head) AppliesTo(k Kind) bool {
	if h.Type == "" {
		return matchesAny(h.Kinds, k)
	}
	return len(h.bases(k)) > 0
}

// bases returns the paths of the values to which the paths of the rule are relative, in documents of a kind: the
// document itself, unless the rule is about a type.
func (h *Head) bases(k Kind) []string {
	if h.Type == "" {
		return []string{""}
	}
	var paths []string
	if len(h.Kinds) == 0 || matchesAny(h.Kinds, k) {
		for _, p := range types()[h.Type] {
			if k.Matches(p.kind) {
				paths = append(paths, p.path)
			}
		}
	}
	return paths
}

// PathsIn returns the paths of the values that the rule checks in documents of a kind.
func (h *Head) PathsIn(k Kind) []Path {
	var list []Path
	for _, base := range h.bases(k) {
		var steps Path
		if base != "" {
			steps = MustPath(base)
		}
		for _, each := range PathsOrRoot(h.Each) {
			list = append(list, slices.Concat(steps, each))
		}
	}
	return list
}

// PodPath returns the path of the pod template in documents of a kind, or nil if the kind has none.
func PodPath(k Kind) Path {
	for _, p := range types()["PodTemplateSpec"] {
		switch {
		case !k.Matches(p.kind):
		case p.path == "":
			return Path{}
		default:
			return MustPath(p.path)
		}
	}
	return nil
}

// Patterns returns the kinds of the rule: those of its file, or those that have its type.
func (h *Head) Patterns() []string {
	if h.Type == "" {
		return h.Kinds
	}
	var kinds []string
	for _, p := range types()[h.Type] {
		name, group, _ := strings.Cut(p.kind, ".")
		isNew := len(kinds) == 0 || kinds[len(kinds)-1] != p.kind
		if isNew && h.AppliesTo(Kind{group, name}) {
			kinds = append(kinds, p.kind)
		}
	}
	return kinds
}

// IsAbout reports whether a rule applies to documents of a kind.
func (h *Head) IsAbout(group, name string) bool { return h.AppliesTo(Kind{group, name}) }
