package kustomize58

import (
	"flag"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/kindvet/kindvet/internal/test/outputtest"
)

var update = flag.Bool("update", false, "write the output of kustomize 5.8 into the cases")

// Each case is a kustomization, with the output of both versions.
func TestTheCasesHaveTheOutputOfKustomize58(t *testing.T) {
	outputtest.Compare(t, "../../kustomize/testdata/versions", "kustomize58", *update, func(texts []txtar.File) string {
		files := filesys.MakeFsInMemory()
		for _, f := range texts {
			if err := files.WriteFile("/"+f.Name, f.Data); err != nil {
				t.Fatal(err)
			}
		}
		have, err := Build(files, "/")
		if err != nil {
			return "error: " + strings.Join(strings.Fields(err.Error()), " ") + "\n"
		}
		return have
	})
}
