package sets

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/lint/rule"
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

func providersOf(t *rule.Target) provided {
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
func (p *provided) isWellKnown(key []byte) bool {
	if len(p.known) == 0 {
		return false
	}
	name := partOf(key, p.name)
	return slices.ContainsFunc(p.known, func(known string) bool {
		start, isStart := strings.CutSuffix(known, "*")
		return string(name) == known || isStart && bytes.HasPrefix(name, []byte(start))
	})
}

// AnyKind is the kind of providers whose objects are not known, such as Helm charts. References near them are findings
// only if a target has a similar name.
const AnyKind = "*"

func providedKey(to []byte, kind string, name []byte) []byte {
	return append(append(append(to, kind...), 0), name...)
}
