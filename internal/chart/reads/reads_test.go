package reads

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/chart/engine"
)

// written returns what is read, a line for each path: * is any field or item, ** is everything, and ? is a test whether the
// value is empty.
func written(list []string, n *Node, path string) []string {
	switch {
	case n.IsAll:
		return append(list, path+" **")
	case n.HasKeys:
		list = append(list, path+" keys")
	case n.IsTested && len(n.Fields) == 0 && n.Any == nil:
		return append(list, path+" ?")
	case len(n.Fields) == 0 && n.Any == nil:
		return append(list, path)
	}
	names := []string{}
	for name := range n.Fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list = written(list, n.Fields[name], path+"."+name)
	}
	if n.Any != nil {
		list = written(list, n.Any, path+".*")
	}
	return list
}

// Each case is a template, which may define others, and what it reads.
func TestWhatTemplatesRead(t *testing.T) {
	for text, want := range map[string]string{
		`{{ .Values.a.b }}{{ $.Values.c | quote }}`:                                                                                     ".a.b **, .c **",
		`{{ if .Values.a }}{{ .Values.b }}{{ else }}{{ .Values.c }}{{ end }}`:                                                           ".a ?, .b **, .c **",
		`{{ with .Values.a }}{{ .b }}{{ end }}`:                                                                                         ".a.b **",
		`{{ range $k, $v := .Values.a }}{{ $k }}{{ $v.b }}{{ end }}`:                                                                    ".a keys, .a.*.b **",
		`{{ range .Values.a }}{{ .b }}{{ end }}{{ range .Values.c }}{{ .d }}{{ end }}`:                                                  ".a keys, .a.*.b **, .c keys, .c.*.d **",
		`{{ toYaml .Values.a | nindent 2 }}`:                                                                                            ".a **",
		`{{ index .Values "a-b" "c" }}{{ get .Values.d "e" }}`:                                                                          ".a-b.c **, .d.e **",
		`{{ dig "a" "b" "x" .Values.c }}`:                                                                                               ".c.a.b **",
		`{{ if hasKey .Values.a "b" }}{{ end }}`:                                                                                        ".a.b",
		`{{ index .Values.a .Values.b }}`:                                                                                               ".a keys, .a.* **, .b **",
		`{{ $x := .Values.a }}{{ $x.b }}`:                                                                                               ".a.b **",
		`{{ $x := "" }}{{ if .Values.a }}{{ $x = .Values.b }}{{ end }}{{ $x }}`:                                                         ".a ?, .b **",
		`{{ define "h" }}{{ .Values.a }}{{ end }}{{ include "h" . }}`:                                                                   ".a **",
		`{{ define "h" }}{{ .v.b }}{{ end }}{{ include "h" (dict "v" .Values.a) }}`:                                                     ".a.b **",
		`{{ define "h" }}{{ .v.b }}{{ end }}{{ include "h" (dict "v" .Values.a) }}{{ include "h" (dict "v" .Values.c "d" 1) }}`:         ".a.b **, .c.b **",
		`{{ define "h" }}{{ (index . 1).b }}{{ end }}{{ include "h" (list $ .Values.a) }}`:                                              ".a.b **",
		`{{ define "a.h" }}{{ .Values.a }}{{ end }}{{ define "b.i" }}{{ .Values.b }}{{ end }}{{ include (printf "%s.h" .Values.c) . }}`: ".a **, .c **",
		`{{ $m := merge (dict "x" 1) .Values.a }}{{ $m.b }}`:                                                                            ".a.b **",
		`{{ $c := dict }}{{ $_ := set $c "v" .Values.a }}{{ $c.v.b }}`:                                                                  ".a.b **",
		`{{ (default .Values.a .Values.b).c }}`:                                                                                         ".a.c **, .b.c **",
		`{{ tpl .Values.a . }}`:                                                                                                         ".a **, .inText **",
		`{{ tpl "{{ .Values.b }}" . }}`:                                                                                                 ".b **, .inText **",
		`{{ pick .Values.a "b" | toYaml }}`:                                                                                             ".a.b **",
		`{{ omit .Values.a "b" | toYaml }}`:                                                                                             ".a **",
		`{{ unknown .Values.a }}`:                                                                                                       ".a **",
		`{{ (first .Values.a).b }}`:                                                                                                     ".a.*.b **",
		`{{ .Values | toYaml }}`:                                                                                                        " **",
		`{{ .Files.Get .Values.a }}`:                                                                                                    ".a **",
		`{{ define "h" }}{{ include "h" . }}{{ .Values.a }}{{ end }}{{ include "h" . }}`:                                                ".a **",
		`{{ $x := .Values.a }}{{ range .Values.l }}{{ $x.c }}{{ $x = .b }}{{ end }}`:                                                    ".a.c **, .l keys, .l.*.b.c **",
		`{{ if and .Values.a .Values.b.c }}{{ end }}`:                                                                                   ".a ?, .b.c ?",
		`{{ keys .Values.a }}`:                                                                                                          ".a keys",
		`{{ .Subcharts.sub.Values.x }}{{ .Values.sub.y }}`:                                                                              ".sub.inSub **, .sub.x **, .sub.y **",
		`{{ broken`: "",
		// Variables and loops are followed in order.
		`{{ $x := .Values.a }}{{ $x = .Values.b }}{{ $x.c }}`:                                                                                  ".a, .b.c **",
		`{{ $x := .Values.a }}{{ if .Values.b }}{{ $x = .Values.c }}{{ end }}{{ $x.d }}`:                                                       ".a.d **, .b ?, .c.d **",
		`{{ $x := .Values }}{{ range list "a" "b" }}{{ $x = index $x . }}{{ end }}{{ $x }}`:                                                    ".a.b **",
		`{{ $x := .Values }}{{ range splitList "." "a.b" }}{{ $x = index $x . }}{{ end }}{{ $x }}`:                                             ".a.b **",
		`{{ $x := .Values }}{{ range split "." "a.b" }}{{ $x = index $x . }}{{ end }}{{ $x }}`:                                                 ".a.b **",
		`{{ $l := list "a" }}{{ $l = append $l "b" }}{{ $x := .Values }}{{ range $l }}{{ $x = index $x . }}{{ end }}{{ $x }}`:                  ".a.b **",
		`{{ range list "a" "b" }}{{ index $.Values . "c" }}{{ end }}`:                                                                          ".a.c **, .b.c **",
		`{{ $x := .Values.a }}{{ range list 1 2 }}{{ if $.Values.b }}{{ $x = $.Values.c }}{{ break }}{{ end }}{{ $x = 1 }}{{ end }}{{ $x.d }}`: ".a, .b ?, .c.d **",
		// Short constant texts that templates write are followed, too.
		`{{ define "k" }}{{ if .x }}a.b{{ else }}c{{ end }}{{ end }}{{ $x := .Values }}{{ range splitList "." (include "k" .) }}{{ $x = index $x . }}{{ end }}{{ $x }}`:                                      ".a.b **, .c **",
		`{{ define "k" }}{{ printf "%s" .key }}{{ end }}{{ index .Values (include "k" (dict "key" "a")) }}`:                                                                                                  ".a **",
		`{{ define "k" }}{{ include "k" . }}{{ end }}{{ index .Values (include "k" .) }}`:                                                                                                                    " keys, .* **",
		`{{ define "k" }}{{ .Values.a }}{{ end }}{{ index .Values (include "k" .) }}`:                                                                                                                        " keys, .a **, .* **",
		`{{ define "k" }}{{ $k := "a" }}{{ if .x }}{{ $k = "b" }}{{ end }}{{ printf "%s.c" $k }}{{ end }}{{ $x := .Values }}{{ range splitList "." (include "k" .) }}{{ $x = index $x . }}{{ end }}{{ $x }}`: ".a.c **, .b.c **",
		// A branch is not executed if its condition is a field that a map does not have, until it has it.
		`{{ define "h" }}{{ if .s }}{{ toYaml .c.Values }}{{ end }}{{ .v }}{{ end }}{{ include "h" (dict "v" .Values.a "c" $) }}`:           ".a **",
		`{{ define "h" }}{{ if .s }}{{ .s.b }}{{ end }}{{ end }}{{ $d := dict "v" 1 }}{{ include "h" $d }}{{ $_ := set $d "s" .Values.a }}`: ".a.b **",
		`{{ if .Release.IsUpgrade }}{{ .Values.a }}{{ end }}{{ if .Chart.AppVersion }}{{ .Values.b }}{{ end }}`:                             ".a **, .b **",
	} {
		c := &Chart{
			Name: "shop", Base: "shop/templates", Templates: []Template{{"shop/templates/a.yaml", text}},
			Texts: []string{"no template", "{{ .Values.inText }}"},
		}
		if strings.Contains(text, "sub") {
			c.Subcharts = []*Chart{{Name: "sub", Templates: []Template{{"shop/charts/sub/templates/a.yaml", "{{ .Values.inSub }}"}}}}
		}
		if have := strings.Join(written(nil, readBy(c), ""), ", "); have != want && !(want == "" && have == "") {
			t.Errorf("%s\nhave %s\nwant %s", text, have, want)
		}
	}
}

// Files that no template names are not executed by tpl.
func TestFilesThatTemplatesName(t *testing.T) {
	for text, want := range map[string]string{
		`{{ tpl "" . }}`: "",
		`{{ tpl (.Files.Get "config/a.yaml") . }}`:                                                                 ".a **",
		`{{ range $name, $_ := .Files.Glob "config/*.yaml" }}{{ tpl "" $ }}{{ end }}`:                              ".a **, .b **",
		`{{ tpl (.Files.Get .Values.name) . }}`:                                                                    ".a **, .b **, .name **, .readme **",
		`{{ $files := .Files }}{{ tpl ($files.Get "x") . }}`:                                                       ".a **, .b **, .readme **",
		`{{ define "h" }}{{ tpl (.ctx.Files.Get "config/b.yaml") .ctx }}{{ end }}{{ include "h" (dict "ctx" $) }}`: ".b **",
	} {
		c := &Chart{
			Name: "shop", Templates: []Template{{"shop/templates/a.yaml", text}},
			Files: []Template{{"README.md", "{{ .Values.readme }}"}, {"config/a.yaml", "{{ .Values.a }}"}, {"config/b.yaml", "{{ .Values.b }}"}},
		}
		if have := strings.Join(written(nil, readBy(c), ""), ", "); strings.TrimSpace(have) != want {
			t.Errorf("%s\nhave %s\nwant %s", text, have, want)
		}
	}
}

func TestWhatALibraryDefinesReadsTheValuesOfItsCaller(t *testing.T) {
	library := &Chart{Name: "lib", IsLibrary: true, Templates: []Template{
		{"shop/charts/lib/templates/_h.tpl", `{{ define "lib.h" }}{{ .Values.a }}{{ end }}`},
		{"shop/charts/lib/templates/x.yaml", `{{ .Values.b }}`},
	}}
	c := &Chart{Name: "shop", Templates: []Template{{"shop/templates/a.yaml", `{{ include "lib.h" . }}`}}, Subcharts: []*Chart{library}}
	if have, want := strings.Join(written(nil, readBy(c), ""), ", "), ".a **, .lib"; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

// A template that calls itself with ever more data does not end; then everything is read.
func TestBeyondALimitEverythingIsRead(t *testing.T) {
	text := `{{ define "h" }}{{ include "h" (dict "a" . "b" .) }}{{ end }}{{ include "h" . }}`
	for text, want := range map[string]bool{
		text: false,
		strings.Repeat(`{{ .Values.a }}`, engine.MaxActions):                 true,
		strings.Repeat(`{{ .Values.a }}`, engine.MaxActions+1):               false,
		`{{ $x := list ` + strings.Repeat(".Values.a ", mostPlaces+1) + `}}`: true, // the same place
		`{{ $x := list ` + fields(mostPlaces) + `}}{{ (first $x).b }}`:       true,
		`{{ $x := list ` + fields(mostPlaces+1) + `}}{{ (first $x).b }}`:     false,
	} {
		n, isKnown := Of(&Chart{Name: "shop", Templates: []Template{{"shop/templates/a.yaml", text}}})
		if isKnown != want || n.IsAll == want {
			t.Errorf("%.100s: is known: %t, everything is read: %t", text, isKnown, n.IsAll)
		}
	}
}

// Below some level, everything is read that templates descend to without end.
func TestValuesOfAnyDepth(t *testing.T) {
	for _, text := range []string{
		`{{ define "h" }}{{ include "h" .n }}{{ .b }}{{ end }}{{ include "h" .Values }}`,
		`{{ $x := .Values }}{{ range .Values.l }}{{ $x = $x.n }}{{ $x.b }}{{ end }}`,
	} {
		n, isKnown := Of(&Chart{Name: "shop", Templates: []Template{{"shop/templates/a.yaml", text}}})
		level := 0
		for ; n != nil && !n.IsAll; level++ {
			n = n.Fields["n"]
		}
		if level != maxLevels || n == nil || !isKnown {
			t.Errorf("%s: everything from level %d on, is known: %t", text, level, isKnown)
		}
	}
}

// fields returns different values.
func fields(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, ".Values.a%d ", i)
	}
	return b.String()
}

func readBy(c *Chart) *Node {
	n, _ := Of(c)
	return n
}
