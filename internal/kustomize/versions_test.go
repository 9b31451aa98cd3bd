package kustomize

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/test/outputtest"
)

var updateVersions = flag.Bool("update-versions", false, "write the output of kindvet into the cases of versions of kustomize")

// Each case is a kustomization, with the output of kustomize 5.7, whose library kindvet uses, and that of 5.8, which
// internal/oracle/kustomize58 compares.
func TestWhereVersionsOfKustomizeDifferTheOutputIsThatOf57(t *testing.T) {
	outputtest.Compare(t, "testdata/versions", "kustomize57", *updateVersions, func(files []txtar.File) string {
		texts := map[string]string{}
		for _, f := range files {
			texts["top/"+f.Name] = string(f.Data)
		}
		return built(texts)
	})
}

// built returns what a kustomization builds as text, or why it is not built.
func built(texts map[string]string) string {
	k, fault := repository(texts).Load("top")
	if fault != nil {
		return "error: " + fault.Violation.Message + "\n"
	}
	b, fault := k.Build()
	if fault != nil {
		return "error: " + fault.Violation.Message + "\n"
	}
	src, _ := b.Source(func(string) bool { return false })
	return src.Text
}
