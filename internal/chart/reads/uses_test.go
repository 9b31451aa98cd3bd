package reads

import (
	"fmt"
	"strings"
	"testing"
)

// usesOf returns the uses of a value of a chart with a template and a helper.
func usesOf(t *testing.T, path, template, helper string) string {
	t.Helper()
	root, of, isKnown := UsesOf(&Chart{Name: "shop", Templates: []Template{
		{Name: "shop/templates/_helpers.tpl", Text: helper}, {Name: "shop/templates/a.yaml", Text: template},
	}})
	n := root
	for _, name := range strings.Split(path, ".") {
		if name == "*" {
			n = n.item()
		} else {
			n = n.field(name)
		}
	}
	var list []string
	for _, u := range of[n] {
		text := u.Template[strings.LastIndexByte(u.Template, '/')+1:] + ":" + fmt.Sprint(u.Offset) + " " + u.Function
		if u.Argument > 0 {
			text += fmt.Sprintf("/%d", u.Argument)
		}
		for _, constant := range u.Constants {
			text += " " + constant
		}
		if u.IsExhaustive {
			text += " exhaustive"
		}
		if u.IsWithin {
			text += " within"
		}
		if u.Caller != (Action{}) {
			text += fmt.Sprintf(" from %d", u.Caller.Offset)
		}
		list = append(list, text)
	}
	if !isKnown {
		list = append(list, "unknown")
	}
	return strings.Join(list, "; ")
}

func TestUsesTellWhichFunctionGetsAValueFirst(t *testing.T) {
	for _, c := range []struct{ path, template, helper, want string }{
		{"a", "x: {{ .Values.a }}", "", "a.yaml:6 "},
		{"a", "{{ .Values.a | int | quote }}", "", "a.yaml:3 int"},
		{"a", "{{ .Values.b }}{{ $x := .Values.a }}{{ toYaml $x | nindent 2 }}", "", "a.yaml:39 toYaml"},
		{"a", "{{ trunc 3 .Values.a }}", "", "a.yaml:3 trunc/1"},
		{"a", `{{ if eq .Values.a "x" }}{{ end }}`, "", "a.yaml:6 eq x"},
		{"a", `{{ if eq .Values.a "x" }}{{ else if eq .Values.a "y" }}{{ end }}`, "", "a.yaml:6 eq x exhaustive; a.yaml:36 eq y exhaustive"},
		{"a", `{{ if eq .Values.a "x" }}{{ else if eq .Values.a "y" }}{{ else }}z{{ end }}`, "", "a.yaml:6 eq x; a.yaml:36 eq y"},
		{"a", `{{ if eq .Values.a "x" }}{{ else if eq .Values.a "y" }}{{ else }}{{ fail "no" }}{{ end }}`, "",
			"a.yaml:6 eq x exhaustive; a.yaml:36 eq y exhaustive"},
		{"a", `{{ if eq .Values.a "x" }}{{ else }}{{ fail "no" }}{{ end }}`, "", "a.yaml:6 eq x"},
		{"a", `{{ toYaml (dict "b" .Values.a) }}`, "", "a.yaml:3 dict/1; a.yaml:3 toYaml within"},
		{"l.*.name", "{{ range .Values.l }}{{ .name }}{{ end }}", "", "a.yaml:24 "},
		{"a", `{{ include "h" . }}`, `{{ define "h" }}{{ .Values.a }}{{ end }}`, "_helpers.tpl:19  from 3"},
		{"a", `{{ include "missing" . }}{{ .Values.a }}`, "", "a.yaml:28 ; unknown"},
	} {
		if have := usesOf(t, c.path, c.template, c.helper); have != c.want {
			t.Errorf("%s: have %s, want %s", c.template, have, c.want)
		}
	}
}
