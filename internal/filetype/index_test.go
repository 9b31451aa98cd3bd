package filetype

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

var update = flag.Bool("update", false, "write rules/filetypes.tsv")

const indexFile = "../../rules/filetypes.tsv"

func TestIndexSaysWhatTheFileSays(t *testing.T) {
	text, err := os.ReadFile("../../rules/filetypes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	formats, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	want := index(formats)
	if *update {
		if err := os.WriteFile(indexFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(indexFile); err != nil || string(have) != want {
		t.Errorf("%s is not that of filetypes.yaml (%v); run go test . -update", indexFile, err)
	}
}

const (
	page       = "../../docs/file-types.md"
	tableStart = "<!-- types: go test ./internal/filetype -update -->\n"
)

func TestThePageListsAllFormats(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(text), tableStart)
	if !ok {
		t.Fatalf("%s has no line %s", page, tableStart)
	}
	want := prose + tableStart + table(Types())
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Errorf("%s does not list all types; run go test . -update", page)
	}
}

// table has a row for each type, with the names of its formats.
func table(formats []Format) string {
	var b strings.Builder
	b.WriteString("\n| type | formats |\n|---|---|\n")
	for i := 0; i < len(formats); {
		t, names := formats[i].Type, []string{}
		for ; i < len(formats) && formats[i].Type.Name == t.Name; i++ {
			if !slices.Contains(names, formats[i].Name) {
				names = append(names, formats[i].Name)
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", t.Plural, strings.Join(names, ", "))
	}
	return b.String()
}

func index(formats []Format) string {
	var b strings.Builder
	for i := range formats {
		f := &formats[i]
		objects := ""
		if f.objects {
			objects = "objects"
		}
		columns := []string{f.Type.Name, f.Type.Plural, f.Name, objects}
		for _, list := range f.criteria() {
			columns = append(columns, strings.Join(*list, itemSeparator))
		}
		b.WriteString(strings.Join(columns, columnSeparator) + "\n")
	}
	return b.String()
}

// parse reads a list of types. The error names the invalid type or format.
func parse(text string) ([]Format, error) {
	src := &source.Source{Name: "filetypes.yaml", Text: text}
	tree := &manifest.Tree{}
	var formats []Format
	for part := range manifest.Parts(src) {
		if found := tree.Read(src, part); len(found) > 0 {
			return nil, fmt.Errorf("line %d: %s", found[0].Place.Start().Line, found[0].Message)
		}
		for n := range tree.Root().Children() {
			t := &Type{Name: n.TextAt("type"), Plural: n.TextAt("plural")}
			list, _ := n.Field("formats")
			if t.Name == "" || t.Plural == "" || !list.Valid() {
				return nil, fmt.Errorf("type %q: type, plural and formats are required", t.Name)
			}
			for item := range list.Children() {
				f, err := parseFormat(item)
				if err != nil {
					return nil, fmt.Errorf("type %q: %w", t.Name, err)
				}
				f.Type = t
				formats = append(formats, f)
			}
		}
	}
	return formats, nil
}

func parseFormat(n manifest.Node) (Format, error) {
	f := Format{Name: n.TextAt("name")}
	criteria := 0
	for field := range n.Children() {
		i := slices.Index(criterionNames[:], field.Key())
		switch {
		case i >= 0 && field.Len() > 0:
			for item := range field.Children() {
				if strings.Contains(item.Text(), itemSeparator) {
					return f, fmt.Errorf("format %q: %q has a %s", f.Name, item.Text(), itemSeparator)
				}
				*f.criteria()[i] = append(*f.criteria()[i], item.Text())
			}
			criteria++
		case field.Key() == "objects":
			f.objects = field.Boolean()
		case field.Key() != "name":
			return f, fmt.Errorf("format %q: %s is unknown or empty", f.Name, field.Key())
		}
	}
	if f.Name == "" || criteria == 0 {
		return f, fmt.Errorf("format %q: a name and a criterion are required", f.Name)
	}
	for _, pattern := range f.files {
		if _, err := path.Match(pattern, ""); err != nil {
			return f, fmt.Errorf("format %q: %s: %w", f.Name, pattern, err)
		}
	}
	return f, nil
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load()
	}
}
