package lint

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/rules"
)

// providersFile lists objects that nobody has to define, because something else creates them: the kind of the object,
// what creates it, and its name. Kubernetes itself creates those whose second column is "-". Their third column is a
// name, or the start of names if it ends with *. All others are created for an object of the kind in the second
// column. Their third column is the path of their name there.
const providersFile = "lint/providers.tsv"

// provider is a line of the file.
type provider struct{ kind, by, name string }

var providers = sync.OnceValue(func() []provider {
	text, err := fs.ReadFile(rules.Lint, providersFile)
	if err != nil {
		panic("the providers are embedded: " + err.Error())
	}
	var list []provider
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			panic("the providers have a line without three columns: " + line)
		}
		list = append(list, provider{f[0], f[1], f[2]})
	}
	return list
})

// provided says which targets of a rule something else may create. The zero value has none.
type provided struct {
	// name is the index of the target's name in the key, or -1.
	name int
	// kinds are the kinds of the targets that have providers.
	kinds []string
	// known are the names of targets that every cluster has.
	known []string
}

func providersOf(t *target) provided {
	p := provided{name: slices.Index(t.Key, "name")}
	for _, x := range providers() {
		switch {
		case p.name < 0 || !slices.Contains(t.Kinds, x.kind):
		case x.by == "-":
			p.known = append(p.known, x.name)
		case !slices.Contains(p.kinds, x.kind):
			p.kinds = append(p.kinds, x.kind)
		}
	}
	return p
}

// isWellKnown reports whether every cluster has the target with this key.
func (e *entry) isWellKnown(key []byte) bool {
	if len(e.provided.known) == 0 {
		return false
	}
	name := partOf(key, e.provided.name)
	return slices.ContainsFunc(e.provided.known, func(known string) bool {
		start, isStart := strings.CutSuffix(known, "*")
		return string(name) == known || isStart && bytes.HasPrefix(name, []byte(start))
	})
}

// partOf returns a part of a key.
func partOf(key []byte, index int) (part []byte) {
	for range index + 1 {
		part, key, _ = bytes.Cut(key, nul)
	}
	return part
}

// AnyKind is the kind of providers whose objects are not known, such as Helm charts. References near them are findings
// only if a target has a similar name.
const AnyKind = "*"

// Provided returns the records of an object that a file provides without containing it.
func Provided(file, kind, name string) (r Records) {
	r.links.file = file
	r.links.list = []link{{key: r.links.add(providedKey(nil, kind, []byte(name))), role: aProvider}}
	return r
}

// providing is a path of names that an object provides, and the kind of the objects that it creates with them.
type providing struct {
	kind string
	path []step
}

// addProviders adds what documents of a kind provide for the references of the rules.
func (p *plan) addProviders(entries []*entry, k kind) {
	for _, x := range providers() {
		isUsed := func(e *entry) bool {
			return e.isReference() && (x.kind == AnyKind || slices.Contains(e.Target.Kinds, x.kind))
		}
		if x.by != "-" && matches(x.by, k) && slices.ContainsFunc(entries, isUsed) {
			p.providers = append(p.providers, providing{x.kind, mustPath(x.name)})
		}
	}
}

// recordProvided keeps the names that a document provides.
func (c *checker) recordProvided(p *providing) {
	if c.document.Candidates != nil {
		return
	}
	walk(c.document.Root, p.path, func(n manifest.Node) bool {
		if n.Type() == manifest.String {
			l := c.links()
			c.buffer = providedKey(c.buffer[:0], p.kind, []byte(n.Text()))
			l.list = append(l.list, link{key: l.add(c.buffer), role: aProvider})
		}
		return true
	})
}

func providedKey(to []byte, kind string, name []byte) []byte {
	return append(append(append(to, kind...), 0), name...)
}
