package gitops

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestReleasesOfHelmfile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"releases: [{name: a, chart: ./web}]", "a d/web"},
		{"releases: [{name: a, chart: ../web, values: [a.yaml, {b: c}], set: [{name: c, value: 1}]}]", "a web file:d/a.yaml map c=1"},
		{"releases: [{name: a, chart: web, set: [{name: c, values: [x, 'y,z']}]}]", `a d/web c={x,y\,z}`},
		{"releases: [{name: a, chart: oci://r.example.com/web}, {chart: 1}, 2, {chart: ./{{ .x }}}]", ""},
		{"releases: [{name: a, chart: ./web, installed: false}]", ""},
		{"releases:\n- name: {{ .x }}\n  chart: ./web\n", " d/web"},
		{"releases:\n- name: \"{{ \"}}\" }}\"\n  chart: ./web\n", " d/web"},
		{"releases:\n- name: {{ `}}` }}é\n  chart: ./web\n  values: [{é: {{ .x }}, b: 1}]\n", " d/web map-é"},
		{"releases:\n- name: a\n  chart: ./web\n  values: [{a: {b: ref+vault://x, c: 1}}, x.yaml.gotmpl]\n", "a d/web map-a.b hidden"},
		{"releases:\n{{ if .x }}\n- name: a\n  chart: ./web\n{{ end }}\n- {name: b, chart: ./web}\n", "a d/web; b d/web"},
		{"releases:\n- name: a\n  chart: ./web\n{{ if .x }}\n  namespace: b\n{{ end }}\n", "a d/web hidden"},
		{"releases:\n- name: a\n  chart: ./web\n  values:\n{{ toYaml .x | indent 2 }}\n", "a d/web hidden"},
		{"releases:\n- name: a\n  chart: ./web\n  secrets: [a.yaml]\n", "a d/web hidden"},
		{"releases:\n- name: a\n  inherit: [{template: x}]\n  chart: ./web\n  values: [{a: b}]\n", "a d/web hidden map"},
		{"helmfiles: [a.yaml, {path: b.yaml}, '{{ .x }}', {path: 'git::https://example.com'}]", "other:d/a.yaml other:d/b.yaml"},
		{"releases: [{name: a", ""},
		{"releases: {{", ""},
		{"{{", ""},
	} {
		releases, others := Helmfile(&source.Source{Name: "d/helmfile.yaml", Text: c.text}, "d")
		var list []string
		for _, s := range releases {
			parts := []string{s.Name, s.Path}
			for _, v := range s.Values {
				part := "map"
				switch {
				case v.IsHidden:
					part = "hidden"
				case v.File.Path != "":
					part = "file:" + v.File.Path
				case v.Input.Key != "":
					part = v.Input.Key + "=" + v.Input.Text
				}
				for _, key := range v.Hidden {
					part += "-" + strings.Join(key, ".")
				}
				parts = append(parts, part)
			}
			list = append(list, strings.Join(parts, " "))
		}
		have := strings.Join(list, "; ")
		for _, name := range others {
			have = strings.TrimLeft(have+" other:"+name, " ")
		}
		if have != c.want {
			t.Errorf("%s\nhave %q, want %q", c.text, have, c.want)
		}
	}
}

func TestPlacesInAHelmfileAreThoseOfItsText(t *testing.T) {
	text := "{{ $x := \"é\" }}\nreleases:\n- name: {{ \"é\" }}\n  chart: ./web\n"
	releases, _ := Helmfile(&source.Source{Name: "helmfile.yaml", Text: text}, ".")
	if len(releases) != 1 {
		t.Fatalf("have %d releases, want 1", len(releases))
	}
	at := releases[0].At
	at.Detach()
	if have := fmt.Sprint(at.Start().Line, ":", at.Start().Column, " ", at.Excerpt().Text); have != "4:10   chart: ./web" {
		t.Errorf("have %q, want the line of the chart", have)
	}
}

func TestNamesOfHelmfiles(t *testing.T) {
	for name, want := range map[string]bool{
		"helmfile.yaml": true, "a/helmfile.yml": true, "helmfile-prod.yaml": true, "helmfile.d/a.yaml": true, "helmfile.yaml.gotmpl": true,
		"helmfile.d/b/a.yaml": false, "a.yaml": false, "helmfile": false, "helmfile.json": false, "a/helmfile.d/b.yaml.gotmpl": true,
	} {
		if have := IsHelmfile(name); have != want {
			t.Errorf("%s: have %t, want %t", name, have, want)
		}
	}
}
