package diag

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A finding shows the id of its rule, so every id has a description, and all ids are constants of this package.
func TestEveryRuleIsDescribed(t *testing.T) {
	constant := regexp.MustCompile(`(?m)^\s*(?:const )?\w+ +(?:diag\.)?Rule += "([a-z-]+)"`)
	count := 0
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range constant.FindAllStringSubmatch(string(text), -1) {
			count++
			if _, ok := Structural(Rule(m[1])); !ok {
				t.Errorf("%s: %s has no description", path, m[1])
			}
		}
		return err
	})
	if err != nil || count < 35 {
		t.Errorf("%d rules, error %v", count, err)
	}
}
