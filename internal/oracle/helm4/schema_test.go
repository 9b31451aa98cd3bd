package helm4

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/helmvalues"
)

var (
	seed    = flag.Uint64("seed", 1, "of the planted errors")
	missed  = flag.Bool("missed", false, "print the planted errors that are not rejected")
	schemas = flag.String("schemas", "", "a `DIRECTORY` for the schemas of the charts")
)

// judged are the counts of all charts.
type judged struct {
	charts, failed, sets, bytes int
	planted, rejected           map[string]int
}

// Each case is a chart with the schema of its values. It must conform to the metaschema, and Helm must render the chart with it as
// before.
func TestTheSchemasOfTheCasesAllowTheirValues(t *testing.T) {
	Quiet()
	names, err := filepath.Glob("../../helmvalues/testdata/schema/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		c, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := txtar.Write(c, dir); err != nil {
			t.Fatal(err)
		}
		schema := c.Files[len(c.Files)-1].Data
		if _, err := compiled(schema); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sets := []string{""}
		for _, f := range c.Files {
			if chart.IsTestValues(f.Name) {
				sets = append(sets, string(f.Data))
			}
		}
		_ = os.Remove(filepath.Join(dir, "values.schema.json"))
		for _, set := range sets {
			before, _, errBefore := rendered(dir, set, nil)
			after, _, errAfter := rendered(dir, set, schema)
			if fmt.Sprint(errBefore) != fmt.Sprint(errAfter) || !maps.Equal(before, after) {
				t.Errorf("%s: %v, with the schema %v", name, errBefore, errAfter)
			}
		}
	}
}

// With -charts, it makes a schema for each chart of a directory. The schema must conform to the metaschema, and Helm must render
// the chart with each of its sets of values as before. Planted errors should be rejected.
func TestTheSchemasOfChartsAllowTheirValues(t *testing.T) {
	if *charts == "" {
		t.Skip("no -charts")
	}
	Quiet()
	finder, err := find.New(find.Options{Base: find.OnDisk(*charts), Paths: []string{"."}, NoConfig: true, NoIgnore: true, Charts: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kinds := catalog.Embedded()
	j := &judged{planted: map[string]int{}, rejected: map[string]int{}}
	for i := range found.Files {
		if f := &found.Files[i]; f.Kind == find.Chart {
			j.chart(t, f, found.Tree, kinds)
		}
	}
	t.Logf("%d charts with %d sets of values, %d not rendered, %d bytes of schemas", j.charts, j.sets, j.failed, j.bytes)
	for _, class := range slices.Sorted(maps.Keys(j.planted)) {
		t.Logf("%s: %d of %d rejected", class, j.rejected[class], j.planted[class])
	}
}

func (j *judged) chart(t *testing.T, f *find.File, tree find.Tree, kinds *catalog.Catalog) {
	files, err := f.ReadChart(tree)
	if err != nil {
		return
	}
	tests, _ := f.ReadTestValues(tree, files)
	loaded := f.LoadChart(tree, files, nil)
	a, err := helmvalues.Analyze(loaded, chart.Options{Kubernetes: 34, Release: chart.UnnamedRelease}, chart.TestSets(f.Name, tests), kinds)
	if err != nil {
		j.failed++
		return
	}
	text, err := a.Schema()
	if err != nil {
		t.Errorf("%s: %v", f.Abs, err)
		return
	}
	again, _ := a.Schema()
	if !bytes.Equal(text, again) {
		t.Errorf("%s: two schemas differ", f.Abs)
	}
	j.charts, j.bytes = j.charts+1, j.bytes+len(text)
	if *schemas != "" {
		_ = os.WriteFile(filepath.Join(*schemas, strings.ReplaceAll(f.Name, "/", "+")+".json"), text, 0o644)
	}
	schema, err := compiled(text)
	if err != nil {
		t.Errorf("%s: %v", f.Abs, err)
		return
	}
	sets := []string{""}
	for _, test := range tests {
		sets = append(sets, test.Text)
	}
	for i, set := range sets {
		before, values, errBefore := rendered(f.Abs, set, nil)
		repeated, _, _ := rendered(f.Abs, set, nil)
		maps.DeleteFunc(before, func(name, text string) bool { return repeated[name] != text }) // random
		after, _, errAfter := rendered(f.Abs, set, text)
		j.sets++
		if errBefore == nil && errAfter != nil {
			t.Errorf("%s: set %d: %v", f.Abs, i, errAfter)
		} else if errBefore == nil && slices.ContainsFunc(slices.Collect(maps.Keys(before)), func(name string) bool { return before[name] != after[name] }) {
			t.Errorf("%s: set %d: another output", f.Abs, i)
		}
		if values != nil && i == 0 && errBefore == nil {
			j.plant(schema, text, values)
		}
	}
}

func compiled(text []byte) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("file:///values.schema.json", document); err != nil {
		return nil, err
	}
	return c.Compile("file:///values.schema.json")
}

// rendered returns what Helm writes for a chart with values, and the values that templates see. The schema replaces that of the
// chart unless it is nil.
func rendered(dir, set string, schema []byte) (texts map[string]string, values map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	c, err := loader.Load(dir)
	if err != nil {
		return nil, nil, err
	}
	own, err := loader.LoadValues(strings.NewReader(set))
	if err != nil {
		return nil, nil, err
	}
	if schema != nil {
		c.Schema = schema
	}
	if err := chartutil.ProcessDependencies(c, own); err != nil {
		return nil, nil, err
	}
	version, _ := common.ParseKubeVersion("v1.34.0")
	cluster := common.DefaultCapabilities.Copy()
	cluster.KubeVersion = *version
	all, err := util.ToRenderValues(c, own, common.ReleaseOptions{Name: "release-name", Namespace: "default", Revision: 1, IsInstall: true}, cluster)
	if err != nil {
		return nil, nil, err
	}
	values, _ = all["Values"].(map[string]any)
	if v, ok := all["Values"].(common.Values); ok {
		values = v
	}
	texts, err = engineRender(c, all)
	return texts, values, err
}

// plant changes values in ways that no template is made for, and counts those that a schema rejects.
func (j *judged) plant(schema *jsonschema.Schema, text []byte, values map[string]any) {
	var root map[string]any
	if json.Unmarshal(text, &root) != nil || schema.Validate(plain(values)) != nil {
		return
	}
	random := rand.New(rand.NewPCG(*seed, 1))
	var visit func(value any, s map[string]any, path []any)
	try := func(class string, path []any, other any) {
		if random.IntN(3) > 0 {
			return
		}
		changed := plain(values)
		at := changed
		for _, step := range path[:len(path)-1] {
			at = at.(map[string]any)[step.(string)]
		}
		last := path[len(path)-1].(string)
		if class == "misspelled key" {
			at.(map[string]any)[last+"x"] = at.(map[string]any)[last]
			delete(at.(map[string]any), last)
		} else {
			at.(map[string]any)[last] = other
		}
		j.planted[class]++
		if schema.Validate(changed) != nil {
			j.rejected[class]++
		} else if *missed {
			fmt.Println("missed", class, path)
		}
	}
	visit = func(value any, s map[string]any, path []any) {
		table, _ := value.(map[string]any)
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(table)) {
			next, ok := properties[name].(map[string]any)
			if !ok || len(path) == 0 && name == "global" {
				continue
			}
			at := append(slices.Clip(path), name)
			if s["additionalProperties"] == false && len(name) > 3 {
				try("misspelled key", at, nil)
			}
			switch v := table[name].(type) {
			case map[string]any:
				if len(v) > 0 {
					try("text for a map", at, "planted")
				}
				visit(v, next, at)
			case []any:
				try("map for a list", at, map[string]any{"planted": "x"})
			case float64, json.Number, int64:
				try("text for a number", at, "planted")
			case bool:
				try("text for a boolean", at, "planted")
			case string:
				try("map for a text", at, map[string]any{"planted": "x"})
			}
		}
	}
	visit(plain(values), root, nil)
}

func plain(value any) any {
	text, _ := json.Marshal(value)
	var out any
	_ = json.Unmarshal(text, &out)
	return out
}
