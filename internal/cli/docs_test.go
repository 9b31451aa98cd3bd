package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/render"
)

func TestEachFormatHasASectionOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "output-formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range render.Names() {
		if !strings.Contains(string(text), "\n## `"+name+"`\n") {
			t.Errorf("no section for %s", name)
		}
	}
}
