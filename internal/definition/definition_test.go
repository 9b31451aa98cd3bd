package definition

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

var wanted = regexp.MustCompile(`# want: (.*)`)

// Each definition of testdata has the findings of its comments and no others.
func TestDefinitionsHaveTheFindingsThatTheyWant(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "definitions.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			src := &source.Source{Name: f.Name, Text: string(f.Data)}
			var roots []manifest.Node
			for part := range manifest.Parts(src) {
				tree := &manifest.Tree{}
				if faults := tree.Read(src, part); len(faults) > 0 {
					t.Fatal(faults[0].Message)
				}
				roots = append(roots, tree.Root())
			}
			var old manifest.Node
			if len(roots) > 1 {
				old = roots[0]
			}
			open := map[int][]string{}
			for i, line := range strings.Split(src.Text, "\n") {
				if want := wanted.FindStringSubmatch(line); want != nil {
					open[i+1] = append(open[i+1], want[1])
				}
			}
			for _, v := range Check(nil, cel.Server{}, roots[len(roots)-1], old) {
				line := v.Place.Start().Line
				if len(open[line]) == 0 || !strings.Contains(v.Message, open[line][0]) {
					t.Errorf("%d: have %s", line, v.Message)
					continue
				}
				open[line] = open[line][1:]
			}
			for line, list := range open {
				for _, want := range list {
					t.Errorf("%d: want %s", line, want)
				}
			}
		})
	}
}

// A text is measured in bytes where its characters are within the limit, and each part of a path by itself.
func TestLimitsOfTexts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"a warning", `{versions: [{deprecationWarning: "` + strings.Repeat("ä", longestWarning/2) + `"}]}`, 0},
		{"a longer one", `{versions: [{deprecationWarning: "` + strings.Repeat("ä", longestWarning/2) + `x"}]}`, 1},
		{"a path", webhookWith(strings.Repeat("/"+strings.Repeat("x", longestStep), 2)), 0},
		{"a longer step", webhookWith("/" + strings.Repeat("x", longestStep+1)), 1},
	} {
		src, tree := &source.Source{Text: "spec: " + c.text + "\n"}, &manifest.Tree{}
		for part := range manifest.Parts(src) {
			tree.Read(src, part)
		}
		if found := Check(nil, cel.Server{}, tree.Root(), manifest.Node{}); len(found) != c.want {
			t.Errorf("%s: have %d findings, want %d", c.name, len(found), c.want)
		}
	}
}

func webhookWith(path string) string {
	return `{conversion: {webhook: {clientConfig: {service: {path: "` + path + `"}}}}}`
}
