package upstream

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "download the modules that are not in the module cache, and write the files")

// directory has the files.
var directory = filepath.Join("..", "..", "..", "rules", "kinds", "kubernetes")

func TestFilesSayWhatTheModulesSay(t *testing.T) {
	var modules []Modules
	for _, r := range Releases {
		modules = append(modules, Modules{
			Minor:      r.Minor,
			Kubernetes: module(t, fmt.Sprintf("k8s.io/kubernetes@v1.%d.%d", r.Minor, r.Patch)),
			API:        module(t, fmt.Sprintf("k8s.io/api@v0.%d.%d", r.Minor, r.Patch)),
		})
	}
	files, err := Files(modules)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Join(directory, f.Name)
		if *update {
			if err := os.WriteFile(name, f.Text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, f.Text) {
			t.Errorf("%s is not what the modules say: run 'go generate' in rules (%v)", f.Name, err)
		}
	}
}

// module returns the directory of a module. Without -update it skips the test if the module cache lacks the module, as
// the modules of all versions are a large download.
func module(t *testing.T, name string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", name)
	cmd.Dir = t.TempDir() // so that the command changes no go.sum
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if !*update {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	out, err := cmd.Output()
	var answer struct{ Dir, Error string }
	if parseErr := json.Unmarshal(out, &answer); parseErr != nil {
		t.Fatalf("%s: %v, %v", name, err, parseErr)
	}
	if answer.Error != "" && !*update {
		t.Skipf("%s is not in the module cache; 'go generate' in rules downloads it", name)
	}
	if answer.Error != "" {
		t.Fatalf("%s: %s", name, answer.Error)
	}
	return answer.Dir
}
