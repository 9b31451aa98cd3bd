package oracle

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// publicModules are projects that are available as Go modules. The definitions are found by pattern. Manifests,
// good and bad ones, may be anywhere in the module.
var publicModules = []struct{ module, definitions string }{
	{"sigs.k8s.io/gateway-api@v1.4.0", "config/crd/standard/gateway*.yaml"},
	{"sigs.k8s.io/cluster-api@v1.11.2", "config/crd/bases/*.yaml"},
	{"github.com/cert-manager/cert-manager@v1.19.1", "deploy/crds/*.yaml"},
	{"sigs.k8s.io/network-policy-api@v0.1.7", "config/crd/standard/policy*.yaml"},
	{"github.com/fluxcd/source-controller@v1.7.0", "config/crd/bases/*.yaml"},
	{"sigs.k8s.io/kueue@v0.14.0", "config/components/crd/bases/*.yaml"},
}

// The definitions of public projects load, and our verdict on their manifests is that of upstream.
func TestManifestsOfPublicProjectsGetTheSameVerdict(t *testing.T) {
	t.Parallel()
	projects := 0
	for _, p := range publicModules {
		t.Run(p.module, func(t *testing.T) {
			folder := moduleFolder(t, p.module)
			byType := map[string]*Definition{}
			files, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(p.definitions)))
			if err != nil || len(files) == 0 {
				t.Fatalf("no definition, %v", err)
			}
			for _, file := range files {
				d, err := loadDefinition(folder, file)
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				for _, k := range d.Kinds { // of the served versions
					byType[k.gvk.GroupVersion().String()+" "+k.gvk.Kind] = d
				}
			}
			compared, refused := compareManifests(t, folder, byType)
			t.Logf("%d definitions, %d manifests compared, %d of them refused", len(files), compared, refused)
			if compared > 0 {
				projects++
			}
		})
	}
	if projects < 3 && !t.Failed() {
		t.Skipf("manifests of %d projects were at hand", projects)
	}
}

// moduleFolder returns the folder of a module: in the cache, or downloaded from the module proxy.
func moduleFolder(t *testing.T, module string) string {
	t.Helper()
	c := exec.Command("go", "mod", "download", "-json", module)
	c.Dir = t.TempDir() // outside any module
	out, err := c.Output()
	var found struct{ Dir string }
	if json.Unmarshal(out, &found) != nil || err != nil || found.Dir == "" {
		t.Skipf("%s is neither in the module cache nor to be had: %s", module, out)
	}
	return found.Dir
}

// compareManifests compares the verdicts on all manifests below a folder that belong to a loaded kind.
func compareManifests(t *testing.T, folder string, byType map[string]*Definition) (compared, refused int) {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".yml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, part := range strings.Split("\n"+string(text), "\n---\n") {
			v, err := parse(part)
			m, ok := v.(map[string]any)
			if err != nil || !ok {
				continue // for example a template
			}
			apiVersion, _ := m["apiVersion"].(string)
			kind, _ := m["kind"].(string)
			d, ok := byType[apiVersion+" "+kind]
			if !ok {
				continue
			}
			_, version, _ := strings.Cut(apiVersion, "/")
			c := d.record(path, version, parity.Request{New: part + "\n"})
			compared++
			if !c.Verdict.Accepted {
				refused++
			}
			if diffs := d.Compare(c); len(diffs) > 0 {
				t.Errorf("%s: %v\n%s", path, diffs, part)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return compared, refused
}
