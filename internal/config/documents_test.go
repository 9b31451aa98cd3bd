package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
)

var update = flag.Bool("update", false, "write the generated documents anew")

// These marks in docs/configuration.md enclose the table of keys.
const (
	tableStart = "<!-- keys: go test ./internal/config -update -->\n"
	tableEnd   = "<!-- end of keys -->\n"
)

func TestDocumentsSayWhatTheSchemaSays(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "configuration.md")
	text := read(t, page)
	before, rest, ok := strings.Cut(text, tableStart)
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no marks for the table of keys", page)
	}
	hold(t, page, text, before+tableStart+reference()+tableEnd+after)
	schema := filepath.Join("..", "..", "docs", "kindvet.schema.json")
	if _, err := os.Stat(schema); err != nil && *update {
		hold(t, schema, "", JSONSchema())
		return
	}
	hold(t, schema, read(t, schema), JSONSchema())
}

func read(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hold compares a document with its expected content. With -update it writes that content.
func hold(t *testing.T, name, have, want string) {
	switch {
	case have == want:
	case *update:
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date; run 'go test ./internal/config -update'", name)
	}
}

func TestEveryKeyIsDescribed(t *testing.T) {
	for line := range strings.Lines(reference()) {
		if cells := strings.Split(line, "|"); strings.TrimSpace(cells[3]) == "" || strings.TrimSpace(cells[2]) == "" {
			t.Errorf("nothing is said of %s", cells[1])
		}
	}
}

func TestTheVersionsOfKubernetesAreThoseWithKnownKinds(t *testing.T) {
	var versions []string
	for minor := catalog.OldestKubernetes; minor <= catalog.NewestKubernetes; minor++ {
		versions = append(versions, fmt.Sprintf(`"1.%d"`, minor))
	}
	text := read(t, "schema.yaml")
	hold(t, "schema.yaml", text, enumOfVersions.ReplaceAllString(text, "enum: ["+strings.Join(versions, ", ")+"]"))
}

var enumOfVersions = regexp.MustCompile(`enum: \["1\.29".*\]`)
