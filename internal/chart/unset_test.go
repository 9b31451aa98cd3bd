package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// unsetOf returns the keys of the values that may have led to a text, and the texts with other values.
func unsetOf(t *testing.T, values, template, part string) (keys []string, variants map[string][]string) {
	t.Helper()
	files := []File{{"Chart.yaml", metadataOfA}, {"values.yaml", values}, {"templates/a.yaml", template}}
	r := Load("a", files).Render(Options{Kubernetes: 34})
	if r.IsFailed {
		t.Fatal(r.Violations[0].Message)
	}
	o := &r.Outputs[0]
	variants = map[string][]string{}
	start := max(strings.Index(o.Source.Text, part), 0)
	list := o.Unset([]Part{{Span: source.Span{Start: start, End: start + len(part)}, Text: part}})
	for _, u := range append(list, o.UnsetRelease([]Part{{Text: o.Source.Text}})...) {
		keys = append(keys, u.Key)
		for v := range o.Variants(u) {
			variants[u.Key] = append(variants[u.Key], strings.TrimSpace(v.Source.Text))
		}
	}
	return keys, variants
}

func TestValuesThatAreNotSetAreTried(t *testing.T) {
	for _, c := range []struct{ values, template, part, key, want string }{
		{"a: \"\"", "a: x{{ .Values.a }}", "x", "a", "a: xzqxj|a: x47193"},
		{"a:", "a: x{{ .Values.a }}", "x", "a", "a: xzqxj|a: x47193|a: x[zqxj]|a: xmap[a:zqxj]|a: x[map[a:zqxj]]"},
		{"a: {b: CHANGEME}", "a: {{ .Values.a.b }}", "CHANGEME", "a.b", "a: zqxj|a: 47193"},
		{"a: CHANGEME-é", "a: {{ .Values.a }}", "CHANGEME-é", "a", "a: zqxj-é"},
		{"a: []", "a: x{{ range .Values.a }}{{ . }}{{ end }}", "x", "a", "a: xzqxj|a: xmap[a:zqxj]"},
		{"a: []", "a: x{{ range .Values.a }}{{ .host }}{{ end }}", "x", "a", "a: xzqxj"},
		{"a: {}", "a: x{{ .Values.a.host }}", "x", "a", "a: xzqxj"},
		{"l: [{a: ''}, {a: ''}]", "a: x{{ range .Values.l }}{{ .a }}{{ end }}", "x", "l[1].a", "a: xzqxj|a: x47193"},
		{"p: {q: {r: {b: '', c: ''}}}", "a: x{{ .Values.p.q.r.b }}", "x", "p.q.r.b", "a: xzqxj|a: x47193"},
		{"b: 1", "a: x{{ .Values.name }}", "x", "name", "a: xzqxj|a: x47193|a: x[zqxj]|a: xmap[name:zqxj]|a: x[map[name:zqxj]]"},
		{"b: {c: 1}", "a: x{{ with .Values.b }}{{ .c }}{{ end }}{{ $.Values.b.dd }}", "x", "b.dd",
			"a: x1zqxj|a: x147193|a: x1[zqxj]|a: x1map[b:zqxj c:zqxj dd:zqxj]|a: x1[map[b:zqxj c:zqxj dd:zqxj]]"},
		{"b: 1", "a: x{{ .Release.Name }}", "x", "", "a: xzq"},
	} {
		keys, variants := unsetOf(t, c.values, c.template, c.part)
		if have := strings.Join(variants[c.key], "|"); have != c.want {
			t.Errorf("%s: %s: have %q, want %q of %q", c.values, c.template, have, c.want, keys)
		}
	}
}

func TestValuesThatAreSetOrMistypedAreNotTried(t *testing.T) {
	for _, c := range []struct{ values, template, part string }{
		{"a: 0", "a: x{{ .Values.a }}", "x"},
		{"a: false", "a: x{{ .Values.a }}", "x"},
		{"a: none", "a: x{{ .Values.a }}", "x"},
		{"storageClass: b", "a: x{{ .Values.storageClas }}", "x"},
		{"a: CHANGEME", "a: x{{ .Values.a | len }}", "x8"},    // the part has no such word
		{"a: \"\"", "a: CHANGEME{{ .Values.a }}", "CHANGEME"}, // it is not empty
	} {
		keys, _ := unsetOf(t, c.values, c.template, c.part)
		if len(keys) != 1 || keys[0] != "" {
			t.Errorf("%s: %s: have %q", c.values, c.template, keys)
		}
	}
}

// A value may turn a subchart on, is passed on to subcharts, and may be imported from one.
func TestExperimentsWithSubcharts(t *testing.T) {
	const dependencies = `
dependencies:
- name: store
  version: 1.0.0
  condition: store.enabled
  import-values: [{child: exported, parent: imported}]`
	const with = "a: x{{ %s }}{{ keys .Subcharts }}"
	for _, c := range []struct{ values, defaults, used, key, want string }{
		{"store: {a: 1}", "enabled: false", ".Values.store.enabled", "store.enabled", "a: xzqxj[store]"},
		{"store: {enabled: }", "enabled: false", ".Values.store.enabled", "store.enabled", "a: xzqxj[store]"},
		{"global: {b: ''}", "", ".Subcharts.store.Values.global.b", "global.b", "a: xzqxj[store]"},
		{"", "b: ''", ".Subcharts.store.Values.b", "store.b", "a: xzqxj[store]"},
		{"", "exported: {b: ''}", ".Values.imported.b", "imported.b", "a: xzqxj[store]"},
		{"store: {enabled: false}\nb: ''", "", ".Values.b", "b", "a: xzqxj[]"},
	} {
		r := Render("a", []File{
			{"Chart.yaml", metadata + dependencies}, {"values.yaml", c.values}, {"templates/a.yaml", fmt.Sprintf(with, c.used)},
			{"charts/store/Chart.yaml", "apiVersion: v2\nname: store\nversion: 1.0.0\n"}, {"charts/store/values.yaml", c.defaults},
		}, Options{Kubernetes: 34})
		if r.IsFailed {
			t.Fatal(r.Violations[0].Message)
		}
		o, have := &r.Outputs[0], ""
		for _, u := range o.Unset([]Part{{Span: source.Span{End: 1}}}) {
			for v := range o.Variants(u) {
				if u.Key == c.key && have == "" {
					have = v.Source.Text
				}
			}
		}
		if have != c.want {
			t.Errorf("%s: %s: have %q, want %q", c.values, c.used, have, c.want)
		}
	}
}

func TestTheReleaseIsOnlyTriedIfNothingNamesIt(t *testing.T) {
	files := []File{{"Chart.yaml", metadataOfA}, {"templates/a.yaml", "a: {{ .Release.Name }}"}}
	name := []Part{{Text: "x"}, {Text: "of a"}}
	if have := Load("a", files).Render(Options{}).Outputs[0].UnsetRelease(name); len(have) != 1 {
		t.Errorf("have %v", have)
	}
	if have := Load("a", files).Render(Options{}).Outputs[0].UnsetRelease(name[:1]); have != nil {
		t.Errorf("have %v for a text without the name", have)
	}
	if have := Load("a", files).Render(Options{Release: "a"}).Outputs[0].UnsetRelease(name); have != nil {
		t.Errorf("have %v", have)
	}
}

// The experiments leave nothing behind: neither in the output nor in what supplied it, and their number has a limit.
func TestExperimentsHaveALimit(t *testing.T) {
	var values, template strings.Builder
	for i := range 2 * mostUnsetTrials {
		fmt.Fprintf(&values, "a%d: \"\"\n", i)
		fmt.Fprintf(&template, "a%d: {{ .Values.a%d }}\n", i, i)
	}
	files := []File{{"Chart.yaml", metadataOfA}, {"values.yaml", values.String()}, {"templates/a.yaml", template.String()}}
	l := Load("a", files)
	o := &l.Render(Options{}).Outputs[0]
	text, count := o.Source.Text, 0
	for range 10 {
		list := o.Unset([]Part{{}})
		if len(list) != mostUnset {
			t.Fatalf("have %d values", len(list))
		}
		for _, u := range list {
			for range o.Variants(u) {
				count++
			}
		}
	}
	if count != mostUnsetTrials || l.trials != 0 || o.Source.Text != text {
		t.Errorf("have %d variants after %d trials", count, l.trials)
	}
}

func TestExperimentsHaveALimitOfSteps(t *testing.T) {
	files := []File{
		{"Chart.yaml", metadataOfA}, {"values.yaml", "a: \"\""},
		{"templates/a.yaml", "a: {{ .Values.a }}{{ range until 10000 }}{{ end }}"},
	}
	o := &Load("a", files).Render(Options{}).Outputs[0]
	count := 0
	for range mostUnsetTrials {
		for _, u := range o.Unset([]Part{{}}) {
			for range o.Variants(u) {
				count++
			}
		}
	}
	if count == 0 || count > 5 {
		t.Errorf("have %d variants", count)
	}
}

// Neither many values nor many names that are similar to them take long to look through.
func TestLookingForValuesHasALimit(t *testing.T) {
	const count = 1000
	var values, template strings.Builder
	for i := range count {
		fmt.Fprintf(&values, "name%04d: \"\"\n", i)
	}
	template.WriteString("a: {{ .Values.e }}{{ if false }}")
	for i := range 2 * count {
		fmt.Fprintf(&template, "{{ .Values.name%04dx }}", i)
	}
	template.WriteString("{{ end }}")
	files := []File{{"Chart.yaml", metadataOfA}, {"values.yaml", values.String()}, {"templates/a.yaml", template.String()}}
	l := Load("a", files)
	o := &l.Render(Options{}).Outputs[0]
	if len(o.Unset([]Part{{}})) == 0 {
		t.Error("have no values at first")
	}
	if l.unset.work < maxUnsetWork || l.unset.work > maxUnsetWork+10*count {
		t.Errorf("have %d", l.unset.work)
	}
	if list := o.Unset([]Part{{}}); list != nil {
		t.Errorf("have %d values at the limit", len(list))
	}
	const most = maxUnsetWork/count - 1
	for parts, isLooked := range map[int]bool{most: true, most + 1: false} {
		l := Load("a", files)
		l.Render(Options{}).Outputs[0].Unset(make([]Part, parts))
		if have := l.unset.work > (parts+1)*count; have != isLooked {
			t.Errorf("%d parts: have %d", parts, l.unset.work)
		}
	}
}

func TestAChartThatFailsIsFilled(t *testing.T) {
	for _, c := range []struct{ values, template, want string }{
		{"url:", `a: {{ trimPrefix "h" .Values.url }}`, "url"},
		{"b: {c: 1}", `a: {{ trimPrefix "h" .Values.b.url }}`, "b.url"},
		{"b: {url: }", `a: {{ required "u" .Values.b.url }}{{ required "v" .Values.v }}`, "b.url v"},
		{"cluster:", `a: {{ .Values.cluster.role }}`, "cluster"},
		{"a: \"\"", `{{ if not .Values.a }}{{ fail "set a" }}{{ end }}b: c`, "a"},
		{"b: 1", `{{ fail "no" }}`, "failed"},
		{"url: \"\"\nurls: 1", `a: {{ trimPrefix "h" .Values.ulr }}`, "failed"},
		{"k8up: {affinity: {key: 1}, x: \"\"}", `{{ if or .Values.k8up.x .Values.affinity.key }}{{ end }}`, "failed"},
		{"a: \"\"", `{{ if not .Values.a }}{{ range until 9999999 }}{{ end }}{{ end }}`, "failed"}, // at a limit
		{"a: \"\"", `{{ range $i := until 12 }}{{ required "r" (index $.Values (printf "b%d" $i)) }}{{ end }}`, "failed"},
	} {
		l := Load("a", []File{{"Chart.yaml", metadataOfA}, {"values.yaml", c.values}, {"templates/a.yaml", c.template}})
		r := l.Render(Options{Kubernetes: 34})
		if !r.IsFailed {
			t.Fatalf("%s does not fail", c.template)
		}
		filled := l.Fill(Options{Kubernetes: 34}, r)
		var have []string
		for _, f := range filled.Failures {
			have = append(have, f.Unset.Key)
		}
		if filled.Rendered.IsFailed {
			have = append(have, "failed")
		}
		if strings.Join(have, " ") != c.want {
			t.Errorf("%s: %s: have %q, want %q", c.values, c.template, have, c.want)
		}
	}
}
