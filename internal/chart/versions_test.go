package chart

import (
	"flag"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/outputtest"
)

var updateVersions = flag.Bool("update-versions", false, "write the output of kindvet into the cases of versions of Helm")

// userFile is the file of a case with the values that a user sets.
const userFile = "user.yaml"

// renderedBy returns what a version of Helm writes for a case.
func renderedBy(t *testing.T, helm int, texts []txtar.File) Rendered {
	o := Options{Kubernetes: 34, Release: UnnamedRelease, Helm: helm}
	var files []File
	for _, f := range texts {
		if f.Name == userFile {
			if err := o.Values.AddFile(&source.Source{Name: f.Name, Text: string(f.Data)}); err != nil {
				t.Fatal(err)
			}
		} else if path.Ext(f.Name) != "" {
			files = append(files, File{f.Name, string(f.Data)})
		}
	}
	return Render("shop", files, o)
}

// Each case is a chart, with the output of Helm 3.19 and that of Helm 4, which internal/oracle/helm4 compares.
func TestWithoutAVersionTheOutputIsThatOfHelm3(t *testing.T) {
	for _, version := range []int{0, Helm3} {
		outputtest.Compare(t, "testdata/versions", "helm3", *updateVersions, func(texts []txtar.File) string {
			return written(renderedBy(t, version, texts))
		})
	}
}

func TestWithVersion4TheOutputIsThatOfHelm4(t *testing.T) {
	names, err := filepath.Glob("testdata/versions/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		c, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		have := written(renderedBy(t, Helm4, c.Files))
		for _, f := range c.Files {
			want := string(f.Data)
			if isError := strings.HasPrefix(want, "error:") && strings.HasPrefix(have, "error:"); f.Name == "helm4" && have != want && !isError {
				t.Errorf("%s: have %s\nwant %s", name, have, want)
			}
		}
	}
}

func TestOnlyHelm4HasChartsOfVersion3(t *testing.T) {
	for apiVersion, want := range map[string]string{"v1": "true", "v2": "true", "v3": "false"} {
		have := written(renderedBy(t, 0, []txtar.File{
			{Name: "Chart.yaml", Data: []byte("apiVersion: " + apiVersion + "\nname: shop\nversion: 1.0.0\n")},
			{Name: "values.yaml", Data: []byte("team: null\n")},
			{Name: "templates/a.yaml", Data: []byte(`hasTeam: {{ hasKey .Values "team" }}`)},
		}))
		if have != "# a.yaml\nhasTeam: "+want+"\n" {
			t.Errorf("%s: have %s, want %s", apiVersion, have, want)
		}
	}
}

// A chart that is loaded once is read again if the version changes.
func TestOneChartHasTheOutputOfBothVersions(t *testing.T) {
	l := Load("shop", []File{
		{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"},
		{"values.yaml", "a: 1\n---\nb: 2\n"},
		{"templates/a.yaml", "values: {{ toJson .Values }}\nteam: {{ .Chart.Name }}{{ with .Values.b }} {{ durationSeconds 60 }}{{ end }}"},
	})
	for _, want := range []struct {
		helm int
		text string
	}{
		{Helm4, "# a.yaml\nvalues: {\"a\":1,\"b\":2}\nteam: shop 60\n"},
		{Helm3, "error: function \"durationSeconds\" not defined\n"},
		{Helm4, "# a.yaml\nvalues: {\"a\":1,\"b\":2}\nteam: shop 60\n"},
	} {
		if have := written(l.Render(Options{Helm: want.helm})); have != want.text {
			t.Errorf("Helm %d: have %s, want %s", want.helm, have, want.text)
		}
	}
}

// written returns what a chart writes as text, or why it fails.
func written(r Rendered) string {
	if r.IsFailed {
		return "error: " + r.Violations[len(r.Violations)-1].Message + "\n"
	}
	var b strings.Builder
	for _, o := range r.Outputs {
		if text := strings.TrimSpace(o.Source.Text); text != "" {
			b.WriteString("# " + path.Base(o.Name) + "\n" + text + "\n")
		}
	}
	return b.String()
}
