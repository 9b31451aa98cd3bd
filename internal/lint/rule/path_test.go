package rule

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
)

func TestPathsLeadToTheirValuesInFileOrder(t *testing.T) {
	root := readRoot(t, `
spec:
  ports: [{name: a, port: 1}, {port: 2}, {name: c}]
  matrix: [[1, 2], [3]]
  labels: {x: 1, y: 2}
  deep: {ports: [{name: d}]}
`)
	for path, want := range map[string]string{
		"spec.ports[].name":     "a c",
		"spec.matrix[][]":       "1 2 3",
		"spec.matrix[]":         "[1, 2] [3]",
		"spec.labels.*":         "1 2",
		"spec.labels[]":         "",
		"spec.ports.*":          "",
		"spec.absent.name":      "",
		"**.ports[].name":       "a c d",
		"spec.deep.**.name":     "d",
		"spec.ports[].absent[]": "",
	} {
		var have []string
		MustPath(path).Walk(root, func(n manifest.Node) bool {
			have = append(have, n.Raw())
			return true
		})
		if strings.Join(have, " ") != want {
			t.Errorf("%s: have %q, want %q", path, strings.Join(have, " "), want)
		}
	}
	for _, path := range []string{"", "a..b", "a[0]", "a[*]", "a*"} {
		if _, err := ParsePath(path); err == nil {
			t.Errorf("%q is a path", path)
		}
	}
}
