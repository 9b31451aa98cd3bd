package library

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// Lifetime is a part of CEL that not every version of Kubernetes allows.
type Lifetime struct {
	Library string
	// New is the first minor version of Kubernetes 1 that allows it in new expressions, and Stored the first one that allows it
	// in expressions that the server has stored, so that a server can be downgraded.
	New, Stored int
	// Last is the last minor version that has it, or 0.
	Last int
	// Gate is the feature gate that decides about new expressions from Stored on, or "".
	Gate string
	// Functions is Markdown that lists it.
	Functions string
	// Overloads has the identifiers of overloads, the names of types, and the constants below.
	Overloads []string
}

// These stand for syntax in the overloads of a lifetime: a field whose name is a keyword, and a macro with two variables.
const (
	Keyword      = "@keyword"
	TwoVariables = "@two-variables"
)

//go:embed lifetimes.tsv
var lifetimesText string

// Lifetimes returns the parts of CEL that not every version of Kubernetes allows, oldest first. The list must not be changed.
func Lifetimes() []Lifetime { return lifetimes() }

var lifetimes = sync.OnceValue(func() []Lifetime {
	var all []Lifetime
	for line := range strings.Lines(lifetimesText) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i := range f {
			f[i] = strings.TrimPrefix(f[i], "-")
		}
		all = append(all, Lifetime{
			Library: f[0], New: minor(f[1]), Stored: minor(f[2]), Last: minor(f[3]), Gate: f[4], Functions: f[5],
			Overloads: strings.Fields(f[6]),
		})
	}
	return all
})

func minor(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("the table of lifetimes is valid: " + err.Error())
	}
	return n
}

// LifetimeOf returns the lifetime of an overload, a type or a syntax. It returns false if all versions have it.
func LifetimeOf(overload string) (l Lifetime, ok bool) {
	l, ok = lifetimeOf()[overload]
	return l, ok
}

var lifetimeOf = sync.OnceValue(func() map[string]Lifetime {
	m := map[string]Lifetime{}
	for _, l := range Lifetimes() {
		for _, name := range l.Overloads {
			m[name] = l
		}
	}
	return m
})
