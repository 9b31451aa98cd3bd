package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The page shows the session that charts.txtar tests.
func TestThePageOnChartsShowsTheTestedSession(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "charts.md"))
	if err != nil {
		t.Fatal(err)
	}
	session, err := txtar.ParseFile(filepath.Join(root, "testdata", "script", "charts.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, f := range session.Files {
		switch f.Name {
		case "want", "want-failing", "charts/shop/templates/_helpers.tpl", "charts/shop/templates/deployment.yaml":
			shown++
			if !strings.Contains(string(page), "\n"+string(f.Data)+"```") {
				t.Errorf("docs/charts.md does not show %s", f.Name)
			}
		}
	}
	if shown != 4 {
		t.Errorf("the session has %d of 4 files", shown)
	}
}
