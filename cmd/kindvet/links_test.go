package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	code    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	heading = regexp.MustCompile("(?m)^#+ (.*)$")
	unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Links within the repository lead to existing files and headings, on all pages.
func TestLinksOfTheDocumentationLeadSomewhere(t *testing.T) {
	count := 0
	for _, page := range append(pages(t), otherPages(t)...) {
		dir := filepath.Join(repository, filepath.Dir(filepath.FromSlash(page)))
		for _, target := range links(readFile(t, filepath.Join(repository, page))) {
			name, anchor, hasAnchor := strings.Cut(target, "#")
			if strings.Contains(name, ":") {
				continue
			}
			count++
			file := filepath.Join(dir, filepath.FromSlash(name))
			if name == "" {
				file = filepath.Join(repository, page)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s: %v", page, target, err)
			} else if hasAnchor && !anchors(readFile(t, file))[anchor] {
				t.Errorf("%s: %s: no such heading", page, target)
			}
		}
	}
	if count < 1000 {
		t.Errorf("only %d links", count)
	}
}

// links are the targets of links and images on a page, in Markdown and HTML, but not in code.
func links(page string) (targets []string) {
	for _, l := range link.FindAllStringSubmatch(code.ReplaceAllString(page, "\n"), -1) {
		targets = append(targets, l[1]+l[2])
	}
	return targets
}

// otherPages are the pages outside of docs without the README, relative to the repository.
func otherPages(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"*.md", "rules/*.md", "rules/families/*.md"} {
		names, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			page, err := filepath.Rel(repository, name)
			if err != nil {
				t.Fatal(err)
			}
			if page != "README.md" {
				found = append(found, filepath.ToSlash(page))
			}
		}
	}
	return found
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
