// Package kustomization finds the files that a kustomization or component names, and what it uses them for.
//
// It does not look for the files: the caller must determine whether they exist.
package kustomization

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Names are the names of kustomization files (sigs.k8s.io/kustomize/api, konfig.RecognizedKustomizationFileNames).
var Names = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// Group is the API group of kustomizations and components. A kustomization file may omit apiVersion and kind.
const Group = "kustomize.config.k8s.io"

// IsName reports whether a path is that of a kustomization file.
func IsName(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, known := range Names {
		if base == known {
			return true
		}
	}
	return false
}

// Identity returns the apiVersion and kind of a document in a kustomization file, with defaults for those that it
// omits (types, Kustomization.FixKustomization).
func Identity(apiVersion, kind string) (string, string) {
	if kind == "" {
		kind = "Kustomization"
		if apiVersion == Group+"/v1alpha1" {
			kind = "Component"
		}
	}
	if apiVersion == "" {
		apiVersion = Group + "/v1beta1"
		if kind == "Component" {
			apiVersion = Group + "/v1alpha1"
		}
	}
	return apiVersion, kind
}

// Use says what a kustomization or a test does with a file.
type Use uint8

// Source is a file of objects, or a directory with a kustomization. Base is only the latter. Patch and Configuration,
// such as the configuration of a transformer, are not manifests. A Configuration may also be a directory. Input is
// read by a generator. It is often created just before the build, and is not part of the repository. Data is any other
// file. Expected is an object of a test that a cluster never has: the test compares it with one of the cluster, expects the
// server to reject it, or gives it to a policy engine. Applied is one that a test creates, and InPolicy one that a policy
// contains. PossiblePatch and PossibleConfiguration may also be manifests that others apply: a kustomization in another
// directory names them, or none does, except in a comment, and the name of the file or directory suggests a patch.
const (
	Source Use = iota + 1
	Base
	Patch
	Configuration
	Input
	Data
	Expected
	Applied
	InPolicy
	PossiblePatch
	PossibleConfiguration
)

// IsPatch reports whether a file is a patch, IsConfiguration whether it is a configuration, and IsPossible whether it
// may also be a manifest.
func (u Use) IsPatch() bool         { return u == Patch || u == PossiblePatch }
func (u Use) IsConfiguration() bool { return u == Configuration || u == PossibleConfiguration }
func (u Use) IsPossible() bool      { return u == PossiblePatch || u == PossibleConfiguration }

// Reference is a path that a kustomization names.
type Reference struct {
	// Node is the string that contains the path.
	Node manifest.Node
	// Path has slashes and is clean. It is relative to the directory of the kustomization, or absolute.
	Path string
	Use  Use
}

// field is a list in a kustomization. It holds paths or, if there are inner fields, objects that contain paths or
// lists of paths.
type field struct {
	name  string
	use   Use
	inner []string
}

var fields = []field{
	{"resources", Source, nil},
	{"bases", Base, nil},
	{"components", Base, nil},
	{"crds", Data, nil},
	{"configurations", Configuration, nil},
	{"generators", Configuration, nil},
	{"transformers", Configuration, nil},
	{"validators", Configuration, nil},
	{"patches", Patch, []string{"path"}},
	{"patchesJson6902", Patch, []string{"path"}},
	{"patchesStrategicMerge", Patch, nil},
	{"replacements", Configuration, []string{"path"}},
	{"configMapGenerator", Input, []string{"files", "envs", "env"}},
	{"secretGenerator", Input, []string{"files", "envs", "env"}},
	{"helmCharts", Data, []string{"valuesFile", "additionalValuesFiles"}},
}

// References returns the local files and directories that a kustomization names, in the order of the fields above. It
// omits URLs, repositories and inline patches.
func References(root manifest.Node) []Reference {
	var list []Reference
	for i := range fields {
		n, ok := root.Field(fields[i].name)
		if !ok || n.Type() != manifest.List {
			continue
		}
		for item := range n.Children() {
			if fields[i].inner == nil {
				list = add(list, item, fields[i].use)
				continue
			}
			list = addInner(list, item, &fields[i])
		}
	}
	if n := root.At("openapi", "path"); n.Valid() {
		list = add(list, n, Data)
	}
	return list
}

// Generator is an object that a kustomization generates.
type Generator struct{ Kind, Name string }

// Generators returns the ConfigMaps and Secrets that a kustomization generates. Their names have no hash yet.
func Generators(root manifest.Node) (list []Generator) {
	for _, g := range [...]struct{ field, kind string }{
		{"configMapGenerator", "ConfigMap"}, {"secretGenerator", "Secret"},
	} {
		n, ok := root.Field(g.field)
		if !ok || n.Type() != manifest.List {
			continue
		}
		for item := range n.Children() {
			if name := item.TextAt("name"); name != "" {
				list = append(list, Generator{g.kind, name})
			}
		}
	}
	return list
}

func addInner(list []Reference, item manifest.Node, f *field) []Reference {
	if f.use == Patch {
		list = add(list, item, f.use) // kustomize rejects a path here; the check of the kustomization says so
	}
	for _, name := range f.inner {
		n, ok := item.Field(name)
		switch {
		case !ok:
		case n.Type() == manifest.List:
			for path := range n.Children() {
				list = addKeyed(list, path, f.use, name == "files")
			}
		default:
			list = add(list, n, f.use)
		}
	}
	return list
}

// addKeyed adds the path of an item of files. If isKeyed is set, a key may precede the path: key=path.
func addKeyed(list []Reference, n manifest.Node, use Use, isKeyed bool) []Reference {
	before := len(list)
	list = add(list, n, use)
	if _, name, ok := strings.Cut(n.Text(), "="); ok && isKeyed && len(list) > before {
		list[before].Path = path.Clean(name)
	}
	return list
}

func add(list []Reference, n manifest.Node, use Use) []Reference {
	if n.Type() != manifest.String || n.Text() == "" || isInline(n.Text()) || IsRemote(n.Text()) {
		return list
	}
	return append(list, Reference{Node: n, Path: path.Clean(n.Text()), Use: use})
}

// isInline reports whether a string is inline YAML rather than a path.
func isInline(text string) bool {
	return strings.ContainsAny(text, "\n{") || strings.Contains(text, ": ")
}

// IsRemote reports whether a string is the URL of a file or of a directory in a repository. kustomize tries a local
// path first. A first path element with a dot inside, such as example.com, is taken for a host.
func IsRemote(text string) bool {
	if strings.Contains(text, "://") || strings.Contains(text, "?ref=") || strings.HasPrefix(text, "git::") ||
		strings.Contains(text, "git@") || strings.HasPrefix(text, "gh:") {
		return true
	}
	host, rest, ok := strings.Cut(text, "/")
	dot := strings.LastIndexByte(host, '.')
	return ok && rest != "" && dot > 0 && isLetters(host[dot+1:]) || strings.HasPrefix(text, "github.com:")
}

func isLetters(text string) bool {
	return len(text) > 1 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == ""
}

// commentedPatch matches a line that names a patch file in a comment, as projects of kubebuilder do until a patch is
// needed. Some put a word before it that a script looks for. "patch" must be part of the path: a comment may also name
// manifests.
var commentedPatch = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*#[ \t]*\w*[ \t]*-[ \t]+(?:path:[ \t]*)?([\w./-]*patch[\w./-]*\.ya?ml)[ \t\r]*$`)
})

// CommentedPatches returns the paths of patch files that the comments of a kustomization name, as in "#- path:
// a_patch.yaml". They have slashes and are clean.
func CommentedPatches(text string) (paths []string) {
	if !strings.Contains(text, "#") {
		return nil
	}
	for _, found := range commentedPatch().FindAllStringSubmatch(text, -1) {
		paths = append(paths, path.Clean(found[1]))
	}
	return paths
}

// commentedPath matches a line of a list whose item, a path of a file, is in a comment.
var commentedPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*#[ \t]*-[ \t]+["']?([^\s"'#:]+\.(?:ya?ml|json))["']?[ \t]*(?:#.*)?\r?$`)
})

// CommentedPaths returns the paths of files in comments of a kustomization that would be items of its lists, as in
// "#- apps/web.yaml".
func CommentedPaths(text string) (paths []string) {
	if !strings.Contains(text, "#") {
		return nil
	}
	for _, found := range commentedPath().FindAllStringSubmatch(text, -1) {
		paths = append(paths, path.Clean(found[1]))
	}
	return paths
}
