package projects

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/openapi"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/store"
)

var (
	repositories = flag.String("repositories", "", "`DIR` of bare repositories, as OWNER+NAME/repo; clone to clone each")
	update       = flag.Bool("update", false, "write rules/projects.yaml")
	only         = flag.String("projects", "", "`NAMES` of projects, with commas; all by default")
)

func TestKindsAreThoseOfTheRepositories(t *testing.T) {
	if *repositories == "" {
		t.Skip("needs -repositories")
	}
	const file = "../../../rules/projects.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := projects.All()
	for i := range all {
		p := &all[i]
		if *only != "" && !slices.Contains(strings.Split(*only, ","), p.Name) {
			continue
		}
		groups, err := groupsOf(p, *repositories)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		have, want := kindsText(p.Groups), kindsText(ownGroups(p, groups))
		if have == want {
			continue
		}
		if text = replaceKinds(text, p.Name, want); !*update {
			t.Errorf("%s@%s: kinds:\n%s\nwant:\n%s", p.Name, p.Verified, have, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// ownGroups returns the groups without the kinds of other projects, and without those of large projects.
func ownGroups(p *projects.Project, groups map[string]map[string]bool) (own []projects.Group) {
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if _, domain, _ := strings.Cut(name, "."); slices.Contains(p.Domains, domain) {
			continue
		}
		g := projects.Group{Name: name}
		for _, kind := range slices.Sorted(maps.Keys(groups[name])) {
			if owner, ok := projects.ForKind(name, kind); !ok || owner.Name == p.Name {
				g.Kinds = append(g.Kinds, kind)
			}
		}
		if len(g.Kinds) > 0 {
			own = append(own, g)
		}
	}
	return own
}

// groupsOf reads the kinds that a project defines at the verified version, by group.
func groupsOf(p *projects.Project, directory string) (map[string]map[string]bool, error) {
	repository := filepath.Join(directory, strings.ReplaceAll(
		strings.TrimPrefix(p.Repository, "https://github.com/"), "/", "+"), "repo")
	if directory == "clone" {
		dir, err := os.MkdirTemp("", "project-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		repository = dir
		if _, err := git("", "clone", "--quiet", "--bare", "--depth=1", "--branch="+p.Tag(p.Verified), p.Repository, dir); err != nil {
			return nil, err
		}
	}
	paths := slices.Clone(p.Paths)
	if p.OpenAPI.File != "" {
		paths = append(paths, p.OpenAPI.File)
	}
	archived, err := git(repository, append([]string{"archive", p.Ref(p.Verified), "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	return readKinds(p, archived)
}

func readKinds(p *projects.Project, archived []byte) (map[string]map[string]bool, error) {
	var crds []store.CRD
	in := tar.NewReader(bytes.NewReader(archived))
	for {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg || !p.Has(h.Name) {
			continue
		}
		text, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		src := &source.Source{Name: h.Name, Text: string(text)}
		if h.Name == p.OpenAPI.File {
			if src.Text, err = openapi.CRDs(src.Text, p.OpenAPI); err != nil {
				return nil, err
			}
		}
		some, problems := store.Split(src)
		for _, problem := range problems {
			fmt.Printf("%s@%s: %s\n", p.Name, p.Verified, problem)
		}
		crds = append(crds, some...)
	}
	unique, conflicts := store.Unique(crds)
	for _, conflict := range conflicts {
		fmt.Printf("%s@%s: %s\n", p.Name, p.Verified, conflict)
	}
	groups := map[string]map[string]bool{}
	for _, c := range unique {
		group, kind := c.Kind()
		if groups[group] == nil {
			groups[group] = map[string]bool{}
		}
		groups[group][kind] = true
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("no CRD in %v at %s", p.Paths, p.Ref(p.Verified))
	}
	return groups, nil
}

func git(dir string, args ...string) ([]byte, error) {
	c := exec.Command("git", args...)
	c.Dir = dir
	var failure bytes.Buffer
	c.Stderr = &failure
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %s", strings.Join(args, " "), strings.TrimSpace(failure.String()))
	}
	return out, nil
}

// kindsText returns groups as they are written in the file. Lines end before column 120.
func kindsText(groups []projects.Group) string {
	var b strings.Builder
	if len(groups) > 0 {
		b.WriteString("  kinds:\n")
	}
	for _, g := range groups {
		line := "    " + g.Name + ": ["
		for i, kind := range g.Kinds {
			if i > 0 {
				line += ","
				if len(line)+len(kind) > 116 {
					b.WriteString(line + "\n")
					line = "     "
				}
				line += " "
			}
			line += kind
		}
		b.WriteString(line + "]\n")
	}
	return b.String()
}

// replaceKinds replaces the kinds of a project in the text of the file.
func replaceKinds(text []byte, name, kinds string) []byte {
	var b strings.Builder
	isProject, isKinds := false, false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "- name: "):
			if isProject && !isKinds {
				b.WriteString(kinds)
			}
			isProject, isKinds = line == "- name: "+name+"\n", false
		case isProject && line == "  kinds:\n":
			isKinds = true
			b.WriteString(kinds)
			continue
		case isProject && isKinds && strings.HasPrefix(line, "    "):
			continue
		}
		b.WriteString(line)
	}
	if isProject && !isKinds {
		b.WriteString(kinds)
	}
	return []byte(b.String())
}
