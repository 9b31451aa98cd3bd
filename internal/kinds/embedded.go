package kinds

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
func Embedded() *Registry {
	text, err := fs.ReadFile(rules.Kinds, indexFile)
	if err != nil {
		panic("the index of kinds is embedded: " + err.Error())
	}
	r := &Registry{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		e := &Entry{
			Group: f[0], Name: f[1], ListName: f[2], Plural: f[3],
			Namespaced: f[4] == "Namespaced", Versions: strings.Split(f[5], ","),
		}
		e.load = func() ([]*Kind, []diag.Violation) { return loadEmbedded("kinds/" + e.Group + "/" + e.Plural + ".yaml") }
		r.add(e)
	}
	return r
}

func loadEmbedded(name string) ([]*Kind, []diag.Violation) {
	text, err := fs.ReadFile(rules.Kinds, name)
	if err != nil {
		panic("the index of kinds names a file: " + err.Error())
	}
	src := &source.Source{Name: name, Text: string(text)}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if vs := tree.Read(src, part); len(vs) > 0 {
			return nil, vs
		}
		d, vs := parseDefinition(tree.Root(), true)
		ship(d.kinds, name, src.Text)
		return d.kinds, vs
	}
	return nil, nil
}
