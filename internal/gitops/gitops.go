// Package gitops reads the objects with which Flux and Argo CD, and the releases with which helmfile deploy charts and
// directories of a git repository.
//
// What the objects have in common is a [Source]: a path in a repository, and how to render what is there. Which fields
// say so is a table, see layouts.
package gitops

import (
	"iter"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/search"
	"github.com/kindvet/kindvet/internal/source"
)

// Source is a path in a git repository that an object deploys.
type Source struct {
	// Kind, Namespace and Name are those of the object.
	Kind, Namespace, Name string
	// URL is that of the repository. If it is "", the repository is an object with a namespace and name.
	URL        string
	Repository Repository
	// Revision is the branch, tag or commit; "" for the default.
	Revision string
	// Artifact is the kind of the repository if it holds what something has packed, such as OCIRepository; otherwise "".
	// Where its root is in a git repository is not known.
	Artifact string
	// Path is relative to the top of the repository, or to the root of the artifact. At is where the object names it.
	Path string
	At   source.Place
	// Only says what may be at the path; 0 means that what is there decides.
	Only What
	// Set holds the values for a chart, without those of files. ValueFiles are the paths of these files.
	Set        chart.Set
	ValueFiles []ValueFile
	// ValuesFrom are objects with values, which those of Set override.
	ValuesFrom []Reference
	// Later is a field with changes of what the chart writes; not valid if there are none.
	Later manifest.Node
	// Recurse means that a plain directory is deployed with the directories below it.
	Recurse bool
	// Files are the files of a plain directory that are deployed; nil for all.
	Files *Files
	// Values are those of a release of helmfile, in their order; they take the place of ValueFiles and the inputs of Set. IsLocal means
	// that the path is in the repository of the object.
	Values  []Value
	IsLocal bool
	// Generated says what fills the statements in the path, names and files of a template; nil if the source is none.
	Generated *Generated
	// Unknown is the first field whose effect on the output is not known; not valid if there is none.
	Unknown manifest.Node
	// Overrides are the names of files in the path; if one of them exists, the values are not known.
	Overrides []string
	// Edits are the changes of a kustomization. If IsBuilt is set, a plain directory is a kustomization of its files.
	Edits   *kustomize.Edit
	IsBuilt bool
	// Variables are maps of the variables that are replaced in what is built. The first map that has one counts. More are in
	// the objects VariablesFrom, of which the last one counts; see [Source.AddVariables]. HasOtherVariables means that what
	// is built may have variables whose values are not known.
	Variables         []manifest.Node
	VariablesFrom     []Reference
	HasOtherVariables bool
}

// What is at the path of a source.
type What uint8

// The possible contents of a path.
const (
	Chart What = iota + 1
	Kustomization
	Directory
)

// ValueFile is a file of values for a chart.
type ValueFile struct {
	// Path is relative to the chart or, if IsFromTop is set, to the top of the repository.
	Path      string
	IsFromTop bool
	// Source is the source of the same object that has the file; nil if it is the source itself.
	Source *Source
	At     source.Place
	// MayBeMissing means that the file need not exist.
	MayBeMissing bool
}

// Reference names a value of an object, which is a file of values or, if Target is set, the value of that path.
type Reference struct {
	Kind, Name, Key, Target string
	At                      source.Place
}

// Values are the values of a ConfigMap.
type Values struct {
	Namespace string
	Data      manifest.Node
}

// Repository is an object with the URL of a git repository.
type Repository struct{ Namespace, Name string }

// Objects are what a text says about deployments.
type Objects struct {
	Sources []Source
	// Repositories are the git repositories that sources may refer to by name. The same name may have several.
	Repositories []Definition
}

// Definition is the definition of a repository.
type Definition struct {
	Repository
	URL, Revision string
}

// A text of Flux or Argo CD objects has one of these marks.
var fluxMark, argoMark = search.For("toolkit.fluxcd.io/"), search.For("argoproj.io/v1alpha1")

// Mentioned reports whether a text may have objects of this package.
func Mentioned(text string) bool { return fluxMark.In(text) || argoMark.In(text) }

// variablesMark is the field of a Kustomization with variables. A patch of another object may add it.
const variablesMark = "postBuild:"

// MentionsVariables reports whether a text about objects of Flux, such as a Kustomization or a patch of some, has variables.
func MentionsVariables(text string) bool {
	return fluxMark.In(text) && strings.Contains(text, variablesMark)
}

// IsPlugin reports whether a plugin of Argo CD writes what the source deploys. Plugins replace placeholders in files.
func (s *Source) IsPlugin() bool { return s.Unknown.Valid() && s.Unknown.Key() == "plugin" }

// MentionsKind reports whether a text, such as a template, names a kind of this package.
func MentionsKind(text string) bool {
	return slices.ContainsFunc(layouts, func(l layout) bool { return strings.Contains(text, "kind: "+l.kind) })
}

// ConfigMaps returns the values of the ConfigMaps in a text that have a name.
func ConfigMaps(src *source.Source, name string) (list []Values) {
	if !strings.Contains(src.Text, "ConfigMap") || !strings.Contains(src.Text, name) {
		return nil
	}
	for part := range manifest.Parts(src) {
		if text := src.Text[part.Span.Start:part.Span.End]; strings.Contains(text, "ConfigMap") && strings.Contains(text, name) {
			list = addValues(list, src, part, name)
		}
	}
	return list
}

func addValues(list []Values, src *source.Source, part manifest.Part, name string) []Values {
	for object := range objectsIn(src, part) {
		data := object.At("data")
		if object.TextAt("apiVersion") == "v1" && object.TextAt("kind") == "ConfigMap" &&
			data.Valid() && data.Type() == manifest.Map && field("metadata.name").text(object) == name {
			list = append(list, Values{field("metadata.namespace").text(object), data})
		}
	}
	return list
}

// objectsIn yields the objects of a document: itself and, if it is a list, its items, which may be lists, too.
func objectsIn(src *source.Source, part manifest.Part) iter.Seq[manifest.Node] {
	tree := &manifest.Tree{}
	tree.Read(src, part)
	return func(yield func(manifest.Node) bool) { yieldObjects(tree.Root(), yield) }
}

func yieldObjects(n manifest.Node, yield func(manifest.Node) bool) bool {
	if !n.Valid() || n.Type() != manifest.Map {
		return true
	}
	if !yield(n) {
		return false
	}
	if items := n.At("items"); strings.HasSuffix(n.TextAt("kind"), "List") && items.Valid() && items.Type() == manifest.List {
		for item := range items.Children() {
			if !yieldObjects(item, yield) {
				return false
			}
		}
	}
	return true
}

// Find returns the objects in a text. Documents with syntax errors are ignored.
func Find(src *source.Source) (found Objects) {
	for part := range manifest.Parts(src) {
		if !Mentioned(src.Text[part.Span.Start:part.Span.End]) {
			continue
		}
		for object := range objectsIn(src, part) {
			found.add(object)
		}
	}
	return found
}

func (o *Objects) add(object manifest.Node) {
	group, version, _ := strings.Cut(object.TextAt("apiVersion"), "/")
	for i := range layouts {
		if l := &layouts[i]; version != "" && l.group == group && l.kind == object.TextAt("kind") {
			l.add(o, object)
		}
	}
}
