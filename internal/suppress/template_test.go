package suppress

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestCommentsOfTemplatesAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"{{/* kindvet:ignore[a] r */}}":               "a",
		"{{- /* kindvet:ignore[a, b] r */ -}}":        "a b",
		"{{-  /* kindvet:ignore[a] r */}}":            "", // not a comment for text/template
		"{{/* other */}}{{/* kindvet:ignore[a] r*/}}": "a",
		"{{/*kindvet:ignore[a] r*/}}":                 "a",
		"{{/*/}} kindvet:ignore[a] r */}}":            "",
		"{{/* kindvet:ignore[a] r":                    "",
		"{{/* kindvet:ignore[a] r */":                 "",
		"{{ kindvet }}":                               "",
	} {
		found, _ := FindInTemplate(&source.Source{Name: "a.yaml", Text: text})
		var names []string
		if found != nil {
			for _, c := range found.comments {
				for _, s := range c.suppressions {
					names = append(names, s.Name)
				}
			}
		}
		if have := strings.Join(names, " "); have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}

func TestACommentEndsWithItsBlock(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                false,
		"{{ end }}":                       true,
		"{{- end -}}":                     true,
		"{{end}}":                         true,
		"{{ else }}":                      true,
		"{{ else if .a }}":                true,
		"{{ if .a }}{{ end }}":            false,
		"{{if .a}}{{else}}{{end}}":        false,
		"{{ with .a }}{{ end }}{{ end }}": true,
		"{{ .end }}":                      false,
		"{{ range .a }}":                  false,
	} {
		if have := leavesBlock(text); have != want {
			t.Errorf("%q: have %t", text, have)
		}
	}
}

// The work for comments has a limit: what a template with many comments suppresses is not looked for.
func TestManyCommentsOfATemplateAreNotFollowed(t *testing.T) {
	for count, want := range map[int]bool{10: true, 20_000: false} {
		text := strings.Repeat("{{/* kindvet:ignore[wrong-type] a reason that has many letters, so that the text is long */}}\n", count) + "a: b\n"
		src := &source.Source{Name: "a.yaml", Text: text}
		template, _ := FindInTemplate(src)
		start := strings.Index(text, "a: b")
		output := &source.Source{Name: "a.yaml", Text: "a: b\n", Rendering: "r",
			Written: func(at source.Span) source.Origin {
				return source.Origin{Source: src, Span: source.Span{Start: start + at.Start, End: start + at.End}}
			}}
		var all Templates
		all.Add(template)
		list, faults := all.In(output)
		if have := len(list) > 0; have != want || len(faults) == 0 != want {
			t.Errorf("%d comments: have %t and %d faults, want %t", count, have, len(faults), want)
		}
		if _, again := all.In(output); len(again) > 0 {
			t.Errorf("%d comments: the fault is reported twice", count)
		}
	}
}

// A comment for the whole file applies to the lines that the template writes. They are one span if nothing is between
// them.
func TestLinesInARowAreOneSpan(t *testing.T) {
	lines := strings.Repeat("  k: v\n", 100)
	text := "{{/* kindvet:ignore-file[a] r */}}\ndata:\n" + lines
	src := &source.Source{Name: "a.yaml", Text: text}
	template, _ := FindInTemplate(src)
	start := strings.Index(text, "data:")
	for between, want := range map[string]int{"": 1, "other: 1\n": 2} {
		written := "data:\n" + strings.ReplaceAll(lines, "k", "l") + between + strings.ReplaceAll(text[start:], "data", "more")
		output := &source.Source{Name: "a.yaml", Text: written, Rendering: "r", Written: func(at source.Span) source.Origin {
			if strings.HasPrefix(written[at.Start:], "other") || strings.HasPrefix(written[at.Start:], "1") {
				return source.Origin{Source: &source.Source{Name: "b.yaml", Text: between}}
			}
			return source.Origin{Source: src, Span: source.Span{Start: start, End: start + 1}}
		}}
		var all Templates
		all.Add(template)
		if list, _ := all.In(output); len(list) != want {
			t.Errorf("%q between: have %d spans, want %d", between, len(list), want)
		}
	}
}
