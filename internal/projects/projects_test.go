package projects

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

func TestEachProjectIsWholeAndWellFormed(t *testing.T) {
	var (
		name       = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
		repository = regexp.MustCompile(`^https://github\.com/[A-Za-z0-9-]+/[A-Za-z0-9._-]+$`)
		version    = regexp.MustCompile(`^v?\d+\.\d+(\.\d+)?(-[\d.]+)?$`)
		branch     = regexp.MustCompile(`^(\d+\.\d+|main|master)$`)
		prefix     = regexp.MustCompile(`^([a-z0-9]+[-/])*$`)
		image      = regexp.MustCompile(`^[a-z0-9-]+(/[a-z0-9-]+)+$`)
		group      = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
		kind       = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
	)
	for _, p := range All() {
		versions := version
		if p.HasBranches {
			versions = branch
		}
		for _, field := range []struct {
			name, text string
			pattern    *regexp.Regexp
		}{
			{"name", p.Name, name}, {"title", p.Title, regexp.MustCompile(`^\S`)}, {"repository", p.Repository, repository},
			{"verified", p.Verified, versions}, {"tagPrefix", p.TagPrefix, prefix},
		} {
			if !field.pattern.MatchString(field.text) {
				t.Errorf("%s: %s is %q, which does not match %v", p.Name, field.name, field.text, field.pattern)
			}
		}
		if len(p.Paths) == 0 && p.OpenAPI.File == "" || len(p.Groups) == 0 && len(p.Domains) == 0 {
			t.Errorf("%s: %d paths, %d groups", p.Name, len(p.Paths), len(p.Groups))
		}
		for _, text := range p.Charts {
			if !name.MatchString(text) {
				t.Errorf("%s: chart %q", p.Name, text)
			}
		}
		for _, text := range p.Images {
			if !image.MatchString(text) {
				t.Errorf("%s: image %q", p.Name, text)
			}
		}
		for _, text := range p.Skip {
			if _, err := path.Match(text, ""); err != nil {
				t.Errorf("%s: skip %q", p.Name, text)
			}
		}
		for _, text := range p.Domains {
			if !group.MatchString(text) {
				t.Errorf("%s: domain %q", p.Name, text)
			}
		}
		for _, k := range p.OpenAPI.Kinds {
			if len(k.Versions) == 0 || k.Plural == "" || k.Definition == "" || !hasKind(p, k.Group, k.Kind) {
				t.Errorf("%s: definition %+v", p.Name, k)
			}
		}
		for _, file := range p.Paths {
			if path.Clean(file) != file || path.IsAbs(file) || strings.HasPrefix(file, "..") {
				t.Errorf("%s: path %q", p.Name, file)
			}
		}
		for _, g := range p.Groups {
			if !group.MatchString(g.Name) || len(g.Kinds) == 0 || !slices.IsSorted(g.Kinds) {
				t.Errorf("%s: group %s: %v", p.Name, g.Name, g.Kinds)
			}
			for _, k := range g.Kinds {
				if !kind.MatchString(k) {
					t.Errorf("%s: group %s: kind %q", p.Name, g.Name, k)
				}
			}
		}
	}
}

func hasKind(p Project, group, kind string) bool {
	return slices.ContainsFunc(p.Groups, func(g Group) bool { return g.Name == group && slices.Contains(g.Kinds, kind) })
}

func TestProjectsAndGroupsAreInOrderAndEachKindHasOneProject(t *testing.T) {
	all := All()
	if len(all) < 150 {
		t.Errorf("%d projects", len(all))
	}
	owner := map[identity]string{}
	for i, p := range all {
		if i > 0 && all[i-1].Name >= p.Name {
			t.Errorf("%s comes before %s", all[i-1].Name, p.Name)
		}
		if !slices.IsSortedFunc(p.Groups, func(a, b Group) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("%s: the groups are not in order", p.Name)
		}
		for _, g := range p.Groups {
			for _, kind := range g.Kinds {
				id := identity{g.Name, kind}
				if other, ok := owner[id]; ok {
					t.Errorf("%s and %s both have kind %s in group %s", other, p.Name, kind, g.Name)
				}
				owner[id] = p.Name
			}
		}
	}
}

// The parser would silently ignore a misspelled key.
func TestNoProjectHasAnUnknownKey(t *testing.T) {
	src, tree := &source.Source{Text: rules.Projects}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	known := []string{"name", "title", "repository", "tagPrefix", "branches", "verified", "paths", "skip", "openapi",
		"charts", "images", "domains", "kinds"}
	for p := range tree.Root().Children() {
		for f := range p.Children() {
			if !slices.Contains(known, f.Key()) {
				t.Errorf("%s: unknown key %q", p.TextAt("name"), f.Key())
			}
		}
	}
}

func TestProjectsAreFoundByNameGroupAndKind(t *testing.T) {
	p, ok := Named("cert-manager")
	if !ok || p.Repository != "https://github.com/cert-manager/cert-manager" || p.Source() != "cert-manager@"+p.Verified {
		t.Errorf("Named(cert-manager) = %+v, %v", p, ok)
	}
	if _, ok := Named("cert-manage"); ok {
		t.Error("a name that is not known is found")
	}
	for _, c := range []struct{ group, kind, want string }{
		{"cert-manager.io", "Certificate", "cert-manager"},
		{"acme.cert-manager.io", "", "cert-manager"},
		{"argoproj.io", "", "argo-cd"},
		{"argoproj.io", "Rollout", "argo-rollouts"},
		{"argoproj.io", "Nothing", ""},
		{"gateway.networking.x-k8s.io", "", "gateway-api"},
		{"ecr.services.k8s.aws", "Repository", "ack-ecr"},
		{"karpenter.sh", "NodePool", "karpenter"},
		{"user.openshift.io", "Group", "openshift"},
		{"iam.aws.m.upbound.io", "Role", "crossplane-provider-aws"},
		{"iam.aws.upbound.io", "", "crossplane-provider-aws"},
		{"aws.m.upbound.io", "ProviderConfig", "crossplane-provider-aws"},
		{"upbound.io", "", ""},
		{"networking.k8s.io", "", ""},
		{"", "", ""},
	} {
		p, ok := ForKind(c.group, c.kind)
		if c.kind == "" {
			p, ok = ForGroup(c.group)
		}
		if ok != (c.want != "") || p.Name != c.want {
			t.Errorf("project of %s %s: %q, %v; want %q", c.group, c.kind, p.Name, ok, c.want)
		}
	}
}

func TestProjectsOfAKindWithoutAGroup(t *testing.T) {
	if p, groups := Defining("helmrelease"); len(p) != 2 || p[0].Name != "flux-helm-controller" ||
		groups[0] != "helm.toolkit.fluxcd.io" {
		t.Errorf("%d projects: %v", len(p), groups)
	}
	if p, _ := Defining("Nothing"); len(p) > 0 {
		t.Error(p)
	}
}

func TestAVersionIsATagOrABranch(t *testing.T) {
	tags, branches := Project{TagPrefix: "knative-"}, Project{TagPrefix: "release-", HasBranches: true}
	if have := tags.Ref("v1.2.3"); have != "refs/tags/knative-v1.2.3" {
		t.Error(have)
	}
	if have := branches.Ref("4.20"); have != "refs/heads/release-4.20" {
		t.Error(have)
	}
}

func TestAProjectHasTheFilesInItsPaths(t *testing.T) {
	p := Project{
		Paths: []string{"crds", "other/b.yaml"}, Skip: []string{"*-Preview.yaml"}, OpenAPI: OpenAPI{File: "api/openapi.json"},
	}
	for file, want := range map[string]bool{
		"crds/a.yaml": true, "crds/below/a.yml": true, "other/b.yaml": true, "api/openapi.json": true,
		"crds/a-Preview.yaml": false, "other/c.yaml": false, "crds.yaml": false, "crds/a.go": false, "api/other.json": false,
		"": false,
	} {
		if p.Has(file) != want {
			t.Errorf("%q: %v", file, !want)
		}
	}
}

func TestATagHasThePrefixOfItsProject(t *testing.T) {
	p := Project{TagPrefix: "knative-"}
	if have := p.Tag("v1.2.3"); have != "knative-v1.2.3" {
		t.Error(have)
	}
}
