package catalog

import (
	"io/fs"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// indexFile lists the embedded files, a line each: group, kind, list kind, plural, scope, served versions. It is written from them,
// and held true, by the test of this package.
const indexFile = "kinds/index.tsv"

// Embedded returns a registry of the kinds that come with the program.
func Embedded() *Catalog {
	text, err := fs.ReadFile(rules.Kinds, indexFile)
	if err != nil {
		panic("the index of kinds is embedded: " + err.Error())
	}
	r := &Catalog{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		e := &Entry{
			Group: f[0], Name: f[1], ListName: f[2], Plural: f[3],
			Namespaced: f[4] == "Namespaced", Versions: strings.Split(f[5], ","),
		}
		e.load = func() ([]*Kind, []diag.Violation) { return loadEmbedded(e.embeddedFile()) }
		r.add(e)
	}
	return r
}

func (e *Entry) embeddedFile() string { return "kinds/" + e.Group + "/" + e.Plural + ".yaml" }

func loadEmbedded(name string) ([]*Kind, []diag.Violation) {
	tree := readEmbedded(name)
	d, vs := parseDefinition(tree.Root(), true)
	vs = append(vs, d.applyNotes()...)
	ship(d.kinds, name, tree.Source.Text)
	return d.kinds, vs
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
