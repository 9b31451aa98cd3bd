package workspace

import (
	"context"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

// aWord is a kind with a rule whose message is the value, so the message is a part of the text.
const aWord = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: words.lab.example.com}, spec: {
  group: lab.example.com, names: {kind: Word, plural: words}, scope: Cluster, versions: [{name: v1, served: true, storage: true, schema: {
    openAPIV3Schema: {type: object, properties: {word: {type: string, maxLength: 20, x-kubernetes-validations: [
      {rule: self.size() < 2, messageExpression: self}]}}}}}]}}`

// A worker checks many files with the same memory. The findings of each file are those of the file alone.
func TestWhatIsSaidOfAFileOutlivesTheNext(t *testing.T) {
	rules, err := lint.New(rule.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	words, _, found := catalog.ReadCRDs(&source.Source{Name: "words.yaml", Text: aWord})
	if len(found) > 0 {
		t.Fatal(found)
	}
	known := catalog.New(catalog.BuiltInKinds(), words)
	engine := check.New(check.Options{Catalog: known, Rules: rules, UnknownKinds: check.Auto})
	tree := find.NewOverlay(find.Disk{})
	var files []find.File
	for _, word := range []string{"first", "other"} {
		text := "{apiVersion: lab.example.com/v1, kind: Word, metadata: {name: a}, word: " + word + "}"
		tree.Set("/"+word+".yaml", text)
		files = append(files, find.File{Name: word + ".yaml", Abs: "/" + word + ".yaml"})
	}
	for _, dir := range []string{"kinds", "demo"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "testdata", dir),
			func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && isManifest(path) {
					files = append(files, find.File{Name: path, Abs: path})
				}
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	checkIn := func(files []find.File, size int) [][]*check.Result {
		c := planIn(tree, 1).pool(map[*find.Config]*check.Engine{nil: engine})
		c.chunkSize = size
		results, _ := c.check(context.Background(), unitsOf(files))
		return results
	}
	said := 0
	for i, together := range checkIn(files, chunkSize) {
		alone := checkIn(files[i:i+1], chunkSize)[0]
		said += len(alone[0].Violations)
		for _, v := range alone[0].Violations {
			if !diag.FitsMessage(v.Message) {
				t.Errorf("%s: a message of more than %d characters: %s", files[i].Name, diag.LongestMessage, v.Message)
			}
		}
		if !reflect.DeepEqual(together, alone) {
			t.Errorf("%s:\nhave %+v\nwant %+v", files[i].Name, *together[0], *alone[0])
		}
	}
	if said < 500 {
		t.Errorf("only %d violations in %d files", said, len(files))
	}
	engine = check.New(check.Options{Catalog: known, UnknownKinds: check.Auto})
	whole, cut := gather(checkIn(files, chunkSize), nil), gather(checkIn(files, 64), nil)
	if whole.Transitions == 0 || whole.Transitions != cut.Transitions || whole.Report.Summary != cut.Report.Summary {
		t.Errorf("%d update rules and %+v, cut into chunks %d and %+v",
			whole.Transitions, whole.Report.Summary, cut.Transitions, cut.Report.Summary)
	}
}

func TestAPanicIsAFailureOfItsFile(t *testing.T) {
	broken := &find.Config{} // has no engine
	engine := check.New(check.Options{Catalog: catalog.Embedded()})
	long := strings.Repeat("{apiVersion: v1, kind: Namespace, metadata: {name: A}}\n---\n", 20)
	tree := find.NewOverlay(find.Disk{})
	var files []find.File
	for _, name := range []string{"a.yaml", "b.yaml", "c.yaml"} {
		tree.Set("/"+name, long)
		files = append(files, find.File{Name: name, Abs: "/" + name})
	}
	files[1].Config = broken
	for _, jobs := range []int{1, 4} {
		c := planIn(tree, jobs).pool(map[*find.Config]*check.Engine{nil: engine})
		c.chunkSize = 64
		results, failures := c.check(t.Context(), unitsOf(files))
		if len(failures) == 0 || !strings.HasPrefix(failures[0].Error(), "b.yaml: kindvet has a bug; please report it: ") {
			t.Errorf("%d jobs: have %v", jobs, failures)
		}
		for _, i := range []int{0, 2} {
			if have := gather(results[i:i+1], nil).Report.Summary.Errors; have != 20 {
				t.Errorf("%d jobs: %d errors in %s", jobs, have, files[i].Name)
			}
		}
	}
}

func TestAWorkerReusesNothingAfterAPanic(t *testing.T) {
	w := &worker{pool: &pool{units: unitsOf([]find.File{{Name: "a.yaml"}})}, memory: &check.Memory{}, unused: &check.Result{}}
	w.contain(0, func() { panic("reason") })
	if w.memory != nil || w.unused != nil || w.pool == nil || len(w.pool.panics) != 1 {
		t.Errorf("have %+v", w)
	}
}
