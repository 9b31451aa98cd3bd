package chart

import (
	"flag"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var updateVersions = flag.Bool("update-versions", false, "write the output of kindvet into the cases of versions of Helm")

// Each case is a chart, with the output of Helm 3.19, which kindvet has, too, and that of Helm 4, which internal/oracle/helm4
// compares.
func TestWhereVersionsOfHelmDifferTheOutputIsThatOfHelm3(t *testing.T) {
	names, _ := filepath.Glob("testdata/versions/*.txtar")
	if len(names) == 0 {
		t.Fatal("no cases")
	}
	for _, name := range names {
		c, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var files []File
		for i, f := range c.Files {
			switch f.Name {
			case "helm3":
				have := written(Render("shop", files, Options{Kubernetes: 34, Release: UnnamedRelease}))
				if *updateVersions {
					c.Files[i].Data = []byte(have)
				} else if have != string(f.Data) {
					t.Errorf("%s: have %s\nwant %s", name, have, f.Data)
				}
			case "helm4":
			default:
				files = append(files, File{f.Name, string(f.Data)})
			}
		}
		if *updateVersions {
			if err := os.WriteFile(name, txtar.Format(c), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// written returns what a chart writes as text, or why it fails.
func written(r Rendered) string {
	if r.IsFailed {
		return "error: " + r.Violations[len(r.Violations)-1].Message + "\n"
	}
	var b strings.Builder
	for _, o := range r.Outputs {
		if text := strings.TrimSpace(o.Source.Text); text != "" {
			b.WriteString("# " + path.Base(o.Name) + "\n" + text + "\n")
		}
	}
	return b.String()
}
