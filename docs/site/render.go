package main

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// render returns the HTML of a page.
func (s *site) render(p *page) (template.HTML, error) {
	err := ast.Walk(p.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			var to string
			to, err = s.target(p, string(n.Destination))
			n.Destination = []byte(to)
		case *ast.Image:
			err = s.show(p, string(n.Destination))
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, p.source, p.tree); err != nil {
		return "", err
	}
	text := b.String()
	for _, m := range shown.FindAllStringSubmatch(text, -1) {
		if err := s.show(p, m[1]); err != nil {
			return "", err
		}
	}
	text = strings.NewReplacer("<table>", `<div class="table"><table>`, "</table>", "</table></div>").Replace(text)
	return template.HTML(reports.ReplaceAllStringFunc(text, colored)), nil
}

const opening = `<pre><code class="language-text">`

var (
	shown = regexp.MustCompile(`(?:src|srcset)="([^":]+)"`)
	// reports are blocks with the output of kindvet.
	reports = regexp.MustCompile(`(?s)` + opening + `.*?</code></pre>`)
	words   = regexp.MustCompile(`(?m)^([\w./&;-]+:\d+:\d+:)( )(error|warning|info):(.*?)( \[[a-z/-]+\])?$`)
	marks   = regexp.MustCompile(`(?m)^( +\d* \|)(.*)$`)
)

// colored colors a report as a terminal does.
func colored(block string) string {
	block = strings.TrimPrefix(block, opening)
	block = words.ReplaceAllString(block, `<b>$1</b>$2<b class="$3">$3:</b>$4<i>$5</i>`)
	return opening + marks.ReplaceAllString(block, `<s>$1</s>$2`)
}

// target returns a link from a page: to another page, to a file that the site has, or to a file on GitHub.
func (s *site) target(p *page, destination string) (string, error) {
	name, anchor, hasAnchor := strings.Cut(destination, "#")
	if name == "" || strings.Contains(name, ":") {
		return destination, nil
	}
	if hasAnchor {
		anchor = "#" + anchor
	}
	name = path.Join(path.Dir(p.name), name)
	if to, ok := s.page(name); ok {
		return relative(p.address(), to.address()) + anchor, nil
	}
	stat, err := os.Stat(s.file(name))
	switch {
	case err != nil:
		return "", fmt.Errorf("a link to %s: %w", destination, err)
	case stat.IsDir():
		return sources + "/tree/main/" + name + anchor, nil
	}
	return sources + "/blob/main/" + name + anchor, nil
}

// show adds a picture to the site.
func (s *site) show(p *page, destination string) error {
	if strings.Contains(destination, ":") {
		return nil
	}
	name := path.Join(path.Dir(p.name), destination)
	if _, err := os.Stat(s.file(name)); err != nil {
		return fmt.Errorf("a picture %s: %w", destination, err)
	}
	s.files[name] = true
	return nil
}

// relative returns the path from one address to another.
func relative(from, to string) string {
	up := strings.Split(path.Dir(from), "/")
	if up[0] == "." {
		up = nil
	}
	down := strings.Split(to, "/")
	for len(up) > 0 && len(down) > 1 && up[0] == down[0] {
		up, down = up[1:], down[1:]
	}
	return strings.Repeat("../", len(up)) + strings.Join(down, "/")
}
