package parity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page about the verdict counts what kindvet does at the lines of upstream's validation that report errors.
func TestTheErrorSitesAreThoseOfThePage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "internal", "oracle", "builtin", "testdata", "sites.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	states, all := map[string]int{}, 0
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, "\t"); !strings.HasPrefix(line, "#") && len(fields) > 4 {
			states[fields[4]]++
			all++
		}
	}
	checked := states["seen"] + states["elsewhere"] + states["together"]
	claimed(t, "The list has ", all, " lines")
	claimed(t, "| ", checked, " | a recorded request reaches the line")
	claimed(t, "kindvet rejects it, too; for ", states["elsewhere"], " of them, at another field")
	claimed(t, "| ", states["unreachable"], " | no create or apply request")
	claimed(t, "| ", states["left out"], " | not checked")
	if rest := all - checked - states["unreachable"] - states["left out"]; rest != 0 {
		t.Errorf("%d lines in states that the page does not have: %v", rest, states)
	}
}
