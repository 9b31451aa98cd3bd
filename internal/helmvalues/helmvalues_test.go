package helmvalues

import (
	"flag"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/test/outputtest"
)

var update = flag.Bool("update", false, "write the schemas of the charts in testdata")

func analyzed(t *testing.T, files []chart.File) *Analysis {
	t.Helper()
	a, err := Analyze(chart.Load("shop", files), chart.Options{Kubernetes: 34}, chart.TestSets("shop", files), catalog.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func filesIn(list []txtar.File) (files []chart.File) {
	for _, f := range list {
		files = append(files, chart.File{Name: f.Name, Text: string(f.Data)})
	}
	return files
}

// Each case is a chart and the schema of its values.
func TestTheSchemaOfAChartIsMadeOfItsTemplates(t *testing.T) {
	outputtest.Compare(t, "testdata/schema", "schema", *update, func(list []txtar.File) string {
		files := filesIn(list)
		schema, err := analyzed(t, files).Schema()
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		// the schema of a chart that has it is the same
		again, err := analyzed(t, append(without(files, "values.schema.json"), chart.File{Name: "values.schema.json", Text: string(schema)})).Schema()
		if err != nil || string(again) != string(schema) {
			t.Errorf("with its schema, the chart has another one: %v\n%s\n%s", err, schema, again)
		}
		return string(schema)
	})
}

func without(files []chart.File, name string) (rest []chart.File) {
	for _, f := range files {
		if f.Name != name {
			rest = append(rest, f)
		}
	}
	return rest
}

func TestDifferencesNameTheValues(t *testing.T) {
	have := `{"properties": {"a": {"type": "string"}, "gone": {}, "same": {"x": 1}, "m": {"properties": {"b": {"default": 1}}}}}`
	want := `{"type": "object", "properties": {"a": {"type": "number"}, "new": {}, "same": {"x": 1.0}, "m": {"properties": {"b": {"default": 2}}}}}`
	list, err := Differences([]byte(have), []byte(want))
	var texts []string
	for _, d := range list {
		texts = append(texts, d.Path+": "+d.Message)
	}
	const text = "a: type differs\ngone: no template reads it, and values.yaml does not have it\nm.b: default differs\nnew: is missing\n" +
		"all values: type differs"
	if got := strings.Join(texts, "\n"); err != nil || got != text {
		t.Errorf("have %s, want %s", got, text)
	}
}

func TestADescriptionNamesReadersAndFields(t *testing.T) {
	a := analyzed(t, []chart.File{
		{Name: "Chart.yaml", Text: "apiVersion: v2\nname: shop\nversion: 1.0.0\n"},
		{Name: "values.yaml", Text: "replicas: 3\nresources: {}\nunused: 1\nhosts: [{name: a}]\n"},
		{Name: "templates/_labels.tpl", Text: `{{ define "shop.labels" }}size: {{ .Values.replicas | quote }}{{ end }}`},
		{Name: "templates/a.yaml", Text: "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  labels:\n    {{- include \"shop.labels\" . | nindent 4 }}\n" +
			"spec:\n  replicas: {{ .Values.replicas }}\n  template:\n    spec:\n      containers:\n      - name: a\n        resources:\n          {{- toYaml .Values.resources | nindent 10 }}\n" +
			"        args: [{{ range .Values.hosts }}{{ .name }}, {{ end }}]\n"},
	})
	for path, want := range map[string]string{
		"replicas": "string integer null; shop/templates/_labels.tpl:1:33 shop/templates/a.yaml:8:13; " +
			`metadata.labels.size spec.replicas`,
		"values.replicas":         "string integer null; shop/templates/_labels.tpl:1:33 shop/templates/a.yaml:8:13; metadata.labels.size spec.replicas",
		"resources.limits.memory": "of resources; shop/templates/a.yaml:14:11; spec.template.spec.containers[].resources",
		"hosts[0].name":           "string number boolean null; shop/templates/a.yaml:15:41; spec.template.spec.containers[].args[]",
		"unused":                  "; ; ",
		"replica":                 `no template reads "replica"; did you mean "replicas"?`,
		"hosts[0].nam":            `no template reads "hosts.0.nam"; did you mean "hosts.0.name"?`,
		"other":                   `no template reads "other", and values.yaml does not have it`,
		"":                        `"" is not the path of a value, such as image.tag`,
	} {
		d, err := a.Describe(path)
		if err != nil {
			if err.Error() != want {
				t.Errorf("%s: have %v, want %s", path, err, want)
			}
			continue
		}
		var readers, fields, types []string
		for _, r := range d.Readers {
			readers = append(readers, r.File+":"+strconv.Itoa(r.Line)+":"+strconv.Itoa(r.Column))
		}
		for _, f := range d.Becomes {
			fields = append(fields, f.Field)
		}
		for _, name := range d.Types {
			types = append(types, name.(string))
		}
		if d.ReadAs != "" {
			types = []string{"of " + d.ReadAs}
		}
		if have := strings.Join(types, " ") + "; " + strings.Join(readers, " ") + "; " + strings.Join(fields, " "); have != want {
			t.Errorf("%s: have %s, want %s", path, have, want)
		}
	}
}
