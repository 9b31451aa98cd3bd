package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/test/parity"
)

// Definition is a file with a CustomResourceDefinition, loaded by both sides.
type Definition struct {
	// File is its path relative to the root of the project.
	File  string
	Kinds map[string]*Kind
	Ours  *catalog.Catalog
	// Seeds are objects that the server accepts, by version.
	Seeds map[string][]any
	// Text is the definition itself, if it is not in a file.
	Text string
}

// Definitions loads all definitions of the project: those of the registry, with the good examples of testdata/kinds
// as seeds, and those of the laboratory.
func Definitions(root string) ([]*Definition, error) {
	var all []*Definition
	for _, pattern := range []string{"rules/kinds/*/*.yaml", "internal/oracle/testdata/schemas/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if filepath.Base(file) == "customresourcedefinitions.yaml" {
				continue // DefinitionVerdict is used for its objects
			}
			switch filepath.Base(filepath.Dir(file)) {
			case "kustomize.config.k8s.io": // only kustomize reads these files; no API server accepts such a schema of metadata
				continue
			case "kubernetes": // not CustomResourceDefinitions
				continue
			}
			d, err := loadDefinition(root, file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, d)
		}
	}
	return all, nil
}

func loadDefinition(root, file string) (*Definition, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	name, err := filepath.Rel(root, file)
	if err != nil {
		return nil, err
	}
	d := &Definition{File: filepath.ToSlash(name), Seeds: map[string][]any{}}
	if d.Kinds, err = Load(text); err != nil {
		return nil, err
	}
	ours, violations := parity.Registry(string(text))
	if len(violations) > 0 {
		return nil, fmt.Errorf("ours: %s", violations[0].Message)
	}
	d.Ours = ours
	seeds, err := filepath.Glob(filepath.Join(root, "internal", "oracle", "testdata", "seeds", filepath.Base(file)))
	if err != nil {
		return nil, err
	}
	for _, k := range d.Kinds {
		examples, err := filepath.Glob(filepath.Join(root, "testdata", "kinds", k.gvk.Group, k.gvk.Version, k.gvk.Kind,
			"good-*.yaml"))
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, examples...)
	}
	slices.Sort(seeds)
	return d, d.addSeeds(seeds)
}

// addSeeds adds the objects of files with a single object as seeds.
func (d *Definition) addSeeds(files []string) error {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, part := range strings.Split("\n"+string(text), "\n---\n") {
			v, err := parse(part)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			m, ok := v.(map[string]any)
			if !ok {
				continue
			}
			for version, k := range d.Kinds {
				if m["kind"] != k.gvk.Kind || m["apiVersion"] != k.gvk.GroupVersion().String() {
					continue
				}
				if v := k.Verdict(parity.Request{New: render(m, true), JSON: true}); !v.Accepted {
					return fmt.Errorf("%s: a seed is refused: %v", file, v.Causes)
				}
				d.Seeds[version] = append(d.Seeds[version], m)
			}
		}
	}
	return nil
}

// Versions returns the served versions in order.
func (d *Definition) Versions() []string {
	var versions []string
	for version := range d.Kinds {
		versions = append(versions, version)
	}
	slices.Sort(versions)
	return versions
}

// versionOf returns the version that an object states if it is served, and otherwise the given version.
func (d *Definition) versionOf(object any, otherwise string) string {
	says := at(object, []step{{"apiVersion", -1}})
	for version, k := range d.Kinds {
		if says == k.gvk.GroupVersion().String() {
			return version
		}
	}
	return otherwise
}

// record makes a case of a request and its verdict. If the status endpoint has another verdict, the case is one of
// the documented exception and has that verdict.
func (d *Definition) record(name, version string, r parity.Request) parity.Case {
	k := d.Kinds[version]
	c := parity.Case{Name: name, Schema: d.File, Version: version, Request: r, Verdict: k.Verdict(r)}
	if k.noMetadata {
		c.Exception = "document"
	}
	if k.hasStatus {
		if withStatus := k.StatusVerdict(r); withStatus.Accepted != c.Verdict.Accepted ||
			!slices.Equal(withStatus.Causes, c.Verdict.Causes) {
			c.Exception, c.Verdict = "status", withStatus
		}
	}
	return c
}

// Compare returns the differences between our verdict on a case and upstream's.
func (d *Definition) Compare(c parity.Case) []string {
	return parity.Differences(c.Verdict, parity.Check(d.Ours, c.Request))
}

// Cases returns the cases of a definition. Each seed is created. Each variant of a seed that crosses a boundary is
// created, and also sent in an update: as an update of the seed, as an update of itself if it is refused, or as the
// old object of the seed. The variants that apply to any value are used only at the interval every.
func (d *Definition) Cases(every int) []parity.Case {
	var cases []parity.Case
	seen := map[string]bool{}
	for _, version := range d.Versions() {
		add := func(name string, r parity.Request) parity.Case {
			c := d.record(name, version, r)
			key := version + "\x00" + r.New + "\x00" + r.Old
			if !seen[key] {
				seen[key] = true
				cases = append(cases, c)
			}
			return c
		}
		seeds := d.smallSeeds(version)
		for s, seed := range seeds {
			whole := render(seed, false)
			add("a good object", parity.Request{New: whole})
			add("a good object, in JSON", parity.Request{New: render(seed, true), JSON: true})
			if samePlace(seed, seed) {
				add("nothing changes", parity.Request{New: whole, Old: whole})
			}
			changed := variants(seed, d.Kinds[version].structural)
			if s == 0 || s == len(seeds)-1 {
				changed = append(changed, metadataVariants(seed)...)
				if samePlace(seed, seed) {
					for _, u := range metadataUpdates(seed) {
						add(u.name, parity.Request{New: render(u.object, false), Old: render(u.old, false)})
					}
				}
			}
			for i, v := range changed {
				if v.common && i%every != 0 {
					continue
				}
				isJSON := i/every%3 == 0
				text := render(v.object, isJSON)
				c := add(v.name, parity.Request{New: text, JSON: isJSON})
				switch {
				case c.Verdict.Stage != "" && c.Verdict.Stage != "validation" || !samePlace(seed, v.object):
				case i/every%2 == 0:
					add(v.name+", by an update", parity.Request{New: text, Old: render(seed, isJSON), JSON: isJSON})
				case c.Verdict.Stage == "validation":
					add(v.name+", as before the update", parity.Request{New: text, Old: text, JSON: isJSON})
				default:
					add(v.name+" no more after the update", parity.Request{New: render(seed, isJSON), Old: text, JSON: isJSON})
				}
			}
		}
	}
	return cases
}

// Limits on the seeds from which cases are made: their number, and their length. All seeds of the laboratory are used.
const (
	mostSeeds   = 1
	longestSeed = 1200
)

func (d *Definition) smallSeeds(version string) []any {
	if strings.HasPrefix(d.File, "internal/oracle/testdata/") {
		return d.Seeds[version]
	}
	seeds := slices.DeleteFunc(slices.Clone(d.Seeds[version]),
		func(v any) bool { return len(render(v, true)) > longestSeed })
	slices.SortStableFunc(seeds, func(a, b any) int { return len(render(b, true)) - len(render(a, true)) })
	return seeds[:min(mostSeeds, len(seeds))]
}

// samePlace reports whether one object can be an update of the other: both have the same kind, name and namespace.
func samePlace(a, b any) bool {
	for _, field := range []string{"name", "namespace"} {
		path := []step{{"metadata", -1}, {field, -1}}
		x, y := at(a, path), at(b, path)
		if x != y || field == "name" && (x == nil || x == "") {
			return false
		}
	}
	for _, field := range []string{"apiVersion", "kind"} {
		if at(a, []step{{field, -1}}) != at(b, []step{{field, -1}}) {
			return false
		}
	}
	_, isMap := at(b, []step{{"metadata", -1}}).(map[string]any)
	return isMap
}
