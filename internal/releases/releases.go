// Package releases finds which versions of known projects a repository uses.
//
// A version is stated by a chart whose version is that of the project (HelmRelease, Application, Chart.yaml,
// kustomization, OCIRepository, helmfile), by a revision of the project's repository (GitRepository, Application, URLs of
// kustomizations), or by the tag of an image. A range of versions states none. All are found by the names of the fields,
// so it does not matter which object they are in. Decide anew if a field of that name states something else.
package releases

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/semver"
	"github.com/kindvet/kindvet/internal/source"
)

// Use is a version of a project that a file states.
type Use struct {
	Project, Version string
	// By says what states the version: a chart, a repository or an image.
	By   string
	File string
	Line int

	isImage bool // the chart or the repository of a project is more certain
}

// Find returns the uses in a text, in their order. A document that cannot be read, such as a template, has none.
func Find(src *source.Source) []Use {
	if !mayHave(src.Text) {
		return nil
	}
	f := finder{src: src}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		if n := tree.Root(); n.Valid() {
			f.node(n)
		}
	}
	return f.uses
}

// mayHave reports whether a text has a field or value that may state a version.
func mayHave(text string) bool {
	return strings.Contains(text, "ersion") || strings.Contains(text, "evision") || strings.Contains(text, "github") ||
		strings.Contains(text, "image") || strings.Contains(text, "oci://") || strings.Contains(text, "newTag")
}

// Newest returns the use of a project with the highest version. Charts and repositories count before images.
func Newest(uses []Use, project string) (newest Use, ok bool) {
	for _, u := range uses {
		if u.Project != project {
			continue
		}
		if !ok || newest.isImage && !u.isImage ||
			newest.isImage == u.isImage && compare(u.Version, newest.Version) > 0 {
			newest, ok = u, true
		}
	}
	return newest, ok
}

func compare(a, b string) int {
	x, errX := semver.NewVersion(a)
	y, errY := semver.NewVersion(b)
	if errX != nil || errY != nil {
		return cmp.Or(boolean(errX == nil)-boolean(errY == nil), strings.Compare(a, b))
	}
	return x.Compare(y)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

type finder struct {
	src  *source.Source
	uses []Use
}

func (f *finder) node(n manifest.Node) {
	switch n.Type() {
	case manifest.Map:
		f.fields(n)
		for child := range n.Children() {
			f.node(child)
		}
	case manifest.List:
		for child := range n.Children() {
			f.node(child)
		}
	case manifest.String:
		f.text(n)
	}
}

// fields finds the chart or the repository that a map names together with a version.
func (f *finder) fields(n manifest.Node) {
	version := cmp.Or(n.TextAt("version"), n.TextAt("targetRevision"))
	if chart := cmp.Or(n.TextAt("chart"), n.TextAt("name")); chart != "" && version != "" {
		f.chart(n, path.Base(chart), version)
	}
	url := cmp.Or(n.TextAt("url"), n.TextAt("repoURL"))
	ref := n.At("ref")
	tag := cmp.Or(ref.TextAt("tag"), ref.TextAt("branch"), n.TextAt("targetRevision"))
	if strings.HasPrefix(url, "oci://") {
		f.chart(n, path.Base(url), tag)
	}
	f.repository(n, url, tag)
	if n.TextAt("kind") == "ClusterVersion" && strings.HasPrefix(n.TextAt("apiVersion"), "config.openshift.io/") {
		_, minor, _ := strings.Cut(n.At("spec").TextAt("channel"), "-")
		if _, err := semver.NewVersion(minor); err == nil {
			f.add(n, Use{Project: "openshift", Version: minor, By: "channel"})
		}
	}
	if tag := n.TextAt("newTag"); tag != "" { // of a kustomization
		f.image(n, cmp.Or(n.TextAt("newName"), n.TextAt("name")), tag)
	}
	if tag := n.TextAt("tag"); tag != "" { // of the values of a chart
		f.image(n, strings.TrimPrefix(n.TextAt("registry")+"/"+n.TextAt("repository"), "/"), tag)
	}
}

func (f *finder) chart(n manifest.Node, chart, version string) {
	for _, p := range known().charts[chart] {
		if v, ok := exact(&p, version); ok {
			f.add(n, Use{Project: p.Name, Version: v, By: "chart " + chart})
		}
	}
}

// exact returns the version of a project for that of a chart or an image. A range is not a version.
func exact(p *projects.Project, text string) (string, bool) {
	if _, err := semver.NewVersion(text); err != nil || strings.Count(text, ".") < 2 {
		return "", false
	}
	text, _, _ = strings.Cut(text, "+")
	text = strings.TrimPrefix(text, "v")
	if strings.HasPrefix(p.Verified, "v") {
		text = "v" + text
	}
	return text, true
}

// repository adds a revision of the repository of projects.
func (f *finder) repository(n manifest.Node, url, revision string) {
	m := repositoryPattern().FindStringSubmatch(url)
	if m == nil || revision == "" {
		return
	}
	owner := m[1]
	for _, p := range known().repositories[strings.ToLower(owner)] {
		if version, ok := strings.CutPrefix(revision, p.TagPrefix); ok && isVersion(&p, version) {
			f.add(n, Use{Project: p.Name, Version: version, By: "repository " + owner})
		}
	}
}

// repositoryPattern matches the URL of a repository on GitHub.
var repositoryPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?$`)
})

// isVersion reports whether a revision is a version of a project: one of its branches, or else a tag.
func isVersion(p *projects.Project, text string) bool {
	_, err := semver.NewVersion(text)
	return err == nil || p.HasBranches && text == p.Verified
}

// urlPattern matches a file or a directory of a repository on GitHub at a revision.
var urlPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`github(?:usercontent)?\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?` +
		`(?:/releases/download/|/archive/refs/tags/|/archive/|/raw/|/blob/|/tree/|//?[^?\s]*\?(?:[^\s]*&)?(?:ref|version)=|` +
		`\?(?:ref|version)=|/)(?:refs/(?:tags|heads)/)?([\w.+-]+(?:/v[\w.+-]+)?)`)
})

// imagePattern matches an image with a tag.
var imagePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([\w.-]+(?::\d+)?(?:/[\w.-]+)+):([\w.-]+)(?:@.*)?$`)
})

// text finds URLs and images in a value.
func (f *finder) text(n manifest.Node) {
	text := n.Text()
	if len(text) > 500 { // a script or a dashboard
		return
	}
	if strings.Contains(text, "github") {
		for _, m := range urlPattern().FindAllStringSubmatch(text, 4) {
			revision := m[2]
			for _, suffix := range []string{".tar.gz", ".zip"} {
				revision = strings.TrimSuffix(revision, suffix)
			}
			f.repository(n, "https://github.com/"+m[1], revision)
		}
	}
	if m := imagePattern().FindStringSubmatch(text); m != nil {
		f.image(n, m[1], m[2])
	}
}

func (f *finder) image(n manifest.Node, name, tag string) {
	parts := strings.Split(name, "/")
	if len(parts) < 2 {
		return
	}
	for _, p := range known().images[strings.Join(parts[len(parts)-2:], "/")] {
		if v, ok := exact(&p, tag); ok {
			f.add(n, Use{Project: p.Name, Version: v, By: "image " + name, isImage: true})
		}
	}
}

func (f *finder) add(n manifest.Node, u Use) {
	u.File, u.Line = f.src.Name, n.HeadPlace().Start().Line
	u.Version = strings.Clone(u.Version)
	u.By = strings.Clone(u.By)
	f.uses = append(f.uses, u)
}

// index finds projects by what states their versions.
type index struct{ charts, images, repositories map[string][]projects.Project }

var known = sync.OnceValue(func() index {
	x := index{map[string][]projects.Project{}, map[string][]projects.Project{}, map[string][]projects.Project{}}
	for _, p := range projects.All() {
		repository := strings.ToLower(strings.TrimPrefix(p.Repository, "https://github.com/"))
		x.repositories[repository] = append(x.repositories[repository], p)
		for _, name := range p.Charts {
			x.charts[name] = append(x.charts[name], p)
		}
		for _, name := range p.Images {
			x.images[name] = append(x.images[name], p)
		}
	}
	return x
})

// Projects returns the projects that define kinds, each with the groups of these kinds, sorted by name. others are kinds
// that no project is known for.
func Projects(kinds []Kind) (needed []Need, others []Kind) {
	for _, k := range kinds {
		p, ok := projects.ForKind(k.Group, k.Kind)
		if !ok {
			p, ok = projects.ForGroup(k.Group)
		}
		if !ok {
			others = append(others, k)
			continue
		}
		i := slices.IndexFunc(needed, func(n Need) bool { return n.Project.Name == p.Name })
		if i < 0 {
			i, needed = len(needed), append(needed, Need{Project: p})
		}
		needed[i].Kinds = append(needed[i].Kinds, k)
	}
	slices.SortFunc(needed, func(a, b Need) int { return strings.Compare(a.Project.Name, b.Project.Name) })
	return needed, others
}

// Kind is a kind without a schema.
type Kind struct{ Group, Kind string }

// Need is a project that defines kinds without a schema. IsPart reports whether only the groups of these kinds are wanted,
// as is always so of a project with very many kinds.
type Need struct {
	Project projects.Project
	Kinds   []Kind
	IsPart  bool
}

// Source returns the argument of 'kindvet schemas add' for a version. Of a part of a project, it names the groups.
func (n *Need) Source(version string) string {
	text := n.Project.Name + "@" + version
	if !n.IsPart && len(n.Project.Domains) == 0 {
		return text
	}
	var groups []string
	for _, k := range n.Kinds {
		groups = append(groups, k.Group)
	}
	slices.Sort(groups)
	return text + "//" + strings.Join(slices.Compact(groups), ",")
}
