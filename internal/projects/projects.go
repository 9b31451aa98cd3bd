// Package projects lists well-known projects that define kinds: their API groups, and where their repositories keep
// the CustomResourceDefinitions. The data are in rules/projects.yaml.
//
// The list does not include the schemas of the kinds: 'kindvet schemas add' fetches those.
package projects

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// Project is one well-known project. It must not be changed.
type Project struct {
	// Name is the short name, and Title is the name by which people know the project.
	Name, Title string
	// Repository is the https URL of a repository on GitHub. TagPrefix precedes the version in its tags. If
	// HasBranches is set, versions are branches instead of tags.
	Repository, TagPrefix string
	HasBranches           bool
	// Verified is the version at which Paths and Groups were compared with the repository.
	Verified string
	// Paths are files and directories, relative to the root of the repository and with slashes. A directory includes
	// everything below it.
	Paths []string
	// Skip are patterns of [path.Match] for the names of files in Paths that are not read, such as CRDs of features that
	// are off by default.
	Skip []string
	// OpenAPI are kinds without a CRD.
	OpenAPI OpenAPI
	// Charts are the names of Helm charts whose version is that of the project, and Images the container images whose
	// tag is, without their registries.
	Charts, Images []string
	// Groups are the API groups of the project's kinds, sorted by name.
	Groups []Group
	// Domains end the API groups of a project with too many kinds to list. Its files are named after the groups.
	Domains []string
}

// Group is an API group of a project, with the kinds that the project defines in it, sorted by name. Other projects
// may define kinds in the same group.
type Group struct {
	Name  string
	Kinds []string
}

// OpenAPI says which kinds the OpenAPI document of a project describes: those that an aggregated API server serves, and
// those whose CRDs a program makes when it runs.
type OpenAPI struct {
	// File is the path of the document; "" for none.
	File string
	// IsOfCRDs reports whether a program makes CRDs of the kinds. Otherwise an aggregated API server serves them.
	IsOfCRDs bool
	Kinds    []DefinedKind
}

// DefinedKind is a kind of an OpenAPI document.
type DefinedKind struct {
	Definition   string // the name of the definition
	Group, Kind  string
	Versions     []string // which all have the same fields
	Plural       string
	IsNamespaced bool
}

// Tag returns the git tag, or the branch, of a version.
func (p *Project) Tag(version string) string { return p.TagPrefix + version }

// Ref returns the git reference of a version.
func (p *Project) Ref(version string) string {
	if p.HasBranches {
		return "refs/heads/" + p.Tag(version)
	}
	return "refs/tags/" + p.Tag(version)
}

// Has reports whether a file of the repository, with a path relative to its root, may define kinds of the project.
func (p *Project) Has(file string) bool {
	if file == p.OpenAPI.File {
		return file != ""
	}
	switch path.Ext(file) {
	case ".yaml", ".yml", ".json":
	default:
		return false
	}
	isWithin := func(dir string) bool { return file == dir || strings.HasPrefix(file, dir+"/") }
	isSkipped := func(pattern string) bool { ok, _ := path.Match(pattern, path.Base(file)); return ok }
	return slices.ContainsFunc(p.Paths, isWithin) && !slices.ContainsFunc(p.Skip, isSkipped)
}

// Source returns the argument of 'kindvet schemas add' for the version at which the project was verified.
func (p *Project) Source() string { return p.Name + "@" + p.Verified }

// All returns the projects, sorted by name. The list must not be changed.
func All() []Project { return index().projects }

// Named returns the project with a short name.
func Named(name string) (Project, bool) {
	all := All()
	i, ok := slices.BinarySearchFunc(all, name, func(p Project, name string) int { return strings.Compare(p.Name, name) })
	if !ok {
		return Project{}, false
	}
	return all[i], true
}

// ForGroup returns the project that an API group belongs to. If several projects share the group, it returns the first
// one by name: see [ForKind].
func ForGroup(group string) (Project, bool) {
	return index().at(identity{group: group})
}

// ForKind returns the project that defines a kind.
func ForKind(group, kind string) (Project, bool) {
	return index().at(identity{group, kind})
}

// Defining returns the projects that define a kind with a name, in any group, with the first group of each.
func Defining(kind string) (found []Project, groups []string) {
	for _, p := range All() {
		for _, g := range p.Groups {
			if slices.ContainsFunc(g.Kinds, func(k string) bool { return strings.EqualFold(k, kind) }) {
				found, groups = append(found, p), append(groups, g.Name)
				break
			}
		}
	}
	return found, groups
}

// identity is a kind or, if kind is empty, a group.
type identity struct{ group, kind string }

// lookup finds projects by the groups and kinds that they define.
type lookup struct {
	projects []Project
	first    map[identity]int // the index of the first project
	domains  map[string]int
}

func (l *lookup) at(id identity) (Project, bool) {
	i, ok := l.first[id]
	if !ok {
		_, domain, _ := strings.Cut(id.group, ".")
		i, ok = l.domains[domain]
	}
	if !ok {
		return Project{}, false
	}
	return l.projects[i], true
}

// index parses the data on first use.
var index = sync.OnceValue(func() *lookup {
	l := &lookup{projects: parse(rules.Projects), first: map[identity]int{}, domains: map[string]int{}}
	add := func(id identity, i int) {
		if _, ok := l.first[id]; !ok {
			l.first[id] = i
		}
	}
	for i := range l.projects {
		for _, domain := range l.projects[i].Domains {
			l.domains[domain] = i
		}
		for _, g := range l.projects[i].Groups {
			add(identity{group: g.Name}, i)
			for _, kind := range g.Kinds {
				add(identity{g.Name, kind}, i)
			}
		}
	}
	return l
})

// parse parses a list of projects, which must be valid.
func parse(text string) []Project {
	src, tree := &source.Source{Name: "projects.yaml", Text: text}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			panic("the embedded list of projects can be read: " + vs[0].Message)
		}
	}
	var list []Project
	for n := range tree.Root().Children() {
		p := Project{
			Name: n.TextAt("name"), Title: n.TextAt("title"), Repository: n.TextAt("repository"),
			TagPrefix: n.TextAt("tagPrefix"), HasBranches: isTrue(n.At("branches")), Verified: n.TextAt("verified"),
			Paths: texts(n.At("paths")), Skip: texts(n.At("skip")), Charts: texts(n.At("charts")), Images: texts(n.At("images")),
			Domains: texts(n.At("domains")),
			OpenAPI: openAPI(n.At("openapi")),
		}
		for g := range n.At("kinds").Children() {
			p.Groups = append(p.Groups, Group{Name: g.Key(), Kinds: texts(g)})
		}
		list = append(list, p)
	}
	return list
}

// openAPI reads the kinds of an OpenAPI document. An entry is a definition with what CRDs call group, version, kind,
// plural and scope.
func openAPI(n manifest.Node) OpenAPI {
	if !n.Valid() {
		return OpenAPI{}
	}
	o := OpenAPI{File: n.TextAt("file"), IsOfCRDs: isTrue(n.At("crds"))}
	for k := range n.At("definitions").Children() {
		o.Kinds = append(o.Kinds, DefinedKind{
			Definition: k.TextAt("definition"), Group: k.TextAt("group"), Kind: k.TextAt("kind"),
			Versions: texts(k.At("versions")), Plural: k.TextAt("plural"), IsNamespaced: k.TextAt("scope") == "Namespaced",
		})
	}
	return o
}

func isTrue(n manifest.Node) bool { return n.Valid() && n.Type() == manifest.Boolean && n.Boolean() }

func texts(n manifest.Node) []string {
	var list []string
	if n.Valid() {
		for item := range n.Children() {
			list = append(list, item.Text())
		}
	}
	return list
}
