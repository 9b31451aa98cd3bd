package workspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
)

// tops are the files of a repository with n empty directories in its top.
func tops(n int) map[string]string {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range n {
		files[fmt.Sprintf("d%03d/none.txt", i)] = ""
	}
	return files
}

const ofArtifact = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: a%d, namespace: a}
spec: {interval: 1m, prune: true, path: apps/web, sourceRef: {kind: OCIRepository, name: a%d}}
---
`

// The root of an artifact is found next to hundreds of other directories in the top.
func TestTheRootOfAnArtifactMayBeOneOfManyDirectories(t *testing.T) {
	files := tops(200)
	files["clusters/a.yaml"] = fmt.Sprintf(ofArtifact, 0, 0)
	files["last/apps/web/map.yaml"] = fmt.Sprintf(badMap, "web")
	r := in(t, files, Options{Files: find.Options{Paths: []string{"clusters"}}})
	for _, v := range r.Report.Violations {
		if v.Rule == diag.UnknownField && v.Place.File == "last/apps/web/map.yaml" {
			return
		}
	}
	t.Errorf("the map in last/apps/web was not checked: %v", r.Report.Violations)
}

// The directories are looked up a limited number of times. What is not followed then has a finding.
func TestTheLookupsForRootsOfArtifactsAreLimited(t *testing.T) {
	skipIfShort(t)
	const directories = 400
	for _, c := range []struct{ artifacts, want int }{{maxLookups/directories - 5, 0}, {maxLookups/directories + 5, 1}} {
		files := tops(directories - 1) // and clusters
		var text strings.Builder
		for i := range c.artifacts {
			fmt.Fprintf(&text, ofArtifact, i, i)
		}
		files["clusters/a.yaml"] = text.String()
		r := in(t, files, Options{Files: find.Options{Paths: []string{"clusters"}}})
		have := 0
		for _, v := range r.Report.Violations {
			if v.Rule == diag.ReaderLimit {
				have++
			}
		}
		if have != c.want {
			t.Errorf("%d artifacts: %d findings about a limit, want %d", c.artifacts, have, c.want)
		}
	}
}
