package main

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed page.html style.css
var assets embed.FS

// sources is where files that are not pages of the site are shown.
const sources = "https://github.com/kindvet/kindvet"

// site is everything that is published. File names have slashes and are relative to the repository.
type site struct {
	root  string
	pages []*page
	// sections is the navigation, as docs/README.md has it.
	sections []section
	// files are pictures and other files that pages show.
	files map[string]bool
}

// build reads the pages of a repository and writes the site to a directory.
func build(root, out string) error {
	s := &site{root: root, files: map[string]bool{}}
	names, err := s.find()
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(s.file(name))
		if err != nil {
			return err
		}
		s.pages = append(s.pages, readPage(name, text))
	}
	if s.sections, err = s.navigation(); err != nil {
		return err
	}
	return s.write(out)
}

// find returns the pages: the README, docs, the pages of the rules, and those about the project.
func (s *site) find() ([]string, error) {
	names := []string{"README.md", "CHANGELOG.md", "SECURITY.md"}
	for _, dir := range []string{"docs", "rules"} {
		err := filepath.WalkDir(s.file(dir), func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(name) == ".md" {
				name, err = filepath.Rel(s.root, name)
				names = append(names, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

func (s *site) file(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

func (s *site) page(name string) (*page, bool) {
	i := slices.IndexFunc(s.pages, func(p *page) bool { return p.name == name })
	if i < 0 {
		return nil, false
	}
	return s.pages[i], true
}

// write writes the pages, what they show, and what a host of static pages needs.
func (s *site) write(out string) error {
	layout, err := template.ParseFS(assets, "page.html")
	if err != nil {
		return err
	}
	for _, p := range s.pages {
		body, err := s.render(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		var b bytes.Buffer
		if err := layout.Execute(&b, s.view(p, body)); err != nil {
			return err
		}
		if err := writeFile(out, p.address(), b.Bytes()); err != nil {
			return err
		}
	}
	for name := range s.files {
		text, err := os.ReadFile(s.file(name))
		if err != nil {
			return err
		}
		if err := writeFile(out, name, text); err != nil {
			return err
		}
	}
	style, err := assets.ReadFile("style.css")
	if err != nil {
		return err
	}
	// Without .nojekyll, GitHub Pages processes the files.
	return firstError(writeFile(out, "style.css", style), writeFile(out, ".nojekyll", nil), s.writeNotFound(out, layout))
}

// writeNotFound writes the page that a host shows for an unknown address. Its links are absolute, because it is shown
// at any address.
func (s *site) writeNotFound(out string, layout *template.Template) error {
	v := s.view(&page{name: "404.md", title: "Page not found"}, `<h1>Page not found</h1><p><a href="/">kindvet</a></p>`)
	v.Root, v.Sections = "/", nil
	var b bytes.Buffer
	if err := layout.Execute(&b, v); err != nil {
		return err
	}
	return writeFile(out, "404.html", b.Bytes())
}

// view is what the layout of a page shows.
type view struct {
	Title, Root, Source string
	Body                template.HTML
	Sections            []section
	Contents            []heading
}

func (s *site) view(p *page, body template.HTML) view {
	v := view{Title: p.title, Source: sources + "/blob/main/" + p.name, Body: body}
	v.Root = strings.Repeat("../", strings.Count(p.name, "/"))
	for _, h := range p.headings {
		if h.Level == 2 {
			v.Contents = append(v.Contents, h)
		}
	}
	for _, section := range s.sections {
		links := slices.Clone(section.Links)
		for i := range links {
			links[i].Current = links[i].page == p.name
			links[i].Address = v.Root + links[i].Address
		}
		v.Sections = append(v.Sections, sectionOf(section.Title, links))
	}
	return v
}

func writeFile(out, name string, text []byte) error {
	file := filepath.Join(out, filepath.FromSlash(path.Clean(name)))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}
