package main

import (
	"fmt"
	"path"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
)

// index is the page whose headings and tables are the navigation of the site.
const index = "docs/README.md"

// section is a part of the navigation.
type section struct {
	Title string
	Links []link
}

// link is a link of the navigation. Its address is relative to the root of the site.
type link struct {
	Title, Address string
	Current        bool
	page           string
}

func sectionOf(title string, links []link) section { return section{title, links} }

// navigation reads the index of the documentation: a section for each heading, and a link for each row below it.
func (s *site) navigation() ([]section, error) {
	p, ok := s.page(index)
	if !ok {
		return nil, fmt.Errorf("%s: not found", index)
	}
	sections := []section{}
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				sections = append(sections, section{Title: plainText(n, p.source)})
			}
		case *tables.Table:
			if len(sections) == 0 {
				return nil, fmt.Errorf("%s: a table above the first heading", index)
			}
			last := &sections[len(sections)-1]
			for row := n.FirstChild(); row != nil; row = row.NextSibling() {
				if l, ok := s.linkOf(row, p); ok {
					last.Links = append(last.Links, l)
				}
			}
		}
	}
	return sections, nil
}

// linkOf returns the link in the first cell of a row.
func (s *site) linkOf(row ast.Node, p *page) (link, bool) {
	to, ok := row.FirstChild().FirstChild().(*ast.Link)
	if !ok {
		return link{}, false
	}
	name := path.Join(path.Dir(p.name), string(to.Destination))
	target, ok := s.page(name)
	if !ok {
		return link{}, false
	}
	return link{Title: plainText(to, p.source), Address: target.address(), page: name}, true
}
