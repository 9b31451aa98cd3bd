package validations

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each rule of Kubernetes that wants labels to match a selector is known as such.
func TestRulesAboutSelectors(t *testing.T) {
	files, err := filepath.Glob("../../rules/kinds/kubernetes/overlay/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	rules := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "- rule: ")[1:] {
			rule, rest, _ := strings.Cut(part, "\n")
			if message, _, _ := strings.Cut(strings.TrimSpace(rest), "\n"); message != "message: must match the selector" {
				continue
			}
			rules++
			s := selectionOf(strings.Trim(rule, "'\""))
			if s == nil || !strings.HasSuffix(strings.Join(s.labels, "."), "template.metadata.labels") ||
				!strings.Contains(strings.Join(s.selector, "."), "selector") {
				t.Errorf("%s: %s: have %v", filepath.Base(name), rule, s)
			}
		}
	}
	if rules < 6 {
		t.Errorf("there are only %d such rules", rules)
	}
}
