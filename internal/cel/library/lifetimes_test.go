package library

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/kubernetes.md")

const (
	page       = "../../../docs/kubernetes.md"
	tableStart = "<!-- cel: go test ./internal/cel/library -update -->\n"
	tableEnd   = "<!-- end of cel -->\n"
)

func TestThePageHasTheVersionsOfFunctions(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableStart)
	_, after, isClosed := strings.Cut(rest, tableEnd)
	if !ok || !isClosed {
		t.Fatalf("%s has no lines %s and %s", page, tableStart, tableEnd)
	}
	want := before + tableStart + table() + tableEnd + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Errorf("%s does not have the table of lifetimes.tsv; run go test . -update", page)
	}
}

// table has a row for each library.
func table() string {
	var b strings.Builder
	b.WriteString("\n| library | functions | new expressions | stored expressions |\n|---|---|---|---|\n")
	for _, l := range Lifetimes() {
		first := fmt.Sprintf("1.%d", l.New)
		if l.Gate != "" {
			first += fmt.Sprintf("; 1.%d with the feature gate `%s`", l.Stored, l.Gate)
		}
		stored := fmt.Sprintf("1.%d", l.Stored)
		if l.Last > 0 {
			stored += fmt.Sprintf(", up to 1.%d", l.Last)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l.Library, l.Functions, first, stored)
	}
	return b.String() + "\n"
}
