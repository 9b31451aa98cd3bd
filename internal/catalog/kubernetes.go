package catalog

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/expressions"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/validations"
	"github.com/kindvet/kindvet/rules"
)

// These are the minor versions of Kubernetes 1 whose kinds are known.
const (
	OldestKubernetes = 29
	NewestKubernetes = 37
)

// ParseKubernetes reads a version such as 1.33, v1.33 or 1.33.4, also with the suffix of a distribution, such as
// v1.34.6-eks-bbe087e or 1.33.1+k3s1, and returns the minor version. It returns false unless the kinds of that version
// are known.
func ParseKubernetes(text string) (minor int, ok bool) {
	match := kubernetesVersion().FindStringSubmatch(text)
	if match == nil {
		return 0, false
	}
	minor, err := strconv.Atoi(match[1])
	return minor, err == nil && OldestKubernetes <= minor && minor <= NewestKubernetes
}

// ParseVersions returns the minor versions of a list of versions, the oldest first. The error says which versions are known, or
// which appears twice.
func ParseVersions(list ...string) (minors []int, err error) {
	for _, text := range list {
		minor, ok := ParseKubernetes(text)
		switch {
		case !ok:
			return nil, fmt.Errorf("use a version from 1.%d to 1.%d", OldestKubernetes, NewestKubernetes)
		case slices.Contains(minors, minor):
			return nil, fmt.Errorf("1.%d appears twice", minor)
		}
		minors = append(minors, minor)
	}
	slices.Sort(minors)
	return minors, nil
}

// kubernetesVersion matches the text of a version.
var kubernetesVersion = sync.OnceValue(func() *regexp.Regexp {
	const suffix = `[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*`
	return regexp.MustCompile(`^v?1\.([1-9][0-9]*)(\.[0-9]+)?(-` + suffix + `)?(\+` + suffix + `)?$`)
})

// KubernetesKinds returns the kinds that an API server of Kubernetes 1.minor serves by default. 0 is the newest version. All
// callers share the entries, including the schemas that have been read.
func KubernetesKinds(minor int) Source {
	minor = cmp.Or(minor, NewestKubernetes)
	if minor < OldestKubernetes || minor > NewestKubernetes {
		panic(fmt.Sprintf("the kinds of Kubernetes 1.%d are not known", minor))
	}
	return kubernetesSources[minor-OldestKubernetes]()
}

var kubernetesSources = func() (sources [NewestKubernetes - OldestKubernetes + 1]func() Source) {
	for i := range sources {
		sources[i] = sync.OnceValue(func() Source { return ServerKinds(Server{Minor: OldestKubernetes + i}) })
	}
	return sources
}()

// kubernetesDir holds the kinds of Kubernetes in kinds.tsv, the types of their fields in types.yaml, both generated
// from k8s.io/kubernetes, and what we add to a type in overlay/TYPE.yaml.
const kubernetesDir = "kinds/kubernetes/"

func kubernetesFile(name string) string {
	text, err := fs.ReadFile(rules.Kinds, kubernetesDir+name)
	if err != nil {
		panic("the kinds of Kubernetes are embedded: " + err.Error())
	}
	return string(text)
}

// ServerKinds returns the kinds that an API server serves. Callers that have the same server should share the result.
//
// The list of kinds has a line for each version of a kind: group, version, kind, list kind, plural, scope, short names, type,
// the first and last minor version of Kubernetes that have it, and whether they serve it by default; - stands for nothing.
func ServerKinds(s Server) Source {
	types := newKubernetesTypes(s)
	byName := map[groupKind]*Entry{}
	var kinds Source
	for line := range strings.Lines(kubernetesFile("kinds.tsv")) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if !lives(f[8], f[9], types.server.Minor) {
			continue
		}
		for i := range f {
			f[i] = strings.TrimPrefix(f[i], "-")
		}
		if !s.serves(identity{f[0], f[1], f[2]}.apiVersion(), f[4], f[10] == "on") {
			continue
		}
		e, ok := byName[groupKind{f[0], f[2]}]
		if !ok {
			e = &Entry{
				Group: f[0], Name: f[2], ListName: f[3], Plural: f[4], Namespaced: f[5] == "Namespaced", Origin: Kubernetes,
			}
			if f[6] != "" {
				e.ShortNames = strings.Split(f[6], ",")
			}
			byName[groupKind{f[0], f[2]}] = e
			kinds = append(kinds, e)
		}
		e.addVersion(types, Kind{Version: f[1], Since: minorIn(f[8]), Until: minorIn(f[9])}, f[7])
	}
	return kinds
}

// lives reports whether a version is in the range of a line of the list of kinds.
func lives(since, until string, minor int) bool {
	last := minorIn(until)
	return minorIn(since) <= minor && (last == 0 || minor <= last)
}

// minorIn reads the version of a Kubernetes release such as 1.33, and returns its minor version; 0 for "" and "-".
func minorIn(text string) int {
	if text == "" || text == "-" {
		return 0
	}
	minor, err := strconv.Atoi(strings.TrimPrefix(text, "1."))
	if err != nil {
		panic("the list of kinds is valid: " + err.Error())
	}
	return minor
}

// addVersion adds a version of a kind, whose schema is the type of the given name. Prereleases come first, so the last
// version is the newest stable one.
func (e *Entry) addVersion(types *kubernetesTypes, k Kind, name string) {
	at := len(e.Versions)
	if isPrerelease(k.Version) {
		at = 0
	}
	e.Versions = slices.Insert(e.Versions, at, k.Version)
	others := e.load
	e.load = sync.OnceValue(func() loaded {
		var all loaded
		if others != nil {
			all = others()
		}
		all.kinds = slices.Insert(all.kinds, at, types.kind(e, k, name))
		return all
	})
}

// kubernetesTypes compiles the types of one minor version of Kubernetes. A type is compiled once, when the first kind
// that has it is used.
type kubernetesTypes struct {
	server Server // with the number of its version

	compiler schema.Compiler
	rules    validations.Native
	nodes    map[string]manifest.Node // types that have been read
	overlays map[manifest.Node]manifest.Node
}

func newKubernetesTypes(s Server) *kubernetesTypes {
	s.Minor = s.minor()
	t := &kubernetesTypes{server: s, nodes: map[string]manifest.Node{}, overlays: map[manifest.Node]manifest.Node{}}
	t.compiler = schema.Compiler{
		Trusted: true, Native: true, Kubernetes: s.Minor, Referred: t.find, RulesOf: t.rulesOf, IsOff: s.IsOff,
		Describe: describeField,
	}
	t.rules.Checked = checkedRule
	return t
}

func (t *kubernetesTypes) kind(e *Entry, k Kind, name string) *Kind {
	s, violations := t.compiler.CompileNamed(name)
	if len(violations) > 0 {
		panic("the types of Kubernetes are valid: " + violations[0].Message)
	}
	k.typeName = name
	k.Group, k.Name, k.Plural, k.ListName, k.Origin = e.Group, e.Name, e.Plural, e.ListName, Kubernetes
	k.Resource, k.Schema, k.Rules = e.resource(name, t.server.Minor), s, t.rules.NewRules(s)
	k.Expressions = expressions.New(s, t.server.CEL())
	k.DeprecationWarning, k.Replacement = deprecation(identity{e.Group, k.Version, e.Name}, t.server.Minor)
	k.Deprecated = k.DeprecationWarning != ""
	return &k
}
