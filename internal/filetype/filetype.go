// Package filetype recognizes YAML and JSON files that are not manifests, such as Helm values and CI files.
//
// The types are data: rules/filetypes.yaml. They are read on first use. In 29 public repositories, a search
// skips 2,847 files as configurations of tools and 1,865 as files of tests. Decide anew about a type if it skips a
// manifest, which is worse than to report a file that is none.
package filetype

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Type is a type of files that are not manifests.
type Type struct{ Name, Plural string }

// Format says how to recognize the files of one program.
type Format struct {
	Type *Type
	// Name is more specific than the name of the type, such as "GitHub workflow" for a CI file.
	Name string

	groups, versions, kinds, files, keys, lacks, items, text, near []string
	objects                                                        bool
	// literals holds for each of files a text that the last part of a path must contain.
	literals []string
	// directories holds for each of files a text that the directories of a path must contain.
	directories []string
	// mark is the beginning that all strings of text share. A text without it is searched only once.
	mark string
}

// Types returns all formats in the order in which they are tried.
func Types() []Format { return types() }

var types = sync.OnceValue(load)

// formatOf returns the format of a type that has only one.
func formatOf(name, plural string) *Format { return &Format{Type: &Type{name, plural}, Name: name} }

// These are the formats that rules/filetypes.yaml does not describe, because none of its criteria finds them.
var (
	patch         = formatOf("kustomize patch", "kustomize patches")
	configuration = formatOf("kustomize configuration file", "kustomize configuration files")
	template      = formatOf("template", "templates")
	library       = &Format{Type: template.Type, Name: "template of a library chart"}
	unknownHook   = formatOf("object with an unknown hook", "objects with unknown hooks")
	unwritten     = formatOf("object that its template does not write", "objects that their templates do not write")
	encrypted     = formatOf("encrypted file", "encrypted files")
	inPolicy      = formatOf("object in a policy", "objects in policies")
	removed       = formatOf("removed object", "removed objects")
	hidden        = formatOf("hidden manifest", "hidden manifests")
	link          = formatOf("link to a directory", "links to directories")
	unknown       = formatOf("", "")
)

// Patch is the format of patches that a kustomization names, or that have directives of patches.
func Patch() *Format { return patch }

// Expected is the format of objects that a test compares with those of a cluster.
func Expected() *Format { return expected() }

var expected = sync.OnceValue(func() *Format { return named("expected state of a test") })

// HasSchemas reports whether CRDs with the format provide the schemas of their kinds, although they are not manifests of the
// repository: those in the vendored modules of a program do.
func (f *Format) HasSchemas() bool { return f.Name == "CRD in a vendored Go module" }

func named(name string) *Format {
	list := types()
	return &list[slices.IndexFunc(list, func(f Format) bool { return f.Name == name })]
}

// Configuration is the format of files that configure generators and transformers of a kustomization.
func Configuration() *Format { return configuration }

// Template is the format of text that only a template engine reads.
func Template() *Format { return template }

// Library is the format of templates of a library chart that are not helpers. Helm does not render them.
func Library() *Format { return library }

// UnknownHook is the format of objects of charts that Helm does not install, because it does not know their hooks.
func UnknownHook() *Format { return unknownHook }

// Unwritten is the format of objects in the text of a template that it does not write with any values, although kubectl
// would apply them.
func Unwritten() *Format { return unwritten }

// InPolicy is the format of the objects from which a generator makes a policy. They may be incomplete and have templates.
func InPolicy() *Format { return inPolicy }

// Removed is the format of objects that each kustomization with their file removes.
func Removed() *Format { return removed }

// Hidden is the format of manifests with hidden names, which a search skips although kubectl applies them. Link is
// that of links to directories that are not searched otherwise.
func Hidden() *Format { return hidden }
func Link() *Format   { return link }

// Encrypted is the format of documents in which SOPS has encrypted even apiVersion and kind.
func Encrypted() *Format { return encrypted }

// Unknown is the format of all other files that are not manifests. Neither it nor its type has a name.
func Unknown() *Format { return unknown }

// Skipped returns the entry of a report for a file with the format.
func (f *Format) Skipped(file string, hasSchema bool) diag.NotManifest {
	return diag.NotManifest{File: file, Type: f.Type.Name, Plural: f.Type.Plural, Format: f.Name, HasSchema: hasSchema}
}

// Document holds the properties of a document by which its format is recognized.
type Document struct {
	// Text is the text of the document, or of its file.
	Text string
	// Root is not valid for a document that cannot be read.
	Root manifest.Node
	// APIVersion and Kind are "" if the document has none.
	APIVersion, Kind string
}

// File recognizes the documents of one file. Its path is compared with the formats only once. It is not safe for
// concurrent use.
type File struct {
	path string // with slashes
	// all are the formats that the path allows. objects are those of them that a document with apiVersion and kind
	// may have although its kind has a schema; most files need only these. Both are nil until they are needed.
	all, objects []*Format
	marks        marks
}

// marks are the formats that the last long text has the texts of. All items of a list have one text.
type marks struct {
	text string
	has  map[*Format]bool
}

// longText is the minimum number of bytes of a text that is not searched again.
const longText = 10_000

// of reports whether a text has the texts of a format. m may be nil.
func (m *marks) of(f *Format, text string) bool {
	if m == nil || len(text) < longText || len(f.text) == 0 {
		return f.hasText(text)
	}
	if m.text != text { // takes no time if it is the same string
		*m = marks{text, map[*Format]bool{}}
	}
	has, ok := m.has[f]
	if !ok {
		has = f.hasText(text)
		m.has[f] = has
	}
	return has
}

// At returns the recognizer for a file. The path may have the separators of the operating system.
func At(path string) *File { return &File{path: filepath.ToSlash(path)} }

// Of returns the first format of a document. A document that has apiVersion and kind is a manifest of a kind that has
// a schema, or it may have a format.
func (f *File) Of(d *Document) (*Format, bool) {
	if f.all == nil {
		f.all = f.among(allFormats())
	}
	return first(f.all, d, &f.marks)
}

// OfObject returns the format of a document that has apiVersion and kind but is not a whole manifest whatever its kind
// is: a template, or what a test expects of an object.
func (f *File) OfObject(d *Document) (*Format, bool) {
	if f.objects == nil {
		f.objects = f.among(objectFormats())
	}
	return first(f.objects, d, &f.marks)
}

// among returns those of some formats that the path allows. The result is not nil.
func (f *File) among(formats []*Format) []*Format {
	list := []*Format{}
	for _, x := range formats {
		if x.hasPath(f.path) {
			list = append(list, x)
		}
	}
	return list
}

// allFormats returns all formats. objectFormats returns the few that a document with apiVersion and kind may have
// although its kind has a schema; every file is compared with these.
var (
	allFormats    = sync.OnceValue(func() []*Format { return formatsThat(func(f *Format) bool { return len(f.near) == 0 }) })
	objectFormats = sync.OnceValue(func() []*Format {
		return formatsThat(func(f *Format) bool { return f.objects && len(f.near) == 0 })
	})
)

func formatsThat(match func(*Format) bool) (list []*Format) {
	all := types()
	for i := range all {
		if match(&all[i]) {
			list = append(list, &all[i])
		}
	}
	return list
}

func first(formats []*Format, d *Document, m *marks) (*Format, bool) {
	for _, x := range formats {
		if x.matches(d) && m.of(x, d.Text) {
			return x, true
		}
	}
	return nil, false
}

// matches reports whether a document has the format, given that the path of its file and its text
// allow it.
func (f *Format) matches(d *Document) bool {
	if d.APIVersion != "" && d.Kind != "" && len(f.groups) == 0 && !f.objects {
		return false
	}
	return (len(f.kinds) == 0 || slices.Contains(f.kinds, d.Kind)) && f.hasGroup(d.APIVersion) &&
		f.hasVersion(d.APIVersion) && f.hasKeys(d.Root) && !hasAny(d.Root, f.lacks) && f.hasItems(d.Root)
}

// coreGroup stands for the group without a name. builtIn is the apiVersion of kustomize's own plugins.
const (
	coreGroup = "core"
	builtIn   = "builtin"
)

func (f *Format) hasGroup(apiVersion string) bool {
	if len(f.groups) == 0 {
		return true
	}
	if apiVersion == "" {
		return false
	}
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok && group != builtIn {
		group = coreGroup
	}
	return slices.ContainsFunc(f.groups, func(pattern string) bool {
		if suffix, ok := strings.CutPrefix(pattern, "*"); ok {
			return strings.HasSuffix(group, suffix)
		}
		return group == pattern
	})
}

func (f *Format) hasVersion(apiVersion string) bool {
	return len(f.versions) == 0 || slices.Contains(f.versions, apiVersion[strings.LastIndexByte(apiVersion, '/')+1:])
}

func (f *Format) hasKeys(root manifest.Node) bool {
	return len(f.keys) == 0 || hasAll(root, f.keys)
}

func (f *Format) hasItems(root manifest.Node) bool {
	if len(f.items) == 0 {
		return true
	}
	if !root.Valid() || root.Type() != manifest.List || root.Len() == 0 {
		return false
	}
	return hasAll(root.First(), f.items)
}

func hasAll(n manifest.Node, keys []string) bool {
	if !n.Valid() || n.Type() != manifest.Map {
		return false
	}
	return !slices.ContainsFunc(keys, func(key string) bool {
		_, ok := n.Field(key)
		return !ok
	})
}

func hasAny(n manifest.Node, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return hasAll(n, []string{key}) })
}

func (f *Format) hasPath(name string) bool {
	end := strings.LastIndexByte(name, '/') + 1
	for i, pattern := range f.files {
		mayMatch := strings.Contains(name[end:], f.literals[i]) && strings.Contains(name[:end], f.directories[i])
		if mayMatch && matchPath(pattern, name) {
			return true
		}
	}
	return len(f.files) == 0
}

// directoryIn returns the longest part of a pattern but the last that matches only itself; "" if there is none.
func directoryIn(pattern string) (longest string) {
	parts := strings.Split(pattern, "/")
	for _, part := range parts[:len(parts)-1] {
		if len(part) > len(longest) && isLiteral(part) {
			longest = part
		}
	}
	return longest
}

// literalIn returns the longest text that the last part of each path contains that a pattern matches.
func literalIn(pattern string) (longest string) {
	rest := path.Base(pattern)
	for rest != "" {
		end := strings.IndexAny(rest, `*?[\`)
		if end < 0 {
			end = len(rest)
		}
		if end > len(longest) {
			longest = rest[:end]
		}
		next := min(end+1, len(rest))
		if end < len(rest) && (rest[end] == '[' || rest[end] == '\\') {
			next = strings.LastIndexByte(rest, ']') + 1 // what is in brackets is not literal, nor what follows a backslash
			if rest[end] == '\\' || next <= end {
				return longest
			}
		}
		rest = rest[next:]
	}
	return longest
}

// matchPath matches a pattern with as many of the last parts of a path as it has. "**" stands for any number of parts.
func matchPath(pattern, name string) bool {
	for {
		i, j := strings.LastIndexByte(pattern, '/'), strings.LastIndexByte(name, '/')
		if pattern[i+1:] == "**" {
			return matchAbove(pattern[:i], name)
		}
		if !matchPart(pattern[i+1:], name[j+1:]) {
			return false
		}
		if i < 0 {
			return true
		}
		if j < 0 {
			return false
		}
		pattern, name = pattern[:i], name[:j]
	}
}

// matchAbove matches a pattern with the last parts of a directory above a path, or of the path itself.
func matchAbove(pattern, name string) bool {
	for {
		j := strings.LastIndexByte(name, '/')
		switch {
		case matchPath(pattern, name):
			return true
		case j < 0:
			return false
		}
		name = name[:j]
	}
}

// matchPart is path.Match for a part without slashes. It compares the patterns of most formats without it: they are
// tried on every document, and path.Match took twice as long as all other checks of a small document.
func matchPart(pattern, name string) bool {
	rest, isSuffix := strings.CutPrefix(pattern, "*")
	switch {
	case isLiteral(rest) && isSuffix:
		return strings.HasSuffix(name, rest)
	case pattern != "" && isLiteral(pattern[:1]) && (name == "" || name[0] != pattern[0]):
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

func isLiteral(pattern string) bool {
	for i := range len(pattern) {
		switch pattern[i] {
		case '*', '?', '[', '\\':
			return false
		}
	}
	return true
}

func (f *Format) hasText(text string) bool {
	if len(f.text) == 0 {
		return true
	}
	return strings.Contains(text, f.mark) &&
		slices.ContainsFunc(f.text, func(part string) bool { return isWritten(text, part) })
}

// isWritten reports whether a text has a part that is not in a comment. The part may start one. A quoted string with " #"
// counts as a comment from there on.
func isWritten(text, part string) bool {
	for {
		next := strings.Index(text, part)
		if next < 0 {
			return false
		}
		start := strings.LastIndexByte(text[:next], '\n') + 1
		line := text[start:next]
		if part[0] == '#' || !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") && !strings.Contains(line, " #") {
			return true
		}
		end := strings.IndexByte(text[next:], '\n')
		if end < 0 {
			return false
		}
		text = text[next+end:]
	}
}
