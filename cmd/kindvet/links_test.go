package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile("(?m)^#+ (.*)$")
	unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Links within the repository lead to existing files and headings.
func TestLinksOfTheDocumentationLeadSomewhere(t *testing.T) {
	count := 0
	for _, page := range pages(t) {
		dir := filepath.Join(repository, filepath.Dir(filepath.FromSlash(page)))
		for _, l := range link.FindAllStringSubmatch(readFile(t, filepath.Join(repository, page)), -1) {
			name, anchor, hasAnchor := strings.Cut(l[1], "#")
			if strings.Contains(name, "://") {
				continue
			}
			count++
			target := filepath.Join(dir, filepath.FromSlash(name))
			if name == "" {
				target = filepath.Join(repository, page)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: %v", page, l[1], err)
			} else if hasAnchor && !anchors(readFile(t, target))[anchor] {
				t.Errorf("%s: %s: no such heading", page, l[1])
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d links", count)
	}
}

// anchors are the names that GitHub gives the headings of a page in links.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		found[strings.ReplaceAll(unnamed.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return found
}

func TestTheIndexOfTheDocumentationHasAllPages(t *testing.T) {
	index := readFile(t, filepath.Join(repository, "docs", "README.md"))
	for _, page := range pages(t) {
		name := strings.TrimPrefix(page, "docs/")
		if name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("the index does not have %s", page)
		}
	}
}
