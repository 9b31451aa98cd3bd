package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// page is a Markdown file.
type page struct {
	name     string // such as docs/schemas.md
	title    string
	source   []byte
	tree     ast.Node
	headings []heading
}

// heading is a heading of a page, with the name that links use.
type heading struct {
	Level      int
	Text, Name string
}

// The pages may contain HTML, because nobody else writes them.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// readPage parses a page and names its headings as GitHub does.
func readPage(name string, source []byte) *page {
	p := &page{name: name, source: source, title: name}
	context := parser.NewContext()
	p.tree = markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	names := map[string]int{}
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		words := plainText(h, source)
		anchor := anchorOf(words)
		if names[anchor]++; names[anchor] > 1 {
			anchor = fmt.Sprintf("%s-%d", anchor, names[anchor]-1)
		}
		h.SetAttributeString("id", []byte(anchor))
		p.headings = append(p.headings, heading{h.Level, words, anchor})
		if h.Level == 1 {
			p.title = words
		}
	}
	return p
}

var unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchorOf returns the name that GitHub gives a heading.
func anchorOf(words string) string {
	return strings.ReplaceAll(unnamed.ReplaceAllString(strings.ToLower(words), ""), " ", "-")
}

// plainText returns the text of a node without its markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// address is the name of the page on the site. A README is the index of its directory.
func (p *page) address() string {
	dir, file := path.Split(p.name)
	if file == "README.md" {
		return dir + "index.html"
	}
	return strings.TrimSuffix(p.name, ".md") + ".html"
}
