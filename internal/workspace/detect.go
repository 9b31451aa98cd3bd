package workspace

import (
	"cmp"
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/settings"
)

// Detect derives a configuration for the directory of the base from the manifests and CRDs below it. The result
// depends only on the files.
func Detect(ctx context.Context, b find.Base) (config.Detected, error) {
	o := Options{
		Files:    find.Options{Base: b, Paths: []string{"."}, NoConfig: true, Charts: true},
		Settings: settings.Options{Lint: rule.Options{Profile: "schema"}},
		Check:    check.Options{UnknownKinds: check.Skip}, NoDiscovery: true,
	}
	result, err := Run(ctx, o)
	if err != nil {
		return config.Detected{}, err
	}
	var d detection
	for _, note := range result.Report.KindNotes {
		if note.IsSkipped {
			d.addKind(note.Group, note.Kind, note.Documents)
		}
	}
	finder, err := find.New(o.Files)
	if err != nil {
		return config.Detected{}, err
	}
	found, err := finder.Find(ctx)
	if err != nil {
		return config.Detected{}, err
	}
	for i := range found.Files {
		d.addFile(found.Tree, &found.Files[i])
	}
	templates := clusterFiles{tree: found.Tree}
	templates.walk(b.Dir, 0, func(full, text string) bool {
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(full)) { // those are files above
			d.addTemplate(text)
		}
		return true
	})
	return d.detected(), nil
}

// detection collects the kinds, the CRDs and the servers of a repository.
type detection struct {
	groups map[config.DetectedName]*groupUse
	kinds  map[config.DetectedName]bool
	files  []string                  // files with CRDs
	other  map[string]int            // files without CRDs, by directory
	paths  map[string]map[string]int // of the files that define each kind
	// gates and apis are those that the API server of a cluster turns on or off.
	gates, apis map[string]bool
}

// groupUse describes the use of a group that replaces a built-in one.
type groupUse struct {
	kinds     map[string]bool // their built-in names
	documents int
}

// addKind records documents of a kind in the repository.
func (d *detection) addKind(group, kind string, documents int) {
	e, ok := catalog.SameKind(group, kind)
	if !ok {
		return
	}
	name := config.DetectedName{BuiltIn: e.Group, Own: group}
	if d.groups == nil {
		d.groups, d.kinds = map[config.DetectedName]*groupUse{}, map[config.DetectedName]bool{}
	}
	if d.groups[name] == nil {
		d.groups[name] = &groupUse{kinds: map[string]bool{}}
	}
	d.groups[name].kinds[e.Name] = true
	d.groups[name].documents += documents
	if kind != e.Name {
		d.kinds[config.DetectedName{BuiltIn: e.Name, Own: kind}] = true
	}
}

// addFile records the CRDs of a file.
func (d *detection) addFile(t find.Tree, f *find.File) {
	if d.other == nil {
		d.other, d.paths = map[string]int{}, map[string]map[string]int{}
	}
	if f.Kind == find.Chart {
		return
	}
	name := path.Clean(filepath.ToSlash(f.Name))
	src, err := f.Source(t, disk.Schemas, false)
	if err == nil {
		d.addServer(src)
	}
	if err != nil || !strings.Contains(src.Text, "CustomResourceDefinition") {
		d.other[path.Dir(name)]++
		return
	}
	kinds, _, _ := catalog.ReadCRDs(src)
	if len(kinds) == 0 {
		d.other[path.Dir(name)]++
		return
	}
	d.files = append(d.files, name)
	for _, e := range kinds {
		d.addKind(e.Group, e.Name, 0)
		kind := e.Name + "." + e.Group
		if d.paths[kind] == nil {
			d.paths[kind] = map[string]int{}
		}
		d.paths[kind][name]++
	}
}

func (d *detection) detected() config.Detected {
	found := config.Detected{Groups: d.bestGroups(), Schemas: d.schemas(), FeatureGates: d.gates, APIs: d.apis}
	for _, kind := range slices.Sorted(maps.Keys(d.paths)) {
		if len(d.paths[kind]) > 1 && found.Redefined == "" {
			found.Redefined = kind
		}
	}
	for kind := range d.kinds {
		hasKind := func(g config.DetectedGroup) bool { return slices.Contains(g.Kinds, kind.BuiltIn) }
		if slices.ContainsFunc(found.Groups, hasKind) {
			found.Kinds = append(found.Kinds, kind)
		}
	}
	slices.SortFunc(found.Kinds, byBuiltIn)
	found.Kinds = slices.CompactFunc(found.Kinds, func(a, b config.DetectedName) bool { return a.BuiltIn == b.BuiltIn })
	return found
}

func byBuiltIn(a, b config.DetectedName) int {
	return cmp.Or(strings.Compare(a.BuiltIn, b.BuiltIn), strings.Compare(a.Own, b.Own))
}

// bestGroups returns, for each built-in group, the group with the most of its kinds. If several have the same number
// of kinds, the one with the most documents wins.
func (d *detection) bestGroups() []config.DetectedGroup {
	names := slices.SortedFunc(maps.Keys(d.groups), byBuiltIn)
	var best []config.DetectedGroup
	for _, name := range names {
		use := d.groups[name]
		g := config.DetectedGroup{DetectedName: name, Kinds: slices.Sorted(maps.Keys(use.kinds))}
		last := len(best) - 1
		if last < 0 || best[last].BuiltIn != name.BuiltIn {
			best = append(best, g)
			continue
		}
		other := d.groups[best[last].DetectedName]
		if cmp.Or(cmp.Compare(len(use.kinds), len(other.kinds)), cmp.Compare(use.documents, other.documents)) > 0 {
			best[last] = g
		}
	}
	return best
}

// schemas returns the directories in which at least half of the files have CRDs, and the other files with CRDs.
func (d *detection) schemas() []string {
	in := map[string]int{}
	for _, file := range d.files {
		in[path.Dir(file)]++
	}
	var paths []string
	for _, file := range d.files {
		if dir := path.Dir(file); dir != "." && in[dir] >= d.other[dir] {
			file = dir
		}
		paths = append(paths, file)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return slices.ContainsFunc(paths, func(other string) bool { return strings.HasPrefix(p, other+"/") })
	})
}
