package kustomize58

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

var update = flag.Bool("update", false, "write the output of kustomize 5.8 into the cases")

// Each case is a kustomization, with the output of both versions.
func TestTheCasesHaveTheOutputOfKustomize58(t *testing.T) {
	names, _ := filepath.Glob("../../kustomize/testdata/versions/*.txtar")
	if len(names) == 0 {
		t.Fatal("no cases")
	}
	for _, name := range names {
		c, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := filesys.MakeFsInMemory()
		for i, f := range c.Files {
			if f.Name != "kustomize58" {
				if err := files.WriteFile("/"+f.Name, f.Data); err != nil {
					t.Fatal(err)
				}
				continue
			}
			have, err := Build(files, "/")
			if err != nil {
				have = "error: " + strings.Join(strings.Fields(err.Error()), " ") + "\n"
			}
			if *update {
				c.Files[i].Data = []byte(have)
			} else if have != string(f.Data) {
				t.Errorf("%s: have %s\nwant %s", name, have, f.Data)
			}
		}
		if *update {
			if err := os.WriteFile(name, txtar.Format(c), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
