package catalog

import (
	"cmp"
	"io/fs"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// indexFile lists the embedded files, one line each: group, kind, list kind, plural, scope, served versions. The test
// of this package generates it from the files and verifies it.
const indexFile = "kinds/index.tsv"

// Embedded returns the catalog of the kinds of the newest Kubernetes version and the built-in kinds.
func Embedded() *Catalog { return embedded() }

var embedded = sync.OnceValue(func() *Catalog { return New(KubernetesKinds(0), BuiltInKinds()) })

// BuiltInKinds returns the built-in kinds. All callers share the entries, including the schemas that have been read.
func BuiltInKinds() Source { return builtInKinds() }

var builtInKinds = sync.OnceValue(readIndex)

func readIndex() Source {
	text, err := fs.ReadFile(rules.Kinds, indexFile)
	if err != nil {
		panic("the index of kinds is embedded: " + err.Error())
	}
	var kinds Source
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		e := &Entry{
			Group: f[0], Name: f[1], ListName: f[2], Plural: f[3], Origin: BuiltIn,
			Namespaced: f[4] == "Namespaced", Versions: strings.Split(f[5], ","),
		}
		e.load = sync.OnceValue(func() loaded { return loadEmbedded(e.embeddedFile()) })
		kinds = append(kinds, e)
	}
	return kinds
}

// coreDir is the directory of the core group, whose name is empty.
const coreDir = "core"

func (e *Entry) embeddedFile() string {
	return "kinds/" + cmp.Or(e.Group, coreDir) + "/" + e.Plural + ".yaml"
}

func loadEmbedded(name string) loaded {
	tree := readEmbedded(name)
	kinds, violations := parseCRD(tree.Root(), BuiltIn)
	ship(kinds, name, tree.Source.Text)
	return loaded{kinds, append(violations, applyNotes(tree.Root(), kinds)...)}
}

// readEmbedded reads an embedded file, which holds one CustomResourceDefinition.
func readEmbedded(name string) *manifest.Tree {
	text, err := fs.ReadFile(rules.Kinds, name)
	if err != nil {
		panic("the index of kinds names a file: " + err.Error())
	}
	src := &source.Source{Name: name, Text: string(text)}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			panic("the embedded kinds can be read: " + name + ": " + vs[0].Message)
		}
	}
	return tree
}
