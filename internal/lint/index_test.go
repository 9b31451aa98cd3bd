package lint

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

var update = flag.Bool("update", false, "write the index of lint rules anew")

func TestIndexSaysWhatTheFilesSay(t *testing.T) {
	want := indexOfFiles(t)
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "rules", indexFile), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := fs.ReadFile(rules.Lint, indexFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("rules/%s is out of date; run 'go generate ./rules'", indexFile)
	}
}

// indexOfFiles makes the index from the rule files themselves.
func indexOfFiles(t *testing.T) string {
	files, err := fs.Glob(rules.Lint, "lint/*/*/rule.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lint rules are embedded: %v", err)
	}
	var index strings.Builder
	for _, name := range files {
		text, err := fs.ReadFile(rules.Lint, name)
		if err != nil {
			t.Fatal(err)
		}
		r, violations := ParseRule(&source.Source{Name: name, Text: string(text)})
		for _, v := range violations {
			t.Errorf("rules/%s:%d:%d: %s", name, v.Place.Start.Line, v.Place.Start.Column, v.Message)
		}
		if r == nil {
			continue
		}
		if want := "lint/" + string(r.ID) + "/rule.yaml"; name != want {
			t.Errorf("rules/%s: should be %s", name, want)
		}
		index.WriteString(r.line() + "\n")
	}
	return index.String()
}

func TestEveryRuleSaysWhatToDoAndWhatItRestsOn(t *testing.T) {
	if *update {
		t.Skip("the index is being written")
	}
	for _, h := range embedded() {
		r := loadEmbedded(h.ID)
		if r.Help == "" || r.Why == "" || r.Origin == "" || len(r.Tags) == 0 {
			t.Errorf("%s lacks help, why, source or tags", r.ID)
		}
		if strings.HasSuffix(r.Message, ".") || strings.HasSuffix(r.Title, ".") || strings.HasSuffix(r.Help, ".") {
			t.Errorf("%s: title, message and help end without a full stop", r.ID)
		}
	}
}
