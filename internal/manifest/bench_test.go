package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// ordinary returns the valid manifests of the repository as one stream.
func ordinary(b *testing.B) *source.Source {
	var text strings.Builder
	for _, s := range sources(b, "testdata/kinds", "testdata/demo") {
		for part := range Parts(s) {
			document := s.Text[part.Span.Start:part.Span.End]
			if tree, _ := byHand(document); tree != nil {
				text.WriteString("---\n" + document)
			}
		}
	}
	return &source.Source{Name: "stream.yaml", Text: text.String()}
}

// literals returns a ConfigMap with long literal scalars.
func literals() *source.Source {
	var text strings.Builder
	text.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: texts\ndata:\n")
	for i := range 20 {
		fmt.Fprintf(&text, "  text-%d: |\n", i)
		for line := range 500 {
			fmt.Fprintf(&text, "    line %d of a text that is kept as it is, with its own    spacing\n", line)
		}
	}
	return &source.Source{Name: "literals.yaml", Text: text.String()}
}

// inJSON returns a stream with the values of the documents as JSON.
func inJSON(s *source.Source) *source.Source {
	var text []byte
	t := &Tree{}
	for part := range Parts(s) {
		t.Read(s, part)
		text = append(t.Root().AppendJSON(text), '\n')
	}
	return &source.Source{Name: "stream.json", Text: string(text)}
}

// crlf returns a source with Windows line breaks.
func crlf(s *source.Source) *source.Source {
	return &source.Source{Name: s.Name, Text: strings.ReplaceAll(s.Text, "\n", "\r\n")}
}

func BenchmarkRead(b *testing.B) {
	manifests := ordinary(b)
	for _, c := range []struct {
		name   string
		source *source.Source
		read   func(t *Tree, s *source.Source, p Part)
	}{
		{"manifests", manifests, readPart},
		{"manifests-crlf", crlf(manifests), readPart},
		{"manifests-json", inJSON(manifests), readPart},
		{"literals", literals(), readPart},
		{"manifests-by-the-libraries", manifests, readPartByLibrary},
		{"literals-by-the-libraries", literals(), readPartByLibrary},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.source.Text)))
			b.ReportAllocs()
			t := &Tree{}
			documents := 0
			for b.Loop() {
				documents = 0
				for part := range Parts(c.source) {
					c.read(t, c.source, part)
					documents++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*documents), "ns/document")
		})
	}
}

func readPart(t *Tree, s *source.Source, p Part) { t.Read(s, p) }

func readPartByLibrary(t *Tree, s *source.Source, p Part) {
	t.Reset(s)
	t.readByLibrary(p)
}

// BenchmarkParts cuts a stream without parsing it.
func BenchmarkParts(b *testing.B) {
	s := ordinary(b)
	b.SetBytes(int64(len(s.Text)))
	b.ReportAllocs()
	for b.Loop() {
		for range Parts(s) {
		}
	}
}
