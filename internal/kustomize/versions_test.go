package kustomize

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var updateVersions = flag.Bool("update-versions", false, "write the output of kindvet into the cases of versions of kustomize")

// Each case is a kustomization, with the output of kustomize 5.7, whose library kindvet uses, and that of 5.8, which
// internal/oracle/kustomize58 compares.
func TestWhereVersionsOfKustomizeDifferTheOutputIsThatOf57(t *testing.T) {
	names, _ := filepath.Glob("testdata/versions/*.txtar")
	if len(names) == 0 {
		t.Fatal("no cases")
	}
	for _, name := range names {
		c, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for i, f := range c.Files {
			switch f.Name {
			case "kustomize57":
				have := built(texts)
				if *updateVersions {
					c.Files[i].Data = []byte(have)
				} else if have != string(f.Data) {
					t.Errorf("%s: have %s\nwant %s", name, have, f.Data)
				}
			case "kustomize58":
			default:
				texts["top/"+f.Name] = string(f.Data)
			}
		}
		if *updateVersions {
			if err := os.WriteFile(name, txtar.Format(c), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
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
