package gitops

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/manifest"
)

// add adds what an object of the kind says.
func (l *layout) add(to *Objects, root manifest.Node) {
	object := Repository{field("metadata.namespace").text(root), field("metadata.name").text(root)}
	if l.isRepository {
		to.Repositories = append(to.Repositories, Definition{object, l.url.text(root), l.revisionOf(root)})
		return
	}
	if l.hasVariables && hasVariable(root) {
		return
	}
	var own []Source
	refs := map[string]int{}
	for _, list := range l.sources {
		for _, n := range list.items(root) {
			if n.Type() != manifest.Map {
				continue
			}
			if ref := l.ref.text(n); ref != "" {
				refs[ref] = len(own)
			}
			own = append(own, l.source(root, n, object))
		}
	}
	for i := range own {
		own[i].resolve(own, refs)
		own[i].substitute()
		if l.isTemplate {
			own[i].asTemplate(root)
		}
	}
	to.Sources = append(to.Sources, own...)
}

// revisionOf returns the revision of a repository. A tag or a commit never has the name of a branch here.
func (l *layout) revisionOf(root manifest.Node) string {
	ref, ok := l.revision.at(root)
	if !ok {
		return ""
	}
	for _, name := range []field{"commit", "name", "semver", "tag", "branch"} { // the first one wins
		if text := name.text(ref); text != "" {
			return strings.TrimPrefix(text, "refs/heads/")
		}
	}
	return ""
}

// hasVariable reports whether a string below a node has a variable.
func hasVariable(n manifest.Node) bool {
	if n.Type() == manifest.String && strings.Contains(n.Text(), "${") {
		return true
	}
	for child := range n.Children() {
		if hasVariable(child) {
			return true
		}
	}
	return false
}

// source returns a source of an object.
func (l *layout) source(root, n manifest.Node, object Repository) Source {
	s := Source{
		Kind: l.kind, Namespace: object.Namespace, Name: object.Name, Only: l.only,
		URL: l.url.text(n), Revision: l.revision.text(n), Path: l.path.text(n), Recurse: l.isRecursive || l.recurse.isSet(n),
		IsBuilt: l.isBuilt,
	}
	if at, ok := l.path.at(n); ok {
		s.At = at.Place()
	}
	if ref, ok := l.repository.at(n); ok && (ref.TextAt("kind") == "GitRepository" || isArtifact(ref.TextAt("kind"))) {
		s.Repository = Repository{cmp.Or(field("namespace").text(ref), object.Namespace), field("name").text(ref)}
		if kind := ref.TextAt("kind"); isArtifact(kind) {
			s.Artifact = kind
		}
	}
	options := []struct {
		field field
		what  What
	}{{l.chart, Chart}, {l.kustomization, Kustomization}, {l.directory, Directory}}
	for _, o := range options {
		if _, ok := o.field.at(n); ok {
			s.Only = o.what
		}
	}
	s.Files = filesOf(l.include.text(n), l.exclude.text(n))
	l.edit(&s, n)
	for _, f := range l.unknown {
		if unknown, ok := f.at(n); ok && !s.Unknown.Valid() {
			s.Unknown = unknown
		}
	}
	for _, name := range l.overrides {
		s.Overrides = append(s.Overrides, strings.ReplaceAll(name, "NAME", strings.ReplaceAll(object.Name, "/", "-")))
	}
	s.Set = l.set(root, n)
	s.Set.At = s.At
	for _, item := range l.valueFiles.items(n) {
		s.ValueFiles = append(s.ValueFiles, ValueFile{
			Path: scalar(item), IsFromTop: l.hasOwnDefaults, At: item.Place(), MayBeMissing: l.mayBeMissing.isSet(n),
		})
	}
	for _, item := range l.valuesFrom.items(n) {
		if item.Type() == manifest.Map {
			s.ValuesFrom = append(s.ValuesFrom, Reference{
				Kind: item.TextAt("kind"), Name: item.TextAt("name"), Key: cmp.Or(item.TextAt("valuesKey"), "values.yaml"),
				Target: item.TextAt("targetPath"), At: item.Place(),
			})
		}
	}
	if later, ok := l.later.at(n); ok && later.Len() > 0 {
		s.Later = later
	}
	return s
}

// isArtifact reports whether objects of a kind name files that something has packed, so that a path may start at any
// directory of a repository: https://fluxcd.io/flux/components/kustomize/kustomizations/#source-reference.
func isArtifact(kind string) bool {
	return kind == "OCIRepository" || kind == "Bucket" || kind == "ExternalArtifact"
}

// edit adds the changes of a kustomization.
func (l *layout) edit(s *Source, n manifest.Node) {
	if known, ok := l.variables.at(n); ok && known.Type() == manifest.Map {
		s.Variables = []manifest.Node{known}
	}
	for _, item := range l.otherVariables.items(n) {
		var ref Reference // of any other item nothing is known
		if item.Type() == manifest.Map {
			ref = Reference{Kind: item.TextAt("kind"), Name: item.TextAt("name"), At: item.Place()}
		}
		s.VariablesFrom = append(s.VariablesFrom, ref)
	}
	s.HasOtherVariables = len(s.VariablesFrom) > 0 || slices.ContainsFunc(s.Variables, hasVariable)
	fields, hasVariables := l.editsOf(n), len(s.Variables) > 0 || s.HasOtherVariables
	if fields == nil && !hasVariables {
		return
	}
	if fields == nil {
		fields = (&copier{}).source(n)
	}
	s.Edits = &kustomize.Edit{Fields: fields, At: s.At, ReplacesImages: l.replacesImages}
	if hasVariables {
		s.Edits.Substitute = substitution(s.Variables, s.HasOtherVariables)
	}
}

// set returns the values of a source, without files.
func (l *layout) set(root, n manifest.Node) chart.Set {
	namespace := l.namespace.text(n)
	set := chart.Set{
		Name:    l.kind + " " + field("metadata.name").text(root),
		Release: l.release.text(n), Namespace: cmp.Or(namespace, l.defaultNamespace.text(root)),
		KubeVersion:    l.kubeVersion.text(n),
		SkipsSchema:    l.skipsSchema.isSet(n),
		HasOwnDefaults: l.hasOwnDefaults && len(l.valueFiles.items(n)) > 0,
	}
	if set.Release == "" {
		set.Release = l.defaultRelease.text(root)
		if l.isPrefixed && namespace != "" {
			set.Release = namespace + "-" + set.Release
		}
	}
	for _, item := range l.apiVersions.items(n) {
		set.APIVersions = append(set.APIVersions, scalar(item))
	}
	for _, f := range l.values {
		if values, ok := f.at(n); ok && (values.Type() != manifest.String || values.Text() != "") {
			set.Inputs = append(set.Inputs, chart.Input{Value: values, IsChecked: values.Type() == manifest.String})
			break
		}
	}
	for _, isString := range []bool{false, true} { // --set-string wins over --set
		for _, item := range l.parameters.items(n) {
			name, value := field("name").text(item), field("value")
			at, ok := value.at(item)
			if name != "" && ok && l.isString.isSet(item) == isString {
				set.Inputs = append(set.Inputs, chart.Input{Key: name, Value: at, Text: scalar(at), IsString: isString})
			}
		}
	}
	return set
}

// resolve finds the sources of files such as $values/shop.yaml. own are the sources of the same object, refs their
// numbers by name.
func (s *Source) resolve(own []Source, refs map[string]int) {
	for i := range s.ValueFiles {
		f := &s.ValueFiles[i]
		name, rest, _ := strings.Cut(f.Path, "/")
		if number, ok := refs[strings.TrimPrefix(name, "$")]; ok && strings.HasPrefix(name, "$") {
			f.Source, f.Path, f.IsFromTop = &own[number], rest, true
		}
	}
}
