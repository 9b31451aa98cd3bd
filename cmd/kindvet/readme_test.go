package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A visitor sees the whole README in a minute.
func TestTheReadmeIsShort(t *testing.T) {
	if lines := strings.Count(readFile(t, filepath.Join(repository, "README.md")), "\n"); lines > 150 {
		t.Errorf("%d lines, want at most 150", lines)
	}
}

// The numbers in the sentences of the README are true.
func TestTheReadmeCountsWhatThereIs(t *testing.T) {
	text := strings.Join(strings.Fields(readFile(t, filepath.Join(repository, "README.md"))), " ")
	c := exec.Command(filepath.Join(installed, "kindvet"), "validate", "testdata/demo")
	c.Dir = repository
	out, _ := call(t, c)
	if !strings.Contains(out, "\n12 errors, 2 warnings in ") ||
		!strings.Contains(text, "reports 12 errors, which a server would reject, and 2 warnings") {
		t.Errorf("the README counts other findings than\n%s", out)
	}
	rules, err := filepath.Glob(filepath.Join(repository, "rules", "lint", "*", "*", "rule.yaml"))
	if err != nil || len(rules) <= 300 || !strings.Contains(text, "More than 300 rules") {
		t.Errorf("%d rules, error %v", len(rules), err)
	}
	formats := strings.Count(readFile(t, filepath.Join(repository, "docs", "output-formats.md")), "\n## `")
	if formats != 11 || !strings.Contains(text, "eleven [output formats]") {
		t.Errorf("%d formats", formats)
	}
}
