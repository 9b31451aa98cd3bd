package chart

import (
	"strings"
	"testing"
	"time"
)

// A file of strangers may have very many faults.
func TestManyFaultsOfAChartFileAreFoundInShortTime(t *testing.T) {
	for name, text := range map[string]string{
		"dependencies": "dependencies:\n" + strings.Repeat("- {name: a, alias: a.b}\n", 100_000),
		"null":         "dependencies:\n" + strings.Repeat("- null\n", 100_000),
		"fields":       strings.Repeat("? x\n", 1) + strings.Repeat("dependancies: []\n", 100_000),
		"types":        "keywords:\n" + strings.Repeat("- [a]\n", 100_000),
		"sources":      "sources:\n" + strings.Repeat("- a\n", 100_000),
		"missing": "dependencies:\n" + strings.Repeat("- {name: a, alias: a}\n", 1) +
			strings.Repeat("- {version: x}\n", 1),
	} {
		start := time.Now()
		r := Render("a", []File{{Name: "Chart.yaml", Text: "apiVersion: v2\nname: a\nversion: 1.0.0\n" + text}}, Options{})
		if n := len(r.Violations); n == 0 || n > 3*mostFaults {
			t.Errorf("%s: have %d findings", name, n)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}
