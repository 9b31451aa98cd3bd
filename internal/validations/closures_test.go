package validations_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/celtest"
	"github.com/kindvet/kindvet/internal/test/parity"
)

var root = filepath.Join("..", "..")

// kindOf returns the kind of an object that is not a list.
func kindOf(r *catalog.Catalog, n manifest.Node) (*catalog.Kind, bool) {
	if !n.Valid() || n.Type() != manifest.Map {
		return nil, false
	}
	apiVersion, _ := n.Field("apiVersion")
	kind, _ := n.Field("kind")
	if !apiVersion.Valid() || !kind.Valid() {
		return nil, false
	}
	group, version := catalog.SplitAPIVersion(apiVersion.Text())
	k, isList, ok := r.Lookup(group, version, kind.Text())
	return k, ok && !isList
}

// compare runs the rules of an object with closures and with cel-go. old is "" on a create.
func compare(y *celtest.Tally, r *catalog.Catalog, name, text, old string) {
	n := celtest.Object(name, text)
	k, ok := kindOf(r, n)
	if !ok {
		return
	}
	var before manifest.Node
	if old != "" {
		if before = celtest.Object(name, old); before.Valid() && before.Type() == manifest.Map {
			k.Prepare(before)
		}
	}
	k.Check(n, before)
	k.Rules.Compare(y, n, before)
}

func TestClosuresEvaluateTheKindsAsCELDoes(t *testing.T) {
	y := &celtest.Tally{}
	r := catalog.Embedded()
	err := filepath.WalkDir(filepath.Join(root, "testdata", "kinds"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "old.yaml" {
			return err
		}
		switch filepath.Ext(path) {
		case ".yaml", ".yml", ".json":
		default:
			return nil
		}
		old := ""
		if d.Name() == "new.yaml" {
			old = readFile(t, filepath.Join(filepath.Dir(path), "old.yaml"))
		}
		compare(y, r, path, readFile(t, path), old)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	y.Report(t, 5)
}

// alone is set in the process that runs only the next test.
const alone = "KINDVET_TEST_ALONE"

// Valid objects need no CEL compiler, because the rules of the embedded kinds are precompiled. Other tests in the same
// process would create a compiler.
func TestCleanObjectsOfTheKindsNeedNoCompiler(t *testing.T) {
	if os.Getenv(alone) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), alone+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	files, err := filepath.Glob(filepath.Join(root, "testdata", "kinds", "*", "*", "*", "good-*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no good examples: %v", err)
	}
	r := catalog.Embedded()
	for _, file := range files {
		n := celtest.Object(file, readFile(t, file))
		if k, ok := kindOf(r, n); ok {
			k.Check(n, manifest.Node{})
			k.Rules.Check(nil, n, manifest.Node{})
			if environment.IsBuilt() {
				t.Fatalf("%s: CEL's environment was built", file)
			}
		}
	}
}

func TestClosuresEvaluateTheRecordedCasesAsCELDoes(t *testing.T) {
	y := &celtest.Tally{}
	cases, err := parity.Cases(root)
	if err != nil {
		t.Fatal(err)
	}
	registries := map[string]*catalog.Catalog{}
	for _, c := range cases {
		r, ok := registries[c.Schema]
		if !ok {
			r, _ = parity.Registry(readFile(t, filepath.Join(root, filepath.FromSlash(c.Schema))))
			registries[c.Schema] = r
		}
		name := c.Name + ".yaml"
		if c.JSON {
			name = c.Name + ".json"
		}
		compare(y, r, name, c.New, c.Old)
	}
	y.Report(t, 5)
}

func TestClosuresCoverTheRulesOfTheKinds(t *testing.T) {
	rules, covered := 0, 0
	for _, e := range catalog.BuiltInKinds() {
		for _, version := range e.Versions {
			k, _ := e.Kind(version)
			n, c, why := k.Rules.Uncovered()
			rules, covered = rules+n, covered+c
			for _, w := range why {
				t.Logf("%s %s: %s", e.Name, version, w)
			}
		}
	}
	t.Logf("closures cover %d of %d rules", covered, rules)
	if covered*100 < rules*95 {
		t.Errorf("closures cover less than 95%% of the rules")
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
