package example

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The rule that docs/rules.md develops works exactly as it is printed there.
func TestTheRuleOfTheDocumentationWorks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, part := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	dir := t.TempDir()
	for i, name := range []string{RuleFile, "bad.yaml", "good.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(blocks[i]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outcomes, err := Run(context.Background(), here(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range outcomes[0].Faults {
		t.Error(fault)
	}
}
