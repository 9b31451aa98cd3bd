//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lfs"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// vetter looks up every path in a layer, and replaces it with one that the library takes for a local file.
type vetter struct {
	repository *Repository
	layer      *layer
	depth      int
}

// local returns a path of the layer as the library gets it, and relative to the top. n is where it is named.
func (v vetter) local(name string, n manifest.Node) (rewritten, full string, fault *Fault) {
	full, ok := within(v.layer.dir, name)
	if !ok {
		if kustomization.IsRemote(name) {
			return "", "", v.layer.remote(n, name)
		}
		return "", "", v.layer.unsupported(n, diag.Quote(name)+" is outside the repository or the checked directory")
	}
	rewritten = path.Clean(name)
	if rewritten != ".." && !strings.HasPrefix(rewritten, "../") {
		rewritten = "./" + rewritten
	}
	return rewritten, full, nil
}

// file returns a path of the layer as the library gets it, and the text of the file, which is YAML.
func (v vetter) file(name string, n manifest.Node) (rewritten, full, text string, fault *Fault) {
	if rewritten, full, text, fault = v.anyFile(name, n); fault != nil {
		return "", "", "", fault
	}
	return rewritten, full, text, v.aliases(full, text)
}

// anyFile is like file, for a file that the library does not parse.
func (v vetter) anyFile(name string, n manifest.Node) (rewritten, full, text string, fault *Fault) {
	if rewritten, full, fault = v.local(name, n); fault != nil {
		return "", "", "", fault
	}
	text, ok, err := v.repository.text(full)
	if !ok {
		v.layer.missing = append(v.layer.missing, full)
	}
	switch {
	case err != nil:
		return "", "", "", v.layer.fault(place(n), causeOf(err))
	case !ok && kustomization.IsRemote(name):
		return "", "", "", v.layer.remote(n, name)
	case !ok && v.isIgnored(full):
		return "", "", "", v.layer.ignored(n, name)
	case ok && lfs.IsPointer(text):
		v.layer.files = append(v.layer.files, full)
		return "", "", "", v.layer.pointer(n, name)
	case !ok:
		return "", "", "", v.layer.known(place(n), diag.Quote(name)+" does not exist")
	}
	v.layer.files = append(v.layer.files, full)
	v.layer.bytes += len(text)
	if v.layer.sizes == nil {
		v.layer.sizes = map[string]int{}
	}
	v.layer.sizes[full] = len(text)
	v.layer.largest = max(v.layer.largest, len(text))
	v.layer.references.add(text)
	return rewritten, full, text, nil
}

// isIgnored reports whether git ignores a path where no file is.
func (v vetter) isIgnored(full string) bool {
	is := v.repository.reader.IsIgnored
	return is != nil && is(full)
}

// aliases returns the fault of a text whose aliases grow without bounds. The library replaces each with a copy.
func (v vetter) aliases(full, text string) *Fault {
	if !strings.Contains(text, "*") || !strings.Contains(text, "&") {
		return nil
	}
	for _, found := range v.repository.sources.of(full, text).faults() {
		if found.Severity == diag.Error {
			found.Detach()
			return &Fault{Violation: found, File: v.layer.file}
		}
	}
	return nil
}

// resources looks up files of objects, and loads bases. The library does not get those that kindvet does not read.
// withheldIn returns the name of the kustomization file that a directory lacks because git ignores it; "" if it has one, or if git
// does not.
func (v vetter) withheldIn(dir string) (withheld string) {
	for _, name := range kustomization.Names {
		full := path.Join(dir, name)
		if _, ok, err := v.repository.text(full); ok || err != nil {
			return ""
		}
		if withheld == "" && v.isIgnored(full) {
			withheld = name
		}
	}
	return withheld
}

func (v vetter) resources() *Fault {
	names := v.layer.fields.Resources
	v.layer.fields.Resources = names[:0]
	for _, name := range names {
		n := v.layer.item(name, "resources", "bases")
		rewritten, fault := v.resource(name, n)
		switch {
		case fault == nil:
			v.layer.fields.Resources = append(v.layer.fields.Resources, rewritten)
		case !v.layer.leaveOut(fault):
			return fault
		}
	}
	return nil
}

// resource looks up a resource, and returns its path as the library gets it.
func (v vetter) resource(name string, n manifest.Node) (rewritten string, fault *Fault) {
	rewritten, full, fault := v.local(name, n)
	switch {
	case fault != nil:
		return "", fault
	case v.repository.reader.IsDirectory(full):
		if file := v.withheldIn(full); file != "" {
			return "", v.layer.ignored(n, path.Join(name, file))
		}
		return rewritten, v.base(full, n, false)
	}
	_, _, text, fault := v.file(name, n)
	if fault != nil {
		return "", fault
	}
	v.layer.resources = append(v.layer.resources, resource{full, n})
	v.layer.documents += documentsIn(text)
	return rewritten, nil
}

func (v vetter) components() *Fault {
	names := v.layer.fields.Components
	v.layer.fields.Components = names[:0]
	for _, name := range names {
		rewritten, fault := v.component(name, v.layer.item(name, "components"))
		switch {
		case fault == nil:
			v.layer.fields.Components = append(v.layer.fields.Components, rewritten)
		case !v.layer.leaveOut(fault):
			return fault
		}
	}
	return nil
}

// component looks up a component, and returns its path as the library gets it.
func (v vetter) component(name string, n manifest.Node) (rewritten string, fault *Fault) {
	rewritten, full, fault := v.local(name, n)
	switch {
	case fault != nil:
		return "", fault
	case v.repository.reader.IsDirectory(full):
		if file := v.withheldIn(full); file != "" {
			return "", v.layer.ignored(n, path.Join(name, file)).needed()
		}
		return rewritten, v.base(full, n, true)
	case kustomization.IsRemote(name):
		return "", v.layer.remote(n, name)
	case v.isIgnored(full):
		return "", v.layer.ignored(n, name).needed()
	}
	return "", v.layer.known(place(n), diag.Quote(name)+" does not exist")
}

func (v vetter) base(dir string, n manifest.Node, isComponent bool) *Fault {
	if dir == "." || dir == v.layer.dir || strings.HasPrefix(v.layer.dir, dir+"/") {
		return v.layer.fault(place(n), "the directory contains the kustomization itself")
	}
	l, fault := v.repository.load(dir, v.depth+1)
	if l != nil && l.isBare {
		fault = l.fault(l.src.Place(source.Span{}),
			"the kustomization is empty, so those that name its directory cannot be built")
		fault.Violation.Help = "add a field, or remove the directory from their lists"
	}
	if fault != nil {
		return fault
	}
	if (l.fields.Kind == types.ComponentKind) != isComponent { // as in KustTarget.accumulateDirectory
		fault = v.layer.fault(place(n), diag.Quote(n.Text())+" is not a Component, so it cannot be in components")
		fault.Violation.Help = "move it to resources, or set its kind to Component"
		if !isComponent {
			fault.Violation.Message = diag.Quote(n.Text()) + " is a Component, so it cannot be in resources"
			fault.Violation.Help = "move it to components"
		}
		return fault
	}
	v.layer.bases = append(v.layer.bases, base{l, n, isComponent})
	return nil
}

// patches looks up the files of patches. The library gets an inline patch of patchesStrategicMerge as a file, because
// it would try to load its text as a path.
func (v vetter) patches() *Fault {
	k := &v.layer.fields
	merges := k.PatchesStrategicMerge
	k.PatchesStrategicMerge = merges[:0]
	for i, name := range merges {
		n := v.layer.item(string(name), "patchesStrategicMerge")
		rewritten, text, doc := "", string(name), (*document)(nil)
		if _, _, known, fault := v.file(text, n); fault == nil {
			var full string
			rewritten, full, _ = v.local(text, n)
			text, doc = known, v.repository.sources.of(full, known)
		} else if !strings.ContainsAny(text, "\n{") {
			if !v.layer.leaveOut(fault.needed()) {
				return fault
			}
			continue
		} else {
			rewritten = fmt.Sprintf("./.kindvet-patch-%d.yaml", i)
			v.layer.texts[path.Join(v.layer.dir, rewritten)] = text
			doc = inline(v.layer.src, n, text)
		}
		v.layer.keep("patchesStrategicMerge", i)
		k.PatchesStrategicMerge = append(k.PatchesStrategicMerge, types.PatchStrategicMerge(rewritten))
		file := path.Join(v.layer.dir, rewritten)
		v.layer.patches = append(v.layer.patches, patch{doc: doc, node: n, file: file})
	}
	for _, list := range []struct {
		name    string
		patches *[]types.Patch
	}{{"patches", &k.Patches}, {"patchesJson6902", &k.PatchesJson6902}} {
		all := *list.patches
		*list.patches = all[:0]
		for i, p := range all {
			at := patch{node: v.layer.at(list.name, i), owner: v.layer.file, list: list.name, index: len(*list.patches)}
			switch fault := v.patch(&p, at); {
			case fault == nil:
				v.layer.keep(list.name, i)
				*list.patches = append(*list.patches, p)
			case !v.layer.leaveOut(fault.needed()):
				return fault
			}
		}
	}
	return nil
}

// patch looks up the file of a patch. added has where the layer names it.
func (v vetter) patch(p *types.Patch, added patch) *Fault {
	n := added.node
	added.target = newTarget(p.Target)
	if p.Path == "" {
		added.doc = inline(v.layer.src, fieldOf(n, "patch"), p.Patch)
	} else {
		rewritten, full, text, fault := v.file(p.Path, fieldOf(n, "path"))
		if fault != nil {
			return fault
		}
		p.Path, added.file, added.doc = rewritten, full, v.repository.sources.of(full, text)
	}
	v.layer.patches = append(v.layer.patches, added)
	return nil
}

// otherFiles looks up the files of fields that only name files.
func (v vetter) otherFiles() *Fault {
	k := &v.layer.fields
	for _, list := range []struct {
		name  string
		paths *[]string
	}{{"crds", &k.Crds}, {"configurations", &k.Configurations}} {
		paths := *list.paths
		*list.paths = paths[:0]
		for _, name := range paths {
			rewritten, _, text, fault := v.file(name, v.layer.item(name, list.name))
			if v.layer.leaveOut(fault) {
				continue
			}
			if fault != nil {
				return fault
			}
			*list.paths = append(*list.paths, rewritten)
			v.layer.configurations = append(v.layer.configurations, text)
		}
	}
	replacements := k.Replacements
	k.Replacements = replacements[:0]
	for i, r := range replacements {
		item := v.layer.at("replacements", i)
		if r.Path == "" {
			v.layer.keep("replacements", i)
			k.Replacements = append(k.Replacements, r)
			v.layer.replacements = append(v.layer.replacements, replacementsIn(item)...)
			continue
		}
		rewritten, full, text, fault := v.file(r.Path, fieldOf(item, "path"))
		if v.layer.leaveOut(fault.needed()) {
			continue
		}
		if fault != nil {
			return fault
		}
		r.Path = rewritten
		v.layer.keep("replacements", i)
		k.Replacements = append(k.Replacements, r)
		for _, root := range v.repository.sources.of(full, text).objects() {
			v.layer.replacements = append(v.layer.replacements, replacementsIn(root)...)
		}
	}
	if name, ok := k.OpenAPI["path"]; ok {
		rewritten, _, _, fault := v.file(name, fieldOf(fieldOf(v.layer.root, "openapi"), "path"))
		switch {
		case fault == nil:
			k.OpenAPI["path"] = rewritten
		case v.layer.leaveOut(fault):
			k.OpenAPI = nil
		default:
			return fault
		}
	}
	return nil
}

// data looks up the files of generators. A file that does not exist is empty, because it is often created just before
// the build, and so is one that would be fetched.
func (v vetter) data() *Fault {
	k := &v.layer.fields
	for i := range k.ConfigMapGenerator {
		if fault := v.pairs(&k.ConfigMapGenerator[i].KvPairSources, v.layer.at("configMapGenerator", i)); fault != nil {
			return fault
		}
	}
	for i := range k.SecretGenerator {
		if fault := v.pairs(&k.SecretGenerator[i].KvPairSources, v.layer.at("secretGenerator", i)); fault != nil {
			return fault
		}
	}
	v.layer.documents += len(k.ConfigMapGenerator) + len(k.SecretGenerator)
	return nil
}

func (v vetter) pairs(p *types.KvPairSources, n manifest.Node) *Fault {
	for i, entry := range p.FileSources {
		key, name, hasKey := strings.Cut(entry, "=")
		if !hasKey {
			key, name = path.Base(entry), entry
		}
		at := n
		if file, ok := fieldOf(n, "files").Item(i); ok && file.Text() == entry {
			at = file
		}
		rewritten, fault := v.input(name, at)
		if fault != nil {
			return fault
		}
		p.FileSources[i] = key + "=" + rewritten
	}
	for i, name := range p.EnvSources {
		at := n
		if entry, ok := fieldOf(n, "envs").Item(i); ok && entry.Text() == name {
			at = entry
		}
		rewritten, fault := v.input(name, at)
		if fault != nil {
			return fault
		}
		p.EnvSources[i] = rewritten
	}
	return nil
}

// input returns the path of a file for a generator, as the library gets it.
func (v vetter) input(name string, n manifest.Node) (rewritten string, fault *Fault) {
	rewritten, full, fault := v.local(name, n)
	if v.layer.leaveOut(fault) {
		rewritten = "./.kindvet-absent" // the generator needs some file
		v.layer.empty[path.Join(v.layer.dir, rewritten)] = true
		return rewritten, nil
	}
	if fault != nil {
		return "", fault
	}
	if _, _, _, missing := v.anyFile(name, n); missing != nil {
		switch {
		case v.layer.leaveOut(missing):
		case !missing.IsOfFile:
			return "", missing
		}
		v.layer.empty[full] = true
	}
	v.layer.inputs = append(v.layer.inputs, full)
	return rewritten, nil
}
