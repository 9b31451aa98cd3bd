package chart

import (
	"flag"
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/test/outputtest"
)

var updateVersions = flag.Bool("update-versions", false, "write the output of kindvet into the cases of versions of Helm")

// Each case is a chart, with the output of Helm 3.19, which kindvet has, too, and that of Helm 4, which internal/oracle/helm4
// compares.
func TestWhereVersionsOfHelmDifferTheOutputIsThatOfHelm3(t *testing.T) {
	outputtest.Compare(t, "testdata/versions", "helm3", *updateVersions, func(texts []txtar.File) string {
		var files []File
		for _, f := range texts {
			files = append(files, File{f.Name, string(f.Data)})
		}
		return written(Render("shop", files, Options{Kubernetes: 34, Release: UnnamedRelease}))
	})
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
