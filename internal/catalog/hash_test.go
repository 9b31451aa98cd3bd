package catalog

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The hash is the output of "find kinds -name '*.yaml' | LC_ALL=C sort | xargs sha256sum | sha256sum" in the rules
// directory of the source tree, so anyone can recompute it.
func TestHashIsThatOfTheFiles(t *testing.T) {
	root := filepath.Join("..", "..", "rules")
	names, err := filepath.Glob(filepath.Join(root, "kinds", "*", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatal("no definitions", err)
	}
	below, err := filepath.Glob(filepath.Join(root, "kinds", "*", "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, below...)
	slices.Sort(names)
	var lines strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		relative, _ := filepath.Rel(root, name)
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(text), filepath.ToSlash(relative))
	}
	if have, want := Hash(), fmt.Sprintf("%x", sha256.Sum256([]byte(lines.String()))); have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}
