package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var repository = filepath.Join("..", "..")

var (
	reference = regexp.MustCompile(`(?:href|src|srcset)="([^"]*)"`)
	named     = regexp.MustCompile(` id="([^"]*)"`)
)

// Every link of the site within it leads to a file and, with #, to something of that name. Every page can be reached
// from the first one.
func TestLinksLeadSomewhere(t *testing.T) {
	out := t.TempDir()
	if err := build(repository, out); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	err := fs.WalkDir(os.DirFS(out), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, readError := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
			pages[name], err = string(text), readError
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	reached := map[string]bool{"index.html": true, "404.html": true, ".nojekyll": true}
	for queue := []string{"index.html", "404.html"}; len(queue) > 0; queue = queue[1:] {
		for _, to := range targets(t, queue[0], pages) {
			if !reached[to] {
				reached[to] = true
				queue = append(queue, to)
			}
		}
	}
	for name := range pages {
		if !reached[name] {
			t.Errorf("nothing leads to %s", name)
		}
	}
	if len(reached) < 60 {
		t.Errorf("only %d files", len(reached))
	}
}

// targets returns the files that a file leads to. The links of the page for unknown addresses start at the root.
func targets(t *testing.T, from string, pages map[string]string) (files []string) {
	t.Helper()
	if path.Ext(from) != ".html" {
		return nil
	}
	for _, m := range reference.FindAllStringSubmatch(pages[from], -1) {
		to, anchor, hasAnchor := strings.Cut(m[1], "#")
		switch {
		case strings.Contains(to, ":"):
			continue
		case from == "404.html":
			to = strings.TrimPrefix(to, "/")
			if to == "" {
				to = "index.html"
			}
		case to == "":
			to = from
		default:
			to = path.Join(path.Dir(from), to)
		}
		text, ok := pages[to]
		if !ok {
			t.Errorf("%s: a link to %s, which does not exist", from, m[1])
			continue
		}
		if hasAnchor && !hasName(text, anchor) {
			t.Errorf("%s: a link to %s, a page without such a name", from, m[1])
		}
		files = append(files, to)
	}
	return files
}

func hasName(text, anchor string) bool {
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		if m[1] == anchor {
			return true
		}
	}
	return false
}

func TestAddressesAreRelative(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"index.html", "docs/schemas.html", "docs/schemas.html"},
		{"docs/schemas.html", "docs/charts.html", "charts.html"},
		{"docs/ci/index.html", "docs/charts.html", "../charts.html"},
		{"docs/charts.html", "rules/families/app.html", "../rules/families/app.html"},
		{"docs/charts.html", "index.html", "../index.html"},
	} {
		if have := relative(c.from, c.to); have != c.want {
			t.Errorf("from %s to %s: have %s, want %s", c.from, c.to, have, c.want)
		}
	}
}

func TestHeadingsHaveTheNamesOfGitHub(t *testing.T) {
	p := readPage("docs/a.md", []byte("# The `text` page\n\n## A & b: c/d\n\n## Same\n\n## Same\n"))
	want := []heading{
		{1, "The text page", "the-text-page"}, {2, "A & b: c/d", "a--b-cd"}, {2, "Same", "same"}, {2, "Same", "same-1"},
	}
	if len(p.headings) != len(want) {
		t.Fatalf("have %v, want %v", p.headings, want)
	}
	for i := range want {
		if p.headings[i] != want[i] {
			t.Errorf("have %v, want %v", p.headings[i], want[i])
		}
	}
	if p.title != "The text page" {
		t.Errorf("title %q", p.title)
	}
}

// A finding is colored as on a terminal, also the first one of a block.
func TestReportsAreColored(t *testing.T) {
	block := opening + "a.yaml:1:2: error: wrong [cel]\n   1 | a: b\n</code></pre>"
	want := opening + "<b>a.yaml:1:2:</b> <b class=\"error\">error:</b> wrong<i> [cel]</i>\n" +
		"<s>   1 |</s> a: b\n</code></pre>"
	if have := colored(block); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

// A link to nothing and a picture that is missing end the build.
func TestDeadLinksEndTheBuild(t *testing.T) {
	for _, text := range []string{"[a](nothing.md)", "![a](nothing.svg)", `<img src="nothing.svg">`} {
		s := &site{root: t.TempDir(), files: map[string]bool{}}
		if _, err := s.render(readPage("docs/a.md", []byte(text+"\n"))); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
