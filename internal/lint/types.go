package lint

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
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

// appliesTo reports whether the rule applies to documents of a kind.
func (h *head) appliesTo(k kind) bool {
	if h.Type == "" {
		return matchesAny(h.Kinds, k)
	}
	return len(h.bases(k)) > 0
}

// bases returns the paths of the values to which the paths of the rule are relative, in documents of a kind: the
// document itself, unless the rule is about a type.
func (h *head) bases(k kind) []string {
	if h.Type == "" {
		return []string{""}
	}
	var paths []string
	if len(h.Kinds) == 0 || matchesAny(h.Kinds, k) {
		for _, p := range types()[h.Type] {
			if matches(p.kind, k) {
				paths = append(paths, p.path)
			}
		}
	}
	return paths
}

// pathsIn returns the paths of the values that the rule checks in documents of a kind.
func (h *head) pathsIn(k kind) [][]step {
	var list [][]step
	for _, base := range h.bases(k) {
		var steps []step
		if base != "" {
			steps = mustPath(base)
		}
		for _, each := range pathsOrRoot(h.Each) {
			list = append(list, slices.Concat(steps, each))
		}
	}
	return list
}

// podPath returns the path of the pod template in documents of a kind, or nil if the kind has none.
func podPath(k kind) []step {
	for _, p := range types()["PodTemplateSpec"] {
		switch {
		case !matches(p.kind, k):
		case p.path == "":
			return []step{}
		default:
			return mustPath(p.path)
		}
	}
	return nil
}

// podOf returns the pod template of a document, which is not valid if there is none.
func (p *plan) podOf(root manifest.Node) manifest.Node {
	if p.pod == nil {
		return manifest.Node{}
	}
	n, ok := first(root, p.pod)
	if !ok {
		return manifest.Node{}
	}
	return n
}

// Patterns returns the kinds of the rule: those of its file, or those that have its type.
func (r *Rule) Patterns() []string {
	if r.Type == "" {
		return r.Kinds
	}
	var kinds []string
	for _, p := range types()[r.Type] {
		name, group, _ := strings.Cut(p.kind, ".")
		isNew := len(kinds) == 0 || kinds[len(kinds)-1] != p.kind
		if isNew && r.appliesTo(kind{group, name}) {
			kinds = append(kinds, p.kind)
		}
	}
	return kinds
}
