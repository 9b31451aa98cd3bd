package chart

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func streamOf(t *testing.T, o StreamOptions, files ...string) *Stream {
	t.Helper()
	list := []File{{Name: "Chart.yaml", Text: "apiVersion: v2\nname: shop\nversion: 1.0.0\n"}}
	for i := 0; i < len(files); i += 2 {
		list = append(list, File{Name: files[i], Text: files[i+1]})
	}
	r := Render("charts/shop", list, Options{})
	s, rejected := r.Stream("stream", o)
	if rejected != nil {
		t.Fatal(rejected.Message)
	}
	return s
}

func TestAStreamHasTheOrderOfHelm(t *testing.T) {
	files := []string{
		"crds/a.yaml", "kind: CRD\n",
		"templates/a.yaml",
		"\n---\nkind: Zebra\n---\nkind: Apple\n---\n\nkind: Service\nname: a\n--- # next\nkind: Namespace\n",
		"templates/b.yaml", "kind: Service\nname: b", "templates/hooks.yaml",
		"kind: Pod\nmetadata: {annotations: {helm.sh/hook: test}}\n---\nkind: Job\nmetadata: {annotations: {helm.sh/hook: 'pre-install, Post-Install'}}\n" +
			"---\nkind: ConfigMap\nmetadata: {annotations: {helm.sh/hook: other}}",
	}
	for _, c := range []struct {
		o    StreamOptions
		want string
	}{
		{StreamOptions{}, "Namespace Service a Service b Apple Zebra Pod Job"},
		{StreamOptions{IncludeCRDs: true, SkipTests: true}, "CRD Namespace Service a Service b Apple Zebra Job"},
		{StreamOptions{SkipHooks: true}, "Namespace Service a Service b Apple Zebra"},
	} {
		var have []string
		for line := range strings.Lines(streamOf(t, c.o, files...).Source.Text) {
			for _, key := range []string{"kind: ", "name: "} {
				if value, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
					have = append(have, value)
				}
			}
		}
		if have := strings.Join(have, " "); have != c.want {
			t.Errorf("%+v: have %s, want %s", c.o, have, c.want)
		}
	}
}

func TestPlacesOfAStreamAreInTheTemplates(t *testing.T) {
	s := streamOf(t, StreamOptions{IncludeCRDs: true},
		"crds/a.yaml", "a: in-crd\n", "templates/a.yaml", "kind: Pod\na: in-pod\n---\nkind: Service\na: {{ .Values.a }}\n",
		"values.yaml", "a: in-service\n")
	for text, want := range map[string]string{
		"in-crd": "charts/shop/crds/a.yaml:1:4-1:10", "in-pod": "charts/shop/templates/a.yaml:2:4-2:10",
		"in-service": "charts/shop/templates/a.yaml:5:4-5:19",
	} {
		at := strings.Index(s.Source.Text, text)
		place := s.Source.Place(source.Span{Start: at, End: at + len(text)})
		place.Detach()
		if have := place.String(); have != want {
			t.Errorf("%s: have %s, want %s", text, have, want)
		}
		supplied := s.Supplied(source.Span{Start: at, End: at + len(text)})
		if has := len(supplied) == 1 &&
			supplied[0].Place.String() == "charts/shop/values.yaml:1:4-1:14"; has != (text == "in-service") {
			t.Errorf("%s: supplied by %v", text, supplied)
		}
	}
}

func TestADocumentThatHelmCannotReadIsRejected(t *testing.T) {
	r := Render("charts/shop", []File{
		{Name: "Chart.yaml", Text: "apiVersion: v2\nname: shop\nversion: 1.0.0\n"},
		{Name: "templates/a.yaml", Text: "a: b\n---\nkind: [Pod\n"},
	}, Options{})
	if _, rejected := r.Stream("stream", StreamOptions{}); rejected == nil ||
		rejected.Place.String() != "charts/shop/templates/a.yaml:3:1-3:11" {
		t.Errorf("have %v", rejected)
	}
}
